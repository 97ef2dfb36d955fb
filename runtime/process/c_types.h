// SPDX-License-Identifier: GPL-3.0-or-later
// C types described by others: the kernel's (BTF) and those of programs (DWARF)
//
// A source of types finds them by name and describes one at a time. A type refers to others by number, and these are
// read on demand. So a struct that reaches half of the kernel costs only its own members.
//
// Both formats are foreign input: whatever they contain, a reader returns less, and never crashes or loops.
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
  std::string name;  ///< empty: an anonymous struct or union, whose members belong to the outer one
  CTypeId type = kCVoid;
  uint64_t bit_offset = 0;  ///< from the start of the struct
  uint32_t bit_width = 0;   ///< 0: not a bit-field
  uint64_t alignment = 0;   ///< if the program asks for one; 0: that of the type
};

struct CEnumerator {
  std::string name;
  int64_t value = 0;
};

struct CType {
  enum class Kind : uint8_t { Void, Integer, Float, Pointer, Array, Struct, Union, Enum, Typedef, Function };
  Kind kind = Kind::Void;
  std::string name;  ///< tag or name; empty: anonymous
  uint64_t size = 0;
  bool is_signed = false;
  bool complete = true;  ///< false: only declared
  CTypeId target = kCVoid;
  uint64_t count = 0;      ///< number of elements of an Array
  bool flexible = false;   ///< an Array without a size
  bool vector = false;     ///< an Array that is computed with as a whole
  bool complex = false;    ///< a Float or an Integer that is a pair
  uint64_t alignment = 0;  ///< if the program asks for one; 0: the usual one
  enum class Passed : uint8_t { Unsaid, ByValue, ByReference };
  Passed passed = Passed::Unsaid;  ///< how C++ passes a class
  std::vector<CMember> members;
  std::vector<CEnumerator> enumerators;
};

/// The name of C++'s pointers to member functions: Integers of 16 bytes.
inline constexpr std::string_view kMemberPointer = "member pointer";

/// The kinds of names in C.
enum class CName : uint8_t { Struct, Union, Enum, Typedef };

/// A part of a parameter's location at the first instruction of its function.
struct CPiece {
  enum class Kind : uint8_t {
    Nowhere,    ///< it has no value
    Elsewhere,  ///< not anywhere that can be read as it is
    Register,   ///< `number`
    Frame,      ///< in memory, `value` bytes from the CFA
    OwnFrame,   ///< in memory, `value` bytes from what the register `number` holds behind the prologue
    Memory,     ///< the same at the first instruction
    Constant,   ///< `value`
  };
  Kind kind = Kind::Elsewhere;
  uint32_t number = 0;  ///< DWARF's
  int64_t value = 0;
  uint64_t size = 0;  ///< 0: all that is left of the value
};

struct CEntryPlace {
  bool listed = false;         ///< it is said of the first instruction, not of the function as a whole
  std::vector<CPiece> pieces;  ///< none: it is not said
  bool later = false;          ///< it is said where the parameter is behind the first instruction: it is used
  std::vector<CPiece> first;   ///< if nothing is said of the first instruction: where it is said to be first, ...
  uint64_t first_at = 0;       ///< ... so many bytes behind that
};

struct CParameter {
  std::string name;
  CTypeId type = kCVoid;
  CEntryPlace place = {};
  int order = -1;  ///< among those that the function's own entry lists; -1: it does not list this one
};

enum class CLanguage : uint8_t { C, CPlusPlus, Go, Rust, Assembler, Other };

struct CFunction {
  CTypeId result = kCVoid;
  std::vector<CParameter> parameters;
  std::vector<CParameter> results = {};  ///< Go's; it has no `result`
  CLanguage language = CLanguage::C;
  std::string producer = {};     ///< the compiler and its version
  bool external = true;          ///< other units can call it
  bool optimized = false;        ///< as far as the debug information shows
  bool usual_convention = true;  ///< that of the language
};

class CTypes {
 public:
  virtual ~CTypes() = default;
  /// A definition if there is one, else a declaration.
  virtual std::optional<CTypeId> find(CName what, std::string_view name) = 0;
  /// Without qualifiers. An invalid id: Void.
  virtual CType type(CTypeId id) = 0;
  virtual std::optional<CFunction> function(std::string_view name) = 0;
  /// The function that begins at this address, as linked.
  virtual std::optional<CFunction> function_at(uint64_t address) = 0;
  /// Names of typedefs with that beginning, sorted.
  virtual std::vector<std::string> typedefs(std::string_view /*prefix*/) { return {}; }
  /// Parameters and result of a type of functions.
  virtual std::optional<CFunction> prototype(CTypeId /*type*/) { return std::nullopt; }
  /// The addresses behind calls of the function that begins at this address, or of another copy of it, in its unit.
  virtual std::vector<uint64_t> behind_calls(uint64_t /*address*/) { return {}; }
  /// Whether what is said of the first instruction of the function that begins at this address is about the arguments.
  /// False: it may be about what the function assigns first, which needs no instruction.
  virtual bool tells_assignments_apart(uint64_t /*address*/) { return false; }
  /// C syntax: "struct foo *", "const char *" (without the const). `depth` limits chains of pointers.
  std::string spelling(CTypeId id, int depth = 0);
};

/// The types of the running kernel: /sys/kernel/btf/vmlinux.
Result<std::unique_ptr<CTypes>> read_btf(const std::string& path);
/// The same from bytes in memory.
Result<std::unique_ptr<CTypes>> parse_btf(std::vector<uint8_t> bytes);
/// The debug information of a program or library: its own, or the separate file that its build id or debug link names.
Result<std::unique_ptr<CTypes>> read_dwarf(const std::string& path);

}  // namespace sonde
