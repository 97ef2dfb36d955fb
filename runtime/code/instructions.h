// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions as the flow of control sees them. arch/ has the decoder of each machine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kmod/shared/leave.h"

namespace sonde {

struct Instruction {
  enum class Flow : uint8_t {
    On,    ///< to the next one
    Call,  ///< may not come back
    Return,
    Jump,
    JumpIf,
    JumpOperand,  ///< to what a register or memory says
    OddJumpIf,    ///< no flag decides (x86: loop, jrcxz)
    End,          ///< no further (x86: ud2, hlt, int3)
  };

  int64_t target = 0;  ///< of a relative branch, from the first byte of the code
  uint32_t at = 0;     ///< from the first byte of the code
  uint8_t length = 0;
  Flow flow = Flow::On;
  uint8_t condition = 0;    ///< of JumpIf, as sonde_leave has it
  bool has_target = false;  ///< a relative branch: Jump, JumpIf, OddJumpIf, Call, and others
  bool locked = false;      ///< begins with a prefix that code may jump over (x86: lock)
  bool nothing = false;     ///< a nop

  uint32_t end() const { return at + length; }
};

/// All of `code`, or what lies before the first bytes that are no instruction.
std::vector<Instruction> decode(std::span<const uint8_t> code);

/// Whether bytes of `code` may be a jump to its first byte. Fast; true too often, but never false where there is one.
bool may_jump_to_start(std::span<const uint8_t> code);
/// Calls `act` with where the bytes of `code` may jump to, from its first byte: at each offset, as if an instruction began there. Short
/// jumps, which lead to no other function, are left out.
void for_each_jump(std::span<const uint8_t> code, const std::function<void(int64_t)>& act);

/// Addresses that the instructions of `code`, linked at `address`, load.
std::vector<uint64_t> addresses_loaded(std::span<const uint8_t> code, uint64_t address);

/// The operand of a JumpOperand, as a tap says it. `how` is SONDE_LEAVE_NONE where it cannot be said.
sonde_leave leave_by_operand(std::span<const uint8_t> code, const Instruction& jump);

/// A jump by a table: its index is bounded by what stands before it.
struct TableJump {
  uint64_t table = 0;     ///< address
  uint32_t entries = 0;   ///< that the index can name
  bool pointers = false;  ///< 8 bytes each; else 4, from the table's address
};

/// Recognises the forms of gcc and clang: a comparison and a branch, or a mask, or a narrow index; then a jump through a pointer, or by an
/// offset that is added to the table's address. Only what stands in one run of code that nobody jumps into is believed.
/// `code` lies at `address`; `all` are its instructions; `joins` tells whether a branch leads to an offset.
std::optional<TableJump> table_jump(std::span<const uint8_t> code, uint64_t address, std::span<const Instruction> all,
                                    size_t jump, const std::function<bool(uint32_t)>& joins);

}  // namespace sonde
