// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions as the flow of control sees them (Zydis)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kmod/shared/leave.h"

namespace sonde::pid {

struct Instruction {
  enum class Flow : uint8_t {
    On,    ///< to the next one
    Call,  ///< may not come back
    Return,
    Jump,
    JumpIf,
    JumpOperand,  ///< to what a register or memory says
    OddJumpIf,    ///< loop, jrcxz: no flag decides
    End,          ///< ud2, hlt, int3: no further
  };

  int64_t target = 0;  ///< of a relative branch, from the first byte of the code
  uint32_t at = 0;     ///< from the first byte of the code
  uint8_t length = 0;
  Flow flow = Flow::On;
  uint8_t condition = 0;    ///< of JumpIf: the low four bits of the opcode
  bool has_target = false;  ///< a relative branch: Jump, JumpIf, OddJumpIf, Call, and others
  bool locked = false;      ///< begins with a lock prefix
  bool nothing = false;     ///< a nop

  uint32_t end() const { return at + length; }
};

/// All of `code`, or what lies before the first bytes that are no instruction.
std::vector<Instruction> decode(std::span<const uint8_t> code);

/// The operand of a JumpOperand, as a tap says it. `how` is SONDE_LEAVE_NONE where it cannot be said.
sonde_leave leave_by_operand(std::span<const uint8_t> code, const Instruction& jump);

}  // namespace sonde::pid
