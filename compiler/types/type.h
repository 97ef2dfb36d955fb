// SPDX-License-Identifier: GPL-3.0-or-later
// D's types. Types are interned in a TypeTable: equal types are the same pointer (structs by declaration).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

struct Type;

struct Member {
  std::string name;
  const Type* type = nullptr;
  uint64_t offset = 0;  ///< bytes
  uint32_t bit_offset = 0;
  uint32_t bit_width = 0;  ///< 0: not a bit-field
};

struct Enumerator {
  std::string name;
  int64_t value = 0;
};

struct Type {
  enum class Kind : uint8_t {
    Void,
    Integer,
    Float,
    Pointer,
    Array,
    Struct,
    Union,
    Enum,
    Function,
    String,       ///< D's string, by value
    Dynamic,      ///< translated object: curpsinfo, xlate<>: only members of it have values
    Stack,        ///< stack(), ustack()
    Symbol,       ///< _symaddr, _usymaddr
    Aggregation,  ///< @
    Any,          ///< "@@" and "..." in prototypes
  };
  Kind kind = Kind::Void;
  std::string name;   ///< in D, as messages show it: "unsigned int", "struct foo *", "pid_t"
  uint64_t size = 0;  ///< bytes; of String: strsize
  bool is_signed = false;
  bool own = false;                 ///< a record that the script has declared: it is not looked up elsewhere
  bool complete = true;             ///< false: struct, union, enum only declared forward
  const Type* target = nullptr;     ///< pointee, element, result; of Dynamic: the translated type
  const Type* canonical = nullptr;  ///< without typedefs; itself when it is none
  uint64_t count = 0;               ///< of Array
  std::vector<Member> members;
  std::vector<Enumerator> enumerators;
  std::vector<const Type*> parameters;  ///< of Function

  bool is_integer() const { return canonical->kind == Kind::Integer || canonical->kind == Kind::Enum; }
  bool is_pointer() const { return canonical->kind == Kind::Pointer; }
  bool is_string() const { return canonical->kind == Kind::String; }
  bool is_record() const { return canonical->kind == Kind::Struct || canonical->kind == Kind::Union; }
  /// Integers, enums, pointers: types that a condition may have.
  bool is_scalar() const { return is_integer() || is_pointer(); }
};

/// The size of long and of pointers in memory: 8 bytes, or 4 (-32). A pointer in a variable has all 64 bits in either.
enum class DataModel : uint8_t { LP64, ILP32 };

/// Owns all types of a compiler. Starts with C's integers, string, and the typedefs that D always has.
class TypeTable {
 public:
  explicit TypeTable(uint64_t strsize, DataModel model = DataModel::LP64);
  uint64_t word_bytes() const { return word_bytes_; }  ///< of long, and of a pointer
  /// By a name as in D: "int", "unsigned long", "pid_t", "struct foo", "psinfo_t"; null if unknown.
  const Type* find(std::string_view name) const;
  /// Whether the name is D's own, a typedef that D always has, or string and the like; not one of C's words. A program may
  /// have another type of that name.
  bool is_name_of_d(std::string_view name) const;
  const Type* void_type() const;
  const Type* int_type() const;                              ///< int
  const Type* integer(uint32_t size, bool is_signed) const;  ///< char, short, int, long and their unsigned forms
  const Type* string_type() const;
  const Type* stack_type() const;
  const Type* aggregation_type() const;
  const Type* pointer_to(const Type* target, uint64_t bytes = 0);  ///< 0: as the model has it
  const Type* array_of(const Type* element, uint64_t count);
  const Type* dynamic_of(const Type* translated);
  const Type* add_typedef(const std::string& name, const Type* target);
  /// A new struct, union or enum, to be filled in; known as "struct name".
  Type* add_record(Type::Kind kind, const std::string& tag);
  /// A typedef that has no name in D: find() does not return it.
  const Type* alias(const std::string& name, const Type* target);
  /// A struct, union or enum without a name in D. It is incomplete.
  Type* foreign_record(Type::Kind kind, const std::string& tag);
  const Type* float_type(uint32_t size) const;  ///< float, double, long double
  const Type* function_of(const Type* result, std::vector<const Type*> parameters);
  /// Like find(), but accepts pointers too ("char *", "const struct foo **"). Unknown structs become incomplete ones,
  /// other unknown names `fallback` (pointers to them: void pointers). For prototypes, and for providers' descriptions
  /// of arguments.
  const Type* of_text(std::string_view text, const Type* fallback);
  /// Whether of_text() makes a type of the text without its fallback: the name is known, or that of a struct, union or
  /// enum.
  bool knows(std::string_view text) const;
  /// -x strsize, or the pragma: size of string from now on.
  void set_strsize(uint64_t strsize);
  /// Call it when members, size or enumerators of a record have been filled in: updates its typedefs.
  void completed(Type* record);
  /// Removes a typedef or tag (of a text that failed).
  void forget(const std::string& name) { names_.erase(name); }
  const std::map<std::string, const Type*, std::less<>>& names() const { return names_; }

 private:
  std::deque<std::unique_ptr<Type>> types_;
  std::map<std::string, const Type*, std::less<>> names_;
  std::map<std::pair<const Type*, uint64_t>, const Type*> derived_;
  uint64_t strsize_, word_bytes_;
  const Type* add(Type type);
};

}  // namespace sonde
