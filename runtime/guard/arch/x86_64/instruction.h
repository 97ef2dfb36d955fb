// SPDX-License-Identifier: GPL-3.0-or-later
// One x86-64 instruction under a breakpoint: emulated if it is simple, else copied to a slot and stepped
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kmod/shared/leave.h"
#include "runtime/utrace/arch.h"

namespace sonde::guard {

inline constexpr size_t kInstructionMost = 15;  ///< bytes
inline constexpr uint32_t kSlotBytes = 16;

/// A register that a copy in a slot uses in the place of rip, and what the program has in it.
struct BorrowedRegister {
  uint8_t number;
  uint64_t value;

  void give_back(machine::Registers& regs) const;
};

class Instruction {
 public:
  enum class How : uint8_t {
    Impossible,
    Slot,
    Nop,
    Push,
    Pop,
    Leave,
    Compute,  ///< a register, or only flags, from a register or memory and a register, a constant or memory
    Lea,
    JumpRelative,
    JumpIf,
    CallRelative,
    JumpIndirect,
    CallIndirect,
    Return,
  };

  Instruction() = default;
  /// `bytes`: the program's, at `address`.
  Instruction(uint64_t address, const uint8_t* bytes, size_t length);

  How how() const { return how_; }
  uint8_t length() const { return length_; }
  const uint8_t* bytes() const { return bytes_.data(); }
  bool repeats() const { return repeats_; }
  /// Whether its copy is stepped in a slot if it cannot be emulated; else it is stepped in its own place.
  bool steps_copied() const { return how_ == How::Slot || how_ == How::Push || how_ == How::Compute; }

  /// Where a relative branch goes.
  std::optional<uint64_t> target() const;

  /// Makes the bytes for a slot at address `slot`. False: its operand is relative to rip, does not reach from there, and
  /// no register can take the place of rip.
  bool copy_to(uint64_t slot, std::array<uint8_t, kSlotBytes>& to) const;
  /// In a slot out of reach the copy addresses its operand by a register that the instruction does not use. Sets that
  /// register for the step; returns what to give back after it, if anything.
  std::optional<BorrowedRegister> borrow(uint64_t slot, machine::Registers& regs) const;

  using Read = std::function<bool(uint64_t address, void* to, size_t length)>;
  using Write = std::function<bool(uint64_t address, const void* from, size_t length)>;
  /// Does what the instruction does. False: it cannot (the instruction would fault); step it.
  bool emulate(machine::Registers& regs, const Read& read, const Write& write) const;

 private:
  struct Memory {
    uint8_t base = 0xff, index = 0xff, scale = 0;  // register numbers; 0xff: none, 0xfe: rip
    uint8_t segment = 0;                           // 0 none, 1 fs, 2 gs
    int64_t displacement = 0;
  };
  enum class Op : uint8_t { Move, MoveSigned, Add, Sub, And, Or, Xor };
  bool reaches(uint64_t slot, int32_t& displacement) const;
  uint64_t effective(const machine::Registers& regs) const;
  bool read_memory(const machine::Registers& regs, const Read& read, uint64_t& value) const;
  bool compute(machine::Registers& regs, const Read& read) const;
  bool emulate_branch(machine::Registers& regs, const Read& read, const Write& write) const;
  bool indirect_target(const machine::Registers& regs, const Read& read, uint64_t& to) const;

  friend struct InstructionDecoder;

  uint64_t address_ = 0;
  std::array<uint8_t, kSlotBytes> bytes_{};
  How how_ = How::Impossible;
  uint8_t length_ = 0;
  uint8_t target_ = 0, source_ = 0;  // registers by number; of Compute 0xff: memory_, or for source_ immediate_
  uint8_t width_ = 64;               // bits
  uint8_t source_width_ = 64;        // the same of what an extending move reads
  Op op_ = Op::Move;
  bool only_flags_ = false;     // cmp, test
  bool has_immediate_ = false;  // the source is a constant
  bool reads_memory_ = false;   // the source is memory, or the target is, whose source only changes flags
  uint8_t condition_ = 0;
  uint8_t displacement_at_ = 0;                 // of a 32-bit displacement from rip; 0: none
  uint8_t spare_ = 0xff;                        // a register that it does not use; 0xff: none
  std::array<uint8_t, kSlotBytes> by_spare_{};  // the instruction, with that register in the place of rip
  bool by_register_ = false;                    // an indirect branch through a register
  bool repeats_ = false;
  int64_t immediate_ = 0;
  Memory memory_{};
};

/// A register of the machine by its number in instructions: 0 rax, 1 rcx, 2 rdx, 3 rbx, 4 rsp, 5 rbp, 6 rsi, 7 rdi, 8.. r8...
unsigned long long& machine_register(machine::Registers& regs, uint8_t number);

/// D's R_* number, 0..25; 0 for what ptrace does not show.
uint64_t d_register(const machine::Registers& regs, uint32_t number);

/// The registers by which kmod/shared/leave.h judges a leaving instruction, without the thread's memory.
sonde_leave_state leave_state(const machine::Registers& regs);

/// In AT&T syntax, without the target of a relative branch, which would be wrong anyway.
std::string instruction_text(const uint8_t* bytes, size_t length);

}  // namespace sonde::guard
