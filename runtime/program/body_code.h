// SPDX-License-Identifier: GPL-3.0-or-later
// Body code: what a clause's body does, as instructions on 64-bit words
//
// compiler/codegen makes it. runtime/body/interpreter.h runs it, compiler/llvm makes native code of it; what a
// construct of D means is decided before, so the two cannot differ about it. A register is assigned by one instruction,
// but for those that Copy assigns, where two ways meet.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace sonde {

enum class BodyOp : uint8_t {
  // result = a op b
  Add,
  Sub,
  Mul,
  DivUnsigned,  ///< b is not 0
  ModUnsigned,
  DivSigned,  ///< b is neither 0 nor -1
  ModSigned,
  And,
  Or,
  Xor,
  ShiftLeft,  ///< b is at most 63
  ShiftRight,
  ShiftRightSigned,
  Equal,  ///< comparisons: 1 or 0
  NotEqual,
  Below,  ///< unsigned
  BelowEqual,
  Less,  ///< signed
  LessEqual,
  // others
  Extend,        ///< result = the low `size` bytes of a, extended by zeros or the sign
  Select,        ///< result = a != 0 ? b : c
  Copy,          ///< result = a
  Load,          ///< result = `size` bytes (1 to 8) at a + immediate, extended; no alignment
  Store,         ///< b, `size` bytes, to a + immediate
  LoadFloat,     ///< result = the bits of a double: a float of `size` bytes at a
  StoreFloat,    ///< the double whose bits b has, to a float of `size` bytes at a
  Frame,         ///< result = the address of the body's own word number `immediate`
  Call,          ///< result = the function at `immediate` of `size` words
  CallHalf,      ///< the same; only 32 bits of its result are defined
  Jump,          ///< to instruction a
  Branch,        ///< a != 0: to instruction b, else to c
  LeaveOnFault,  ///< if the context has a fault: to instruction a
  Return,        ///< immediate
};

struct BodyInstruction {
  BodyOp op{};
  uint8_t size = 0;
  bool is_signed = false;
  uint32_t result = 0;
  std::array<uint32_t, 6> operands{};  ///< registers; of jumps instructions, by number
  uint64_t immediate = 0;
};

/// A register that no instruction assigns.
struct BodyConstant {
  uint32_t result = 0;
  uint64_t value = 0;
};

struct BodyCode {
  std::vector<BodyConstant> constants;
  uint32_t context = 0;  ///< the register that has the BodyContext's address
  uint32_t registers = 0;
  uint32_t words = 0;  ///< memory of its own
  std::vector<BodyInstruction> instructions;
};

}  // namespace sonde
