// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions, reduced to their control flow. arch/ has the decoder of each machine.
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
    Call,  ///< may not return
    Return,
    Jump,
    JumpIf,
    JumpOperand,  ///< by a register or memory
    OddJumpIf,    ///< by a condition that is not a flag (x86: loop, jrcxz)
    End,          ///< does not continue (x86: ud2, hlt, int3)
  };

  int64_t target = 0;  ///< of a relative branch, as an offset from the first byte of the code
  uint32_t at = 0;     ///< offset from the first byte of the code
  uint8_t length = 0;
  Flow flow = Flow::On;
  uint8_t condition = 0;    ///< of JumpIf, as in sonde_leave
  bool has_target = false;  ///< a relative branch: Jump, JumpIf, OddJumpIf, Call, and others
  bool locked = false;      ///< begins with a prefix that code may jump over (x86: lock)
  bool nothing = false;     ///< it is a nop

  uint32_t end() const { return at + length; }
};

/// Decodes `code`, up to the first bytes that are not an instruction.
std::vector<Instruction> decode(std::span<const uint8_t> code);

/// Whether `code` may contain a jump to its first byte. Fast; has false positives, never false negatives.
bool may_jump_to_start(std::span<const uint8_t> code);
/// Calls `act` with each offset from the first byte to which `code` may jump, as if an instruction began at every byte.
/// Short jumps, which do not reach another function, are left out.
void for_each_jump(std::span<const uint8_t> code, const std::function<void(int64_t)>& act);

/// The addresses that the instructions of `code`, linked at `address`, load.
std::vector<uint64_t> addresses_loaded(std::span<const uint8_t> code, uint64_t address);

/// How a function gets its result from its first parameter: the first offset is added to it; for each further one a word
/// is loaded there, and the offset added. `loads`: the result is loaded from the last address, `size` bytes; else it is
/// the address.
struct FieldPath {
  std::vector<int64_t> offsets;
  bool loads = false;
  uint32_t size = 0;
};

/// None: the function is not just such a chain. A test for a null pointer on the way, by which it returns that, may be there.
std::optional<FieldPath> field_path(std::span<const uint8_t> code);

/// The operand of a JumpOperand, in a tap's encoding. `how` is SONDE_LEAVE_NONE if it cannot be encoded.
sonde_leave leave_by_operand(std::span<const uint8_t> code, const Instruction& jump);

/// A jump by a table, whose index is bounded by the instructions before it.
struct TableJump {
  uint64_t table = 0;     ///< possible values of the index
  uint32_t entries = 0;   ///< entries are pointers of 8 bytes; else offsets of 4 bytes from the table's address
  bool pointers = false;  ///< 8 bytes each; else 4, from the table's address
};

/// Recognises the forms of gcc and clang: a comparison and a branch, or a mask, or a narrow index; then a jump through
/// a pointer, or by an offset that is added to the table's address. Only instructions in one run of code without jumps
/// into it count. `code` is at `address`; `all` are its instructions; `joins` returns whether a branch leads to an
/// offset.
std::optional<TableJump> table_jump(std::span<const uint8_t> code, uint64_t address, std::span<const Instruction> all,
                                    size_t jump, const std::function<bool(uint32_t)>& joins);

}  // namespace sonde
