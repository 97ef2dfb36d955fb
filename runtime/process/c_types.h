// SPDX-License-Identifier: GPL-3.0-or-later
// C types that somebody else has compiled: of the kernel (BTF) and of programs (DWARF)
//
// A source of types finds them by name and describes one at a time; what a type refers to is a number that is asked for when it
// is needed. So a struct that reaches half the kernel costs only its own members.
//
// Both formats are foreign input: whatever they hold, a reader answers with less, never with a crash or an endless chain.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace sonde {

using CTypeId = uint32_t;
inline constexpr CTypeId kCVoid = 0;

struct CMember {
  std::string name;  ///< empty: a struct or union without a name, whose members belong to the outer one
  CTypeId type = kCVoid;
  uint64_t bit_offset = 0;  ///< from the start of the struct
  uint32_t bit_width = 0;   ///< 0: not a bit-field
};

struct CEnumerator {
  std::string name;
  int64_t value = 0;
};

struct CType {
  enum class Kind : uint8_t { Void, Integer, Float, Pointer, Array, Struct, Union, Enum, Typedef, Function };
  Kind kind = Kind::Void;
  std::string name;  ///< tag or name; empty: it has none
  uint64_t size = 0;
  bool is_signed = false;
  bool complete = true;  ///< false: only declared
  CTypeId target = kCVoid;
  uint64_t count = 0;  ///< of an Array
  std::vector<CMember> members;
  std::vector<CEnumerator> enumerators;
};

/// What a name in C can stand for.
enum class CName : uint8_t { Struct, Union, Enum, Typedef };

struct CParameter {
  std::string name;
  CTypeId type = kCVoid;
};

struct CFunction {
  CTypeId result = kCVoid;
  std::vector<CParameter> parameters;
};

class CTypes {
 public:
  virtual ~CTypes() = default;
  /// A definition where there is one, else a declaration.
  virtual std::optional<CTypeId> find(CName what, std::string_view name) = 0;
  /// Qualifiers are left out. An id that is none: Void.
  virtual CType type(CTypeId id) = 0;
  virtual std::optional<CFunction> function(std::string_view name) = 0;
  /// In C: "struct foo *", "const char *" (without the const). `depth` bounds chains of pointers.
  std::string spelling(CTypeId id, int depth = 0);
};

/// The kernel that runs, or a module of it: /sys/kernel/btf/NAME. `base`: vmlinux, for a module.
Result<std::unique_ptr<CTypes>> read_btf(const std::string& path);
/// The same, of bytes in memory.
Result<std::unique_ptr<CTypes>> parse_btf(std::vector<uint8_t> bytes);
/// A program's or library's debug information: its own, or the separate file that its build id or debug link names.
Result<std::unique_ptr<CTypes>> read_dwarf(const std::string& path);

}  // namespace sonde
