// SPDX-License-Identifier: GPL-3.0-or-later
// Variables: their names, and how they are created
//
// A variable is a symbol, which the checker looks up, and a row of BodyProgram::variables or ::arrays, which is all
// that the body knows about it. Both are made here, together.
#include "compiler/check/variable.h"

#include <algorithm>

#include "compiler/check/inline.h"
#include "compiler/check/library_texts.h"
#include "compiler/check/node.h"
#include "compiler/check/stability.h"
#include "runtime/base/find.h"
#include "runtime/base/suggest.h"

namespace sonde {
namespace {

/// Whether the text later assigns what is at `where`, as in self->x = 1.
bool is_assigned_below(CheckContext& cx, SourceRange where) {
  const SourceRange at = cx.here(where);
  const std::string_view text = cx.source.text;
  const std::string_view wanted = text.substr(std::min<size_t>(at.begin, text.size()), at.end - at.begin);
  for (size_t found = text.find(wanted, at.end); found != text.npos; found = text.find(wanted, found + 1)) {
    const std::string_view after = text.substr(found + wanted.size());
    const size_t next = after.find_first_not_of(" \t\n");
    if (next != after.npos && after[next] == '=' && !after.substr(next).starts_with("==")) return true;
  }
  return false;
}

}  // namespace

bool is_scope(const Expr& expr, VariableDesc::Scope& scope) {
  if (expr.kind != ExprKind::Member || !expr.arrow || expr.kids[0]->kind != ExprKind::Name || expr.kids[0]->type)
    return false;
  const std::string& word = expr.kids[0]->text;
  if (word != "self" && word != "this") return false;
  scope = word == "self" ? VariableDesc::Scope::Self : VariableDesc::Scope::This;
  return true;
}

ExprPtr variable_of(const Symbol& symbol, SourceRange where) {
  ExprPtr out = make_expr(ExprKind::Variable, symbol.type, where);
  out->variable_index = symbol.index;
  return out;
}

Symbol& declare_variable(CheckContext& cx, VariableDesc::Scope scope, const std::string& name, const Type* type) {
  BodyProgram& program = cx.world.program;
  VariableDesc description;
  description.name = name;
  description.scope = scope;
  description.type = value_type(type);
  switch (scope) {
    case VariableDesc::Scope::Global: description.cell = program.global_cells++; break;
    case VariableDesc::Scope::Self: description.cell = program.self_cells++; break;
    case VariableDesc::Scope::This: description.cell = program.this_cells++; break;
  }
  program.variables.push_back(std::move(description));
  Symbol symbol;
  symbol.type = type;
  symbol.index = static_cast<uint32_t>(program.variables.size() - 1);
  bool hides = scope == VariableDesc::Scope::Global &&
               cx.world.names.globals.contains(name);  // a built-in name of a later version
  if (hides) cx.world.names.facts.erase(name);
  return cx.world.names.of(scope)[name] = symbol;
}

Symbol& declare_array(CheckContext& cx, bool thread_local_, const std::string& name, std::vector<const Type*> keys,
                      const Type* type) {
  ArrayDesc description;
  description.name = name;
  description.thread_local_ = thread_local_;
  for (const Type* key : keys) description.keys.push_back(value_type(key));
  description.value = value_type(type);
  cx.world.program.arrays.push_back(std::move(description));
  Symbol symbol;
  symbol.kind = Symbol::Kind::Array;
  symbol.type = type;
  symbol.keys = std::move(keys);
  symbol.index = static_cast<uint32_t>(cx.world.program.arrays.size() - 1);
  return (thread_local_ ? cx.world.names.self : cx.world.names.globals)[name] = symbol;
}

ExprPtr scoped_variable(CheckContext& cx, ExprPtr expr, VariableDesc::Scope scope, const Type* assigned) {
  const std::string& name = expr->text;
  SymbolMap& map = cx.world.names.of(scope);
  auto at = map.find(name);
  if (at != map.end()) {
    if (at->second.kind == Symbol::Kind::Array)
      cx.fail("D_IDENT_BADREF", expr->where, "associative array '" + name + "' may not be referenced as scalar");
    return variable_of(at->second, expr->where);
  }
  if (!assigned) {
    Suggestion suggestion(name);
    for (const auto& [known, symbol] : map) suggestion.offer(known);
    if (name == kAskedMember)
      for (const auto& [known, symbol] : map) cx.world.asked.push_back({known, symbol.type->name});
    std::string hint = suggestion.hint();
    if (hint.empty() && is_assigned_below(cx, expr->where))
      hint = "it is assigned further down: what assigns it has to stand first";
    cx.fail("D_VAR_UNDEF", expr->where, name + " has not yet been declared or assigned", hint);
  }
  return variable_of(declare_variable(cx, scope, name, assigned), expr->where);
}

const Symbol* symbol_of(CheckContext& cx, const Expr& base, VariableDesc::Scope& scope, std::string& name) {
  scope = VariableDesc::Scope::Global;
  if (base.kind != ExprKind::Name && !is_scope(base, scope)) return nullptr;
  if (base.type) return nullptr;
  name = base.text;
  if (scope == VariableDesc::Scope::Global && parameter(cx, name)) return nullptr;
  if (scope == VariableDesc::Scope::Global) {
    if (!cx.world.global(name)) load_library_for(cx.world, name);
    const Symbol* known = cx.world.global(name);
    if (known) note_name(cx, name, base.where);
    return known;
  }
  return find_in(cx.world.names.of(scope), name);
}

void require_few_keys(CheckContext& cx, size_t count, SourceRange where) {
  constexpr size_t kMostKeys = 9;
  if (count > kMostKeys)
    cx.fail("", where, "Insufficient tuple registers to generate code",
            "an associative array has at most " + std::to_string(kMostKeys) + " keys");
}

const Type* key_type(CheckContext& cx, const Expr& key, const std::string& what, size_t number) {
  const Type* type = key.type;
  switch (type->canonical->kind) {
    case Type::Kind::Void:
    case Type::Kind::Dynamic:
    case Type::Kind::Aggregation:
    case Type::Kind::Any:
    case Type::Kind::Function:
      cx.fail("D_KEY_TYPE", key.where,
              (type->canonical->kind == Type::Kind::Dynamic       ? "translated"
               : type->canonical->kind == Type::Kind::Aggregation ? "dynamic"
                                                                  : type->name) +
                  " expression may not be used as " + what + " index: key #" + std::to_string(number));
    case Type::Kind::Array: return is_char_pointer(type) ? cx.world.types.string_type() : type;
    case Type::Kind::Stack:
    case Type::Kind::Symbol:
      if (what != "aggregation")
        cx.fail("D_KEY_TYPE", key.where,
                type->name + " expression may not be used as " + what + " index: key #" + std::to_string(number));
      return type;
    case Type::Kind::Integer:
    case Type::Kind::Float:
    case Type::Kind::Pointer:
    case Type::Kind::Struct:
    case Type::Kind::Union:
    case Type::Kind::Enum:
    case Type::Kind::String: return type;
  }
  return type;
}

}  // namespace sonde
