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

class Instruction {
 public:
  enum class How : uint8_t {
    Impossible,
    Slot,
    Nop,
    Push,
    Pop,
    Leave,
    SubImmediate,
    CompareImmediate,
    MoveRegister,
    MoveImmediate,
    XorSelf,
    Test,
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
  bool relative() const { return displacement_at_ != 0; }

  /// Where a relative branch goes.
  std::optional<uint64_t> target() const;

  /// Makes the bytes for a slot at address `slot`. False: a relative operand does not reach from there.
  bool copy_to(uint64_t slot, std::array<uint8_t, kSlotBytes>& to) const;

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
  uint64_t effective(const machine::Registers& regs) const;
  bool emulate_branch(machine::Registers& regs, const Read& read, const Write& write) const;
  bool indirect_target(const machine::Registers& regs, const Read& read, uint64_t& to) const;

  friend struct InstructionDecoder;

  uint64_t address_ = 0;
  std::array<uint8_t, kSlotBytes> bytes_{};
  How how_ = How::Impossible;
  uint8_t length_ = 0;
  uint8_t target_ = 0, source_ = 0;  // registers by number
  uint8_t width_ = 64;               // bits
  uint8_t condition_ = 0;
  uint8_t displacement_at_ = 0;  // of a 32-bit displacement from rip; 0: none
  bool by_register_ = false;     // an indirect branch through a register
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
