// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace sonde {

/// How to interpret a 64-bit word that a body passes to the runtime.
struct ValueType {
  enum class Kind : uint8_t {
    Integer,  ///< the number itself, already truncated and extended to `size`
    Pointer,  ///< an address; prints as an unsigned 8-byte integer
    String,   ///< const char *, NUL-terminated, at most strsize bytes; null is NULL
    Bytes,    ///< pointer to `size` bytes (struct, array)
    Stack,    ///< pointer to StackValue
    Symbol,   ///< pointer to SymbolValue
    Float,    ///< a double's bits; only zero occurs
  };
  Kind kind = Kind::Integer;
  bool is_signed = true;
  uint32_t size = 8;      ///< bytes
  std::string type_name;  ///< in D, for messages and print(): "int", "struct foo"

  bool operator==(const ValueType&) const = default;
};

/// A stack, as a traced value or as a key. `count` program counters follow.
struct StackValue {
  uint32_t space;  ///< what the addresses mean: a number of SymbolNames::space(); 0: of the kernel
  uint32_t count;
  uint64_t pc[];
};

/// sym(), usym(), umod() ...: resolved when it is printed. A frame of a stack, user or kernel, is a UAddr; a frame
/// whose address is behind its call is a UReturn. That one is named by the call instruction, because the address behind
/// it may be outside of the function: a call that does not return may be the function's last instruction.
struct SymbolValue {
  enum Kind : uint32_t { Sym, Func, Mod, USym, UFunc, UMod, UAddr, UReturn };
  Kind kind;
  uint32_t space;  ///< as in StackValue
  uint64_t address;
};

}  // namespace sonde
