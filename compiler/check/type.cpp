// SPDX-License-Identifier: GPL-3.0-or-later
// Types as written, and structs, unions, enums
//
//   unsigned long | struct foo { ... } | foo_t    specified_type(): the specifiers
//   *(*name[3])(int)                              derived_type(): the steps of the declarator, from the base to the name
//
// A name is looked up in the script, then in the D library, then in a traced program or the kernel (ForeignTypes). A
// record of which only the name is used stays incomplete. It gets its members from the script's definition or, when the
// script uses a member, from ForeignTypes; but not if the script has declared it by `struct foo;` (Type::own).
#include "compiler/check/type.h"

#include <algorithm>
#include <bit>
#include <set>

#include "compiler/check/declaration.h"
#include "compiler/check/expression.h"
#include "compiler/check/library_texts.h"
#include "compiler/check/node.h"
#include "compiler/parse/parser.h"
#include "compiler/source/other_words.h"

namespace sonde {
namespace {

void record_member(CheckContext& cx, const FieldSyntax& field, Type& record);

const Type* specified_integer(CheckContext& cx, const Specifiers& s) {
  using Base = Specifiers::Base;
  if (s.base == Base::Char) {
    if (s.longs || s.shorts)
      cx.fail("D_DECL_CHARATTR", s.where, "invalid type declaration: short and long may not be used with char type");
    return cx.world.types.integer(1, !s.is_unsigned);
  }
  if ((s.longs && s.shorts) || s.longs > 2 || s.shorts > 1)
    cx.fail("D_DECL_COMBO", s.where, "invalid type combination");
  if (s.longs == 2) return cx.world.types.find(s.is_unsigned ? "unsigned long long" : "long long");
  if (s.longs == 1) return cx.world.types.find(s.is_unsigned ? "unsigned long" : "long");
  return cx.world.types.integer(s.shorts ? 2 : 4, !s.is_unsigned);
}

/// Removes the scope from D`foo and `foo.
std::string own_tag(const std::string& tag) {
  return tag.starts_with("D`") || tag.starts_with('`') ? tag.substr(tag.find('`') + 1) : tag;
}

/// A tag of another object: mod`foo. Null: it is not such a tag.
const Type* scoped_type(CheckContext& cx, const std::string& name, SourceRange where, bool defined) {
  if (name.find('`') == std::string::npos) return nullptr;
  if (defined)
    cx.fail("D_DECL_SCOPE", where, "D scoping operator may not be used in a declaration name (" + name + ")");
  const Type* type = cx.world.foreign.find(name);
  if (!type)
    cx.fail("D_UNKNOWN", where, "failed to resolve type " + name + ": Unknown type name",
            cx.world.foreign.advice(name));
  return type;
}

const Type* record_type(CheckContext& cx, const RecordSyntax& syntax) {
  Type::Kind kind = syntax.is_union ? Type::Kind::Union : Type::Kind::Struct;
  std::string tag = own_tag(syntax.tag);
  std::string name = std::string(syntax.is_union ? "union " : "struct ") + tag;
  if (const Type* scoped = scoped_type(cx, name, syntax.where, syntax.defined)) return scoped;
  const Type* known = syntax.tag.empty() ? nullptr : cx.world.types.find(name);
  if (!known && !syntax.tag.empty()) {
    load_library_for(cx.world, name);
    known = cx.world.types.find(name);
  }
  if (!syntax.defined && !known && !tag.empty()) known = cx.world.foreign.met(name);
  if (!syntax.defined && known) return known;
  if (syntax.defined && known && known->canonical->complete)
    cx.fail("D_DECL_TYPERED", syntax.where, "type redeclared: " + name);
  Type* type = known ? const_cast<Type*>(known->canonical) : cx.world.types.add_record(kind, tag);
  type->complete = false;
  if (!syntax.defined) return type;
  for (const FieldSyntax& field : syntax.fields) record_member(cx, field, *type);
  cx.world.types.completed(type);
  return type;
}

/// Natural alignment, no padding at the end. A bit-field takes as few bytes as it needs, aligned to the power of two
/// that holds them.
void record_member(CheckContext& cx, const FieldSyntax& field, Type& record) {
  if (!field.specifiers->storage.empty())
    cx.fail("D_DECL_BADCLASS", field.where, "specified storage class not appropriate in D");
  const Type* base = specified_type(cx, *field.specifiers);
  Member member;
  member.name = field.declarator.name;
  std::string shown = member.name.empty() ? "(anon)" : member.name;
  if (member.name.empty() && !field.width && !base->is_record())
    cx.fail("D_DECL_MNAME", field.where, "member declaration is missing a name");
  require_unscoped(cx, member.name, field.where);
  const std::vector<Derivation>& derivations = field.declarator.derivations;
  const bool flexible = !derivations.empty() && derivations[0].kind == Derivation::Kind::Array &&
                        !derivations[0].size && cx.in_header(field.where);
  member.type = flexible ? cx.world.types.array_of(derived_type(cx, base, field.declarator, 1), 0)
                         : derived_type(cx, base, field.declarator);
  const Type* real = member.type->canonical;
  if (real->kind == Type::Kind::Void || real->kind == Type::Kind::Function)
    cx.fail("D_DECL_VOIDOBJ", field.where, "cannot have void member: " + shown);
  if (!cx.world.foreign.complete(real))
    cx.fail("D_DECL_INCOMPLETE", field.where, "incomplete struct/union/enum " + member.type->name + ": " + shown);
  if (real->kind == Type::Kind::Dynamic || real->kind == Type::Kind::Symbol || real->kind == Type::Kind::Stack)
    cx.fail("D_DECL_DYNOBJ", field.where, "cannot have member of type " + member.type->name + ": " + shown);
  bool duplicate = !member.name.empty() &&
                   std::ranges::any_of(record.members, [&](const Member& one) { return one.name == member.name; });
  if (duplicate)
    cx.fail("D_UNKNOWN", field.where,
            "failed to define member '" + member.name + "': Duplicate member or variable name");
  bool is_union = record.kind == Type::Kind::Union;
  uint64_t size = real->size;
  if (field.width) {
    if (real->kind != Type::Kind::Integer && real->kind != Type::Kind::Enum)
      cx.fail("D_DECL_BFTYPE", field.where, "invalid type for bit-field: " + shown);
    ExprPtr width = check_constant(cx, clone(*field.width));
    if (!width || static_cast<int64_t>(width->integer) <= 0)
      cx.fail("D_DECL_BFCONST", field.where, "positive integral constant expression expected as bit-field size");
    if (width->integer > real->size * 8) cx.fail("D_DECL_BFSIZE", field.where, "bit-field too big for type: " + shown);
    member.bit_width = static_cast<uint32_t>(width->integer);
    size = (width->integer + 7) / 8;
    const uint64_t alignment = std::bit_ceil(size);
    member.offset = is_union ? 0 : (record.size + alignment - 1) / alignment * alignment;
  } else {
    const Type* aligned = real;
    while (aligned->kind == Type::Kind::Array) aligned = aligned->target->canonical;
    uint64_t alignment = 1;
    if (aligned->kind == Type::Kind::Struct || aligned->kind == Type::Kind::Union) {
      for (const Member& inner : aligned->members)
        alignment =
            std::max(alignment, inner.type->is_record() ? 8 : std::min<uint64_t>(inner.type->canonical->size, 8));
    } else if (aligned->kind != Type::Kind::String) {
      alignment = std::clamp<uint64_t>(aligned->size, 1, 8);
    }
    while (alignment & (alignment - 1)) --alignment;
    member.offset = is_union ? 0 : (record.size + alignment - 1) / alignment * alignment;
  }
  record.size = std::max(record.size, member.offset + size);
  if (!member.name.empty() || field.width) {
    record.members.push_back(member);
    return;
  }
  for (Member inner : real->members) {  // of a nameless struct
    inner.offset += member.offset;
    record.members.push_back(inner);
  }
}

const Type* enum_type(CheckContext& cx, const EnumSyntax& syntax) {
  std::string tag = own_tag(syntax.tag);
  std::string name = "enum " + tag;
  if (const Type* scoped = scoped_type(cx, name, syntax.where, syntax.defined)) return scoped;
  const Type* known = syntax.tag.empty() ? nullptr : cx.world.types.find(name);
  if (!syntax.defined) {
    if (known) return known;
    if (const Type* foreign = cx.world.foreign.find(name)) return foreign;
    Type* type = cx.world.types.add_record(Type::Kind::Enum, tag);
    type->complete = false;
    return type;
  }
  if (known && known->canonical->complete) cx.fail("D_DECL_TYPERED", syntax.where, "type redeclared: " + name);
  Type* type = known ? const_cast<Type*>(known->canonical) : cx.world.types.add_record(Type::Kind::Enum, tag);
  int64_t next = 0;
  std::set<std::string_view> own;
  for (const EnumeratorSyntax& one : syntax.enumerators) {
    if (one.value) {
      ExprPtr value = check_constant(cx, clone(*one.value));
      if (!value)
        cx.fail("D_DECL_ENCONST", one.where,
                "enumerator '" + one.name + "' must be assigned to an integral constant expression");
      next = static_cast<int64_t>(value->integer);
    }
    if (next > INT32_MAX || next < INT32_MIN)
      cx.fail("D_DECL_ENOFLOW", one.where, "enumerator '" + one.name + "' value overflows INT_MAX (2147483647)");
    if (!own.insert(one.name).second)
      cx.fail("D_UNKNOWN", one.where,
              "failed to define enumerator '" + one.name + "': Duplicate member or variable name");
    require_unscoped(cx, one.name, one.where);
    require_new(cx, one.name, one.where);
    type->enumerators.push_back({one.name, next});
    Symbol symbol;
    symbol.kind = Symbol::Kind::Enumerator;
    symbol.type = cx.world.types.int_type();
    symbol.value = next++;
    cx.world.names.globals[one.name] = symbol;
  }
  cx.world.types.completed(type);
  return type;
}

const Type* array_type(CheckContext& cx, const Type* element, const Derivation& derivation, std::string_view name) {
  if (!derivation.size)
    cx.fail("D_DECL_ARRNULL", derivation.where,
            "array declaration requires array dimension or tuple signature: " +
                std::string(name.empty() ? "(anon)" : name));
  ExprPtr size = check_constant(cx, clone(*derivation.size));
  if (!size || static_cast<int64_t>(size->integer) <= 0)
    cx.fail("D_DECL_ARRSUB", derivation.where,
            "positive integral constant expression or tuple signature expected as array declaration subscript");
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(size->integer, element->canonical->size, &bytes) || bytes > UINT32_MAX)
    cx.fail("D_DECL_ARRBIG", derivation.where, "array dimension too big");
  if (element->canonical->size == 0)
    cx.fail("D_DECL_VOIDOBJ", derivation.where, "cannot have array of type " + element->name);
  return cx.world.types.array_of(element, size->integer);
}

}  // namespace

const Type* specified_type(CheckContext& cx, const Specifiers& s) {
  using Base = Specifiers::Base;
  bool attributes = s.longs || s.shorts || s.is_signed || s.is_unsigned;
  if (s.bases > 1 || (s.is_signed && s.is_unsigned)) cx.fail("D_DECL_COMBO", s.where, "invalid type combination");
  switch (s.base) {
    case Base::None:
      if (!attributes && s.storage.empty() && !s.is_qualified)
        cx.fail("D_DECL_IDENT", s.where, "a type is missing in the declaration");
      return specified_integer(cx, s);
    case Base::Char:
    case Base::Int: return specified_integer(cx, s);
    case Base::Void:
      if (attributes)
        cx.fail("D_DECL_VOIDATTR", s.where, "invalid type declaration: attributes may not be used with void type");
      return cx.world.types.void_type();
    case Base::Float:
    case Base::Double:
      if (s.is_signed || s.is_unsigned)
        cx.fail("D_DECL_SIGNINT", s.where,
                "invalid type declaration: signed and unsigned may only be used with integer type");
      if (s.shorts || s.longs > 1 || (s.longs && s.base == Base::Float))
        cx.fail("D_DECL_COMBO", s.where, "invalid type combination");
      return cx.world.types.float_type(s.base == Base::Float ? 4 : s.longs ? 16 : 8);
    case Base::String:
    case Base::Named:
    case Base::Record:
    case Base::Enum: break;
  }
  if (s.is_signed || s.is_unsigned)
    cx.fail("D_DECL_SIGNINT", s.where,
            "invalid type declaration: signed and unsigned may only be used with integer type");
  if (s.longs || s.shorts)
    cx.fail("D_DECL_LONGINT", s.where,
            "invalid type declaration: long and long long may only be used with integer or floating-point type");
  if (s.base == Base::String) return cx.world.types.string_type();
  if (s.base == Base::Record) return record_type(cx, *s.record);
  if (s.base == Base::Enum) return enum_type(cx, *s.enumeration);
  std::string name(own_type_name(s.name));
  const Type* type = cx.world.types.find(name);
  if (!type) {
    load_library_for(cx.world, name);
    type = cx.world.types.find(name);
  }
  if (!type) type = cx.world.foreign.find(s.name);
  if (type) return type;
  if (s.name.find('`') != std::string::npos)
    cx.fail("D_UNKNOWN", s.where, "failed to resolve type " + s.name + ": Unknown type name",
            cx.world.foreign.advice(s.name));
  if (cx.unsure.contains(s.name)) throw Refused{};
  const std::string advice = cx.world.foreign.advice(s.name);
  const std::string_view other = hint_on_other_word(OtherWord::Kind::Syntax, s.name);
  const std::string hint =
      !other.empty() ? std::string(other) : s.name + " is no known type" + (advice.empty() ? "" : ": " + advice);
  if (!s.storage.empty() && s.storage.front() != Storage::Typedef)
    cx.fail("D_DECL_IDENT", s.where, "old-style declaration or incorrect type specified: " + s.name, hint);
  // Only a type can be here, and there is none, so the text cannot be parsed further.
  cx.fail("D_SYNTAX", s.where, "syntax error near \"" + s.name + "\"", hint);
}

const Type* derived_type(CheckContext& cx, const Type* base, const Declarator& declarator, size_t keep) {
  for (size_t i = declarator.derivations.size(); i > keep; --i) {
    const Derivation& one = declarator.derivations[i - 1];
    switch (one.kind) {
      case Derivation::Kind::Pointer: base = cx.world.types.pointer_to(base); break;
      case Derivation::Kind::Array: base = array_type(cx, base, one, declarator.name); break;
      case Derivation::Kind::Tuple:
        cx.fail("D_DECL_ARRSUB", one.where,
                "positive integral constant expression or tuple signature expected as array declaration subscript",
                "keys are allowed in variables only");
      case Derivation::Kind::Function: base = cx.world.types.function_of(base, parameter_types(cx, one)); break;
    }
  }
  return base;
}

std::vector<const Type*> parameter_types(CheckContext& cx, const Derivation& derivation,
                                         std::vector<std::string>* names) {
  bool tuple = derivation.kind == Derivation::Kind::Tuple;
  std::string what = tuple ? "array" : "function";
  std::vector<const Type*> out;
  size_t number = 0;
  for (const Parameter& parameter : *derivation.parameters) {
    ++number;
    if (parameter.ellipsis) {
      if (tuple)
        cx.fail("D_DECL_PROTO_VARARGS", parameter.where, "array prototype may not use a variable-length argument list");
      continue;
    }
    if (!parameter.specifiers.storage.empty())
      cx.fail("D_DECL_PARMCLASS", parameter.where,
              "inappropriate storage class for function or associative array parameter");
    const std::string shown = parameter.declarator.name.empty() ? "(anonymous)" : parameter.declarator.name;
    auto refuse = [&](const std::string& type) {
      cx.fail("D_DECL_PROTO_TYPE", parameter.where,
              what + " prototype may not use parameter of type " + type + ": " + shown + ", parameter #" +
                  std::to_string(number));
    };
    const std::vector<Derivation>& derivations = parameter.declarator.derivations;
    const bool keyed = !derivations.empty() && derivations[0].kind == Derivation::Kind::Tuple;
    if (keyed) refuse("dynamic variable");
    const Type* type = derived_type(cx, specified_type(cx, parameter.specifiers), parameter.declarator);
    if (type->canonical->kind == Type::Kind::Void) {
      if (tuple) refuse("void");
      if (derivation.parameters->size() > 1)
        cx.fail("D_DECL_PROTO_VOID", parameter.where, "void must be sole parameter");
      if (!parameter.declarator.name.empty())
        cx.fail("D_DECL_PROTO_NAME", parameter.where,
                "void parameter may not have a name: " + parameter.declarator.name);
      continue;
    }
    if (!cx.world.foreign.complete(type)) refuse(type->name);
    if (type->canonical->kind == Type::Kind::Array && is_char_pointer(type)) type = cx.world.types.string_type();
    out.push_back(type);
    if (names) names->push_back(parameter.declarator.name);
  }
  return out;
}

const Type* named_type(CheckContext& cx, const TypeName& name) {
  if (!name.specifiers.storage.empty())
    cx.fail("D_DECL_BADCLASS", name.where, "specified storage class not appropriate in D");
  if (name.specifiers.longs && name.specifiers.shorts)
    cx.fail("D_UNKNOWN", name.where, "failed to resolve type short long : Unknown type name");
  return derived_type(cx, specified_type(cx, name.specifiers), name.declarator);
}

}  // namespace sonde
