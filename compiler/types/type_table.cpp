// SPDX-License-Identifier: GPL-3.0-or-later
// Types by name and by derivation
//
//   names_     "unsigned int", "struct foo", "pid_t"  --> Type
//   derived_   (element, count)                       --> array of so many elements
//              (target, UINT64_MAX - bytes)           --> pointer of so many bytes
//              (translated type, UINT64_MAX)          --> Dynamic
//
// A typedef is a copy of its target under another name; `canonical` points to the type without typedefs. A type that is
// derived from a typedef has as its `canonical` the type that is derived in the same way from the canonical type. So
// two object types are the same if their `canonical` pointers are equal; never compare names. Function types are not
// interned.
//
// A copy does not follow its original. Code that gives a record its members must call completed(), which updates its
// typedefs. forget() removes a name, but no Type: derived_ and the trees may still refer to it.
#include <algorithm>
#include <array>
#include <cctype>

#include "compiler/types/type.h"
#include "runtime/base/check.h"
#include "runtime/base/find.h"

namespace sonde {
namespace {

constexpr uint32_t kWord = 0;  ///< a size that the data model says

struct IntegerRow {
  std::string_view name;
  uint32_t size;
  bool is_signed;
};

constexpr std::array kIntegers = std::to_array<IntegerRow>({
    {"char", 1, true},
    {"unsigned char", 1, false},
    {"short", 2, true},
    {"unsigned short", 2, false},
    {"int", 4, true},
    {"unsigned int", 4, false},
    {"long", kWord, true},
    {"unsigned long", kWord, false},
    {"long long", 8, true},
    {"unsigned long long", 8, false},
    {"_Bool", 1, false},
    {"signed char", 1, true},
});

/// Names for the first 64-bit integers: long, or long long if long has 32 bits.
constexpr std::string_view kSigned64 = "signed 64", kUnsigned64 = "unsigned 64";

struct TypedefRow {
  std::string_view name, target;
};

constexpr std::array kTypedefs = std::to_array<TypedefRow>({
    {"int8_t", "char"},
    {"int16_t", "short"},
    {"int32_t", "int"},
    {"int64_t", kSigned64},
    {"uint8_t", "unsigned char"},
    {"uint16_t", "unsigned short"},
    {"uint32_t", "unsigned int"},
    {"uint64_t", kUnsigned64},
    {"intptr_t", "long"},
    {"uintptr_t", "unsigned long"},
    {"size_t", "unsigned long"},
    {"ssize_t", "long"},
    {"ptrdiff_t", "long"},
    {"uchar_t", "unsigned char"},
    {"ushort_t", "unsigned short"},
    {"uint_t", "unsigned int"},
    {"ulong_t", "unsigned long"},
    {"longlong_t", "long long"},
    {"u_longlong_t", "unsigned long long"},
    {"id_t", "int"},
    {"pid_t", "int"},
    {"uid_t", "unsigned int"},
    {"gid_t", "unsigned int"},
    {"__u8", "unsigned char"},
    {"__u16", "unsigned short"},
    {"__u32", "unsigned int"},
    {"__u64", kUnsigned64},
    {"__s8", "char"},
    {"__s16", "short"},
    {"__s32", "int"},
    {"__s64", kSigned64},
    {"uint", "unsigned int"},
    {"ulong", "unsigned long"},
    {"ushort", "unsigned short"},
    {"u_int", "unsigned int"},
    {"u_long", "unsigned long"},
    {"u_char", "unsigned char"},
    {"bool", "_Bool"},
    {"dev_t", "unsigned int"},
    {"ino_t", "unsigned long"},
    {"ino64_t", kUnsigned64},
    {"off_t", "long"},
    {"offset_t", "long long"},
    {"loff_t", "long long"},
    {"mode_t", "unsigned int"},
    {"umode_t", "unsigned short"},
    {"time_t", "long"},
    {"clock_t", "long"},
    {"clockid_t", "int"},
    {"timer_t", "int"},
    {"key_t", "int"},
    {"taskid_t", "int"},
    {"projid_t", "int"},
    {"poolid_t", "int"},
    {"zoneid_t", "int"},
    {"ctid_t", "int"},
    {"processorid_t", "int"},
    {"psetid_t", "int"},
    {"chipid_t", "int"},
    {"lgrp_id_t", "int"},
    {"lwpid_t", "int"},
    {"caddr_t", "char *"},
    {"hrtime_t", "long long"},
    {"socklen_t", "unsigned int"},
    {"sa_family_t", "unsigned short"},
    {"in_port_t", "unsigned short"},
    {"ipaddr_t", "unsigned int"},
    {"in_addr_t", "unsigned int"},
    {"nlink_t", "unsigned long"},
    {"blkcnt_t", "long"},
    {"fd_t", "int"},
    {"rwf_t", "int"},
    {"qid_t", "int"},
    {"mqd_t", "int"},
    {"aio_context_t", "unsigned long"},
});

struct Words {
  std::string base;
  uint32_t stars = 0;
  bool function = false;
  uint64_t array = 0;
  bool is_array = false;
};

bool ignored(std::string_view word) {
  return word == "const" || word == "volatile" || word == "restrict" || word == "__user" || word == "__restrict" ||
         word == "__kernel";
}

/// Splits "const unsigned long *" into its base with single blanks, and stars.
Words split(std::string_view text) {
  Words out;
  size_t at = 0;
  while (at < text.size()) {
    char c = text[at];
    if (c == '*') {
      ++out.stars;
      ++at;
    } else if (c == '(') {
      out.function = true;
      return out;
    } else if (c == '[') {
      out.is_array = true;
      for (++at; at < text.size() && text[at] != ']'; ++at)
        if (std::isdigit(static_cast<unsigned char>(text[at])))
          out.array = out.array * 10 + static_cast<uint64_t>(text[at] - '0');
      ++at;
    } else if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '`' || c == '@' || c == '.') {
      size_t begin = at;
      while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) ||
                                  std::string_view("_`@.").find(text[at]) != std::string_view::npos))
        ++at;
      std::string_view word = text.substr(begin, at - begin);
      if (!ignored(word)) out.base += (out.base.empty() ? "" : " ") + std::string(word);
    } else {
      ++at;
    }
  }
  return out;
}

/// "long unsigned int" as "unsigned long". Empty if the words are not a C integer.
std::string integer_name(const std::string& base) {
  if (base.empty()) return {};
  uint32_t longs = 0, shorts = 0, chars = 0, ints = 0, unsigneds = 0, signeds = 0;
  for (size_t at = 0; at < base.size();) {
    size_t end = std::min(base.find(' ', at), base.size());
    std::string_view word = std::string_view(base).substr(at, end - at);
    uint32_t* count = word == "long"       ? &longs
                      : word == "short"    ? &shorts
                      : word == "char"     ? &chars
                      : word == "int"      ? &ints
                      : word == "unsigned" ? &unsigneds
                      : word == "signed"   ? &signeds
                                           : nullptr;
    if (!count) return {};
    ++*count;
    at = end + 1;
  }
  std::string name = chars ? "char" : shorts ? "short" : longs > 1 ? "long long" : longs ? "long" : "int";
  return unsigneds ? "unsigned " + name : name;
}

}  // namespace

TypeTable::TypeTable(uint64_t strsize, DataModel model)
    : strsize_(strsize), word_bytes_(model == DataModel::LP64 ? 8 : 4) {
  auto simple = [&](Type::Kind kind, std::string_view name, uint64_t size, bool is_signed = false) {
    Type type;
    type.kind = kind;
    type.name = name;
    type.size = size;
    type.is_signed = is_signed;
    names_[std::string(name)] = add(std::move(type));
  };
  simple(Type::Kind::Void, "void", 0);
  for (const IntegerRow& row : kIntegers)
    simple(Type::Kind::Integer, row.name, row.size == kWord ? word_bytes_ : row.size, row.is_signed);
  simple(Type::Kind::Float, "float", 4, true);
  simple(Type::Kind::Float, "double", 8, true);
  simple(Type::Kind::Float, "long double", 16, true);
  simple(Type::Kind::String, "string", strsize);
  simple(Type::Kind::Stack, "stack", 8);
  simple(Type::Kind::Symbol, "_symaddr", 8);
  names_["_usymaddr"] = names_["_symaddr"];
  simple(Type::Kind::Aggregation, "@", 0);
  simple(Type::Kind::Any, "@@", 0);
  for (const TypedefRow& row : kTypedefs) {
    const bool sized = row.target == kSigned64 || row.target == kUnsigned64;
    add_typedef(std::string(row.name), sized ? integer(8, row.target == kSigned64) : of_text(row.target, nullptr));
  }
}

const Type* TypeTable::add(Type type) {
  types_.push_back(std::make_unique<Type>(std::move(type)));
  Type* added = types_.back().get();
  if (!added->canonical) added->canonical = added;
  return added;
}

const Type* TypeTable::find(std::string_view name) const {
  if (const auto* known = find_in(names_, name)) return *known;
  if (name.starts_with("D`") || name.starts_with("`")) return find(name.substr(name.find('`') + 1));
  const std::string integer = integer_name(split(name).base);
  const auto* known = integer.empty() ? nullptr : find_in(names_, integer);
  return known ? *known : nullptr;
}

bool TypeTable::is_name_of_d(std::string_view name) const {
  if (std::ranges::find(kTypedefs, name, &TypedefRow::name) != kTypedefs.end()) return true;
  const auto* known = find_in(names_, name);
  if (!known) return false;
  const Type::Kind kind = (*known)->kind;
  return kind == Type::Kind::String || kind == Type::Kind::Stack || kind == Type::Kind::Symbol;
}

const Type* TypeTable::of_text(std::string_view text, const Type* fallback) {
  Words words = split(text);
  if (words.function) return pointer_to(void_type());
  const Type* base = words.base.empty() ? nullptr : find(words.base);
  if (!base) {
    bool is_struct = words.base.starts_with("struct "), is_union = words.base.starts_with("union ");
    if (is_struct || is_union) {
      Type* record =
          add_record(is_union ? Type::Kind::Union : Type::Kind::Struct, words.base.substr(words.base.find(' ') + 1));
      record->complete = false;
      base = record;
    } else if (words.base.starts_with("enum ")) {
      base = int_type();
    } else {
      base = words.stars > 0 || words.is_array ? void_type() : fallback;
    }
  }
  if (!base) return nullptr;
  for (uint32_t i = 0; i < words.stars; ++i) base = pointer_to(base);
  if (words.is_array) return words.array && base->size ? array_of(base, words.array) : pointer_to(base);
  return base;
}

bool TypeTable::knows(std::string_view text) const {
  constexpr std::string_view kOfTypes = "_ \t*()[],`@.";
  const auto is_of_types = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || kOfTypes.find(c) != kOfTypes.npos;
  };
  if (!std::ranges::all_of(text, is_of_types)) return false;
  const Words words = split(text);
  if (words.function || find(words.base) != nullptr) return true;
  const size_t blank = words.base.find(' ');
  const std::string_view keyword = std::string_view(words.base).substr(0, blank);
  const bool tagged = keyword == "struct" || keyword == "union" || keyword == "enum";
  return tagged && blank != std::string::npos && words.base.find(' ', blank + 1) == std::string::npos;
}

const Type* TypeTable::void_type() const { return find("void"); }
const Type* TypeTable::int_type() const { return find("int"); }
const Type* TypeTable::string_type() const { return find("string"); }
const Type* TypeTable::stack_type() const { return find("stack"); }
const Type* TypeTable::aggregation_type() const { return find("@"); }

const Type* TypeTable::float_type(uint32_t size) const {
  return find(size == 4 ? "float" : size == 8 ? "double" : "long double");
}

const Type* TypeTable::integer(uint32_t size, bool is_signed) const {
  for (const IntegerRow& row : kIntegers)
    if ((row.size == kWord ? word_bytes_ : row.size) == size && row.is_signed == is_signed) return find(row.name);
  SONDE_CHECK(!"size of an integer");
  return nullptr;
}

const Type* TypeTable::pointer_to(const Type* target, uint64_t bytes) {
  if (bytes == 0) bytes = word_bytes_;
  const std::pair key{target, UINT64_MAX - bytes};
  if (const Type* known = derived_[key]) return known;
  Type type;
  type.kind = Type::Kind::Pointer;
  type.name = target->kind == Type::Kind::Function ? target->name.substr(0, target->name.find('(')) + "(*)()"
                                                   : target->name + (target->name.ends_with('*') ? "*" : " *");
  type.size = bytes;
  type.target = target;
  if (target->canonical != target) type.canonical = pointer_to(target->canonical, bytes);
  return derived_[key] = add(std::move(type));
}

const Type* TypeTable::array_of(const Type* element, uint64_t count) {
  if (const auto* known = find_in(derived_, std::pair(element, count))) return *known;
  Type type;
  type.kind = Type::Kind::Array;
  size_t bracket = element->name.find(" [");
  std::string dimension = "[" + std::to_string(count) + "]";
  type.name = bracket == std::string::npos
                  ? element->name + " " + dimension
                  : element->name.substr(0, bracket + 1) + dimension + element->name.substr(bracket + 1);
  type.size = element->size * count;
  type.target = element;
  type.count = count;
  if (element->canonical != element) type.canonical = array_of(element->canonical, count);
  return derived_[{element, count}] = add(std::move(type));
}

const Type* TypeTable::dynamic_of(const Type* translated) {
  const Type*& slot = derived_[{translated, UINT64_MAX}];
  if (slot) return slot;
  Type type;
  type.kind = Type::Kind::Dynamic;
  type.name = "<DYN>";
  type.target = translated;
  return slot = add(std::move(type));
}

const Type* TypeTable::function_of(const Type* result, std::vector<const Type*> parameters) {
  Type type;
  type.kind = Type::Kind::Function;
  type.name = result->name + " (";
  for (const Type* parameter : parameters) type.name += (parameter == parameters.front() ? "" : ", ") + parameter->name;
  type.name += ")";
  type.target = result;
  type.parameters = std::move(parameters);
  return add(std::move(type));
}

const Type* TypeTable::alias(const std::string& name, const Type* target) {
  Type type = *target;
  type.name = name;
  type.canonical = target->canonical;
  return add(std::move(type));
}

const Type* TypeTable::add_typedef(const std::string& name, const Type* target) {
  return names_[name] = alias(name, target);
}

Type* TypeTable::foreign_record(Type::Kind kind, const std::string& tag) {
  Type type;
  type.kind = kind;
  std::string word = kind == Type::Kind::Struct ? "struct" : kind == Type::Kind::Union ? "union" : "enum";
  type.name = word + " " + (tag.empty() ? "(anon)" : tag);
  if (kind == Type::Kind::Enum) {
    type.size = 4;
    type.is_signed = true;
  }
  type.complete = false;
  add(std::move(type));
  return types_.back().get();
}

Type* TypeTable::add_record(Type::Kind kind, const std::string& tag) {
  Type* added = foreign_record(kind, tag);
  added->complete = true;
  if (!tag.empty()) names_[added->name] = added;
  return added;
}

void TypeTable::completed(Type* record) {
  record->complete = true;
  for (const std::unique_ptr<Type>& type : types_) {
    if (type->canonical != record || type.get() == record) continue;
    type->size = record->size;
    type->complete = true;
    type->members = record->members;
    type->enumerators = record->enumerators;
  }
}

void TypeTable::set_strsize(uint64_t strsize) {
  strsize_ = strsize;
  for (const std::unique_ptr<Type>& type : types_)
    if (type->kind == Type::Kind::String) type->size = strsize;
}

}  // namespace sonde
