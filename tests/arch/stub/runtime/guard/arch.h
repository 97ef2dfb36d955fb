// SPDX-License-Identifier: GPL-3.0-or-later
// What the guard needs of a machine: see ../utrace/arch.h
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kmod/shared/eh_frame.h"
#include "kmod/shared/leave.h"
#include "runtime/utrace/arch.h"

namespace sonde::guard {

using FrameRegisters = std::array<uint64_t, SONDE_CFI_REGISTERS>;
FrameRegisters frame_registers(const machine::Registers& registers);
uint64_t d_register(const machine::Registers& registers, uint32_t number);
sonde_leave_state leave_state(const machine::Registers& registers);

inline constexpr uint8_t kGoQuantum = 4;
sonde_cfi_row go_row(int32_t depth);

inline constexpr uint64_t kPerfRegisters = 0xff;
machine::Registers registers_of_perf(std::span<const uint64_t, 8> words);

struct CloneLoad {
  uint64_t offset = 0;
  int64_t callee = 0;
  bool by_pointer = false;
};
inline constexpr size_t kCloneContext = 16;
std::vector<CloneLoad> find_clone_loads(std::span<const uint8_t> bytes, size_t begin, size_t end);
using ReadBytes = std::function<bool(uint64_t address, void* to, size_t length)>;
std::optional<CloneLoad> follow_straight(CloneLoad load, const ReadBytes& read);
enum class MakesCall { No, NotYetKnown, Yes };
MakesCall makes_call(uint64_t function, bool by_pointer, const ReadBytes& read);

inline constexpr size_t kInstructionMost = 4;
inline constexpr uint32_t kSlotBytes = 8;
std::string instruction_text(const uint8_t* bytes, size_t length);

struct BorrowedRegister {
  void give_back(machine::Registers& registers) const;
};

class Instruction {
 public:
  enum class How : uint8_t { Impossible, Slot, Push };
  using Read = std::function<bool(uint64_t address, void* to, size_t length)>;
  using Write = std::function<bool(uint64_t address, const void* from, size_t length)>;
  Instruction(uint64_t address, const uint8_t* bytes, size_t length);
  How how() const;
  uint8_t length() const;
  std::optional<uint64_t> target() const;
  bool repeats() const;
  bool steps_copied() const;
  bool copy_to(uint64_t slot, std::array<uint8_t, kSlotBytes>& to) const;
  std::optional<BorrowedRegister> borrow(uint64_t slot, machine::Registers& registers) const;
  bool emulate(machine::Registers& registers, const Read& read, const Write& write) const;
};

}  // namespace sonde::guard
