// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace sonde {

/// How a 64-bit word that a body hands to the runtime is to be read.
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

/// A stack, as trace()d or used as a key. `count` program counters follow.
struct StackValue {
  uint32_t pid;  ///< 0: of the kernel
  uint32_t count;
  uint64_t pc[];
};

/// sym(), usym(), umod() ...: resolved when it is printed. UAddr is also what a frame of a stack is, the kernel's
/// included; UReturn, a frame that stands behind its call: named by the call, which may be the last instruction of its
/// function, as calls that do not return are.
struct SymbolValue {
  enum Kind : uint32_t { Sym, Func, Mod, USym, UFunc, UMod, UAddr, UReturn };
  Kind kind;
  uint32_t pid;
  uint64_t address;
};

}  // namespace sonde
