// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of D's arithmetic in 64-bit registers, shared by the fire part and the body.
//
// Every operation works on 64 bits. The static type only decides whether it is signed, and cuts the result when it is
// stored, cast or passed on.
#pragma once

#include "compiler/types/type.h"

namespace sonde {

enum class Op : uint8_t {
  None,
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  And,
  Or,
  Xor,
  Shl,
  Shr,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  LogAnd,
  LogOr,
  LogXor,
  Neg,
  Not,
  LogNot,
  Plus,
};

/// Whether it is an integer or pointer, which fits in a register.
inline bool is_word(const Type& type) { return type.is_integer() || type.is_pointer(); }

/// Pointers are unsigned.
inline bool is_unsigned_type(const Type& type) {
  return type.is_pointer() || (type.is_integer() && !type.canonical->is_signed);
}

/// Whether a / b, a % b and a < b are unsigned: as the larger operand; for equal sizes, if one of them is.
inline bool operation_is_unsigned(const Type& a, const Type& b) {
  return (is_unsigned_type(a) && a.size >= b.size) || (is_unsigned_type(b) && b.size >= a.size);
}

/// Whether values of the type have to be cut to fewer than 64 bits.
inline bool is_narrow(const Type& type) { return type.is_integer() && type.size < 8; }

inline bool extends_sign(const Type& type) { return type.is_integer() && type.canonical->is_signed; }

}  // namespace sonde
