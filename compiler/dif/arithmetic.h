// SPDX-License-Identifier: GPL-3.0-or-later
// What D's arithmetic means in 64-bit registers; the fire part and the body agree by asking here.
//
// Every operation works on 64 bits. The static type says only whether it is signed, and cuts the result where
// that is stored, cast or handed out (D-LANGUAGE.md, section 8).
#pragma once

#include "compiler/types/type.h"

namespace sonde {

/// An integer or pointer: what a register can hold.
inline bool is_word(const Type& type) { return type.is_integer() || type.is_pointer(); }

/// Integers narrower than int become int; pointers are unsigned.
inline bool promoted_is_unsigned(const Type& type) {
  if (type.is_pointer()) return true;
  return !type.canonical->is_signed && type.size >= 4 && type.is_integer();
}

/// Whether a / b, a % b and a < b are unsigned: C's usual conversions.
inline bool operation_is_unsigned(const Type& a, const Type& b) {
  uint64_t size_a = a.size < 4 ? 4 : a.size, size_b = b.size < 4 ? 4 : b.size;
  return (promoted_is_unsigned(a) && size_a >= size_b) || (promoted_is_unsigned(b) && size_b >= size_a);
}

/// Whether values of the type have to be cut to fewer than 64 bits.
inline bool is_narrow(const Type& type) { return type.is_integer() && type.size < 8; }

inline bool extends_sign(const Type& type) { return type.is_integer() && type.canonical->is_signed; }

}  // namespace sonde
