// SPDX-License-Identifier: GPL-3.0-or-later
// Variables: what an assignment may go to, associative arrays, elements and members
//
// The first assignment to a name that nothing declared makes the variable, with the type of what is assigned. So the
// right side is checked before the left, and target() gets the type that a new variable would have; null means that the
// variable must be there. ++ and -- make an int64_t; op= makes nothing.
//
//   x, self->x, this->x    Variable         a[i], p->m, s.m of C    Deref of an address (ast.h)
//   x[k], self->x[k]       ArrayElement     uregs[n]; args[n]       Builtin; see probes.cpp
#include "compiler/check/checker.h"
#include "runtime/base/suggest.h"

namespace sonde {

bool Checker::is_scope(const Expr& expr, VariableDesc::Scope& scope) {
  if (expr.kind != ExprKind::Member || !expr.arrow || expr.kids[0]->kind != ExprKind::Name || expr.kids[0]->type)
    return false;
  const std::string& word = expr.kids[0]->text;
  if (word != "self" && word != "this") return false;
  scope = word == "self" ? VariableDesc::Scope::Self : VariableDesc::Scope::This;
  return true;
}

ExprPtr Checker::variable(const Symbol& symbol, SourceRange where) {
  ExprPtr out = make(ExprKind::Variable, symbol.type, where);
  out->variable_index = symbol.index;
  out->text = world_.program.variables[symbol.index].name;
  return out;
}

Symbol& Checker::declare_variable(VariableDesc::Scope scope, const std::string& name, const Type* type) {
  BodyProgram& program = world_.program;
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
  bool hides = scope == VariableDesc::Scope::Global && world_.names.globals.contains(name);  // one of a later version
  if (hides) world_.names.facts.erase(name);
  return world_.names.of(scope)[name] = symbol;
}

Symbol& Checker::declare_array(bool thread_local_, const std::string& name, std::vector<const Type*> keys,
                               const Type* type) {
  ArrayDesc description;
  description.name = name;
  description.thread_local_ = thread_local_;
  for (const Type* key : keys) description.keys.push_back(value_type(key));
  description.value = value_type(type);
  world_.program.arrays.push_back(std::move(description));
  Symbol symbol;
  symbol.kind = Symbol::Kind::Array;
  symbol.type = type;
  symbol.keys = std::move(keys);
  symbol.index = static_cast<uint32_t>(world_.program.arrays.size() - 1);
  return (thread_local_ ? world_.names.self : world_.names.globals)[name] = symbol;
}

/// What a variable becomes by being assigned `right` first.
const Type* Checker::assigned_type(const Expr& right, const std::string& op) {
  switch (right.type->canonical->kind) {
    case Type::Kind::Integer:
    case Type::Kind::Enum:
    case Type::Kind::Pointer:
    case Type::Kind::String:
    case Type::Kind::Struct:
    case Type::Kind::Union:
    case Type::Kind::Float: return right.type;
    case Type::Kind::Array:
    case Type::Kind::Function:
      fail("D_OP_ARRFUN", right.where,
           "operator " + op + " may not be applied to operand of type \"" + right.type->name + "\"");
    case Type::Kind::Stack:
    case Type::Kind::Symbol:
      fail("D_OP_INCOMPAT", right.where,
           "a " + std::string(right.type->canonical->kind == Type::Kind::Stack ? "stack" : "symbol") +
               " cannot be stored in a variable",
           "use it as a key of an aggregation, or trace it");
    case Type::Kind::Void:
    case Type::Kind::Dynamic:
    case Type::Kind::Aggregation:
    case Type::Kind::Any: break;
  }
  fail("D_OP_INCOMPAT", right.where, "operator " + op + " cannot be applied to a value of type " + right.type->name);
}

/// The place is there already, so the type of what is assigned does not make it.
bool Checker::is_known(const Expr& place) {
  VariableDesc::Scope scope{};
  std::string name;
  const Expr& base = place.kind == ExprKind::Index ? *place.kids[0] : place;
  return symbol_of(base, scope, name) != nullptr || name.empty();
}

/// An element, or a thread's variable: a 0 gives its memory back.
bool Checker::may_be_deleted(const Expr& place) const {
  return place.kind == ExprKind::ArrayElement ||
         (place.kind == ExprKind::Variable &&
          world_.program.variables[place.variable_index].scope == VariableDesc::Scope::Self);
}

ExprPtr Checker::check_assign(ExprPtr expr) {
  if (is_aggregation(*expr->kids[0]))
    fail("D_CG_EXPR", expr->where,
         "aggregating actions may not be used in a D expression (D program context required)");
  ExprPtr right = check(std::move(expr->kids[1]));
  if (is_action_call(*right)) only_statements_act(*right, false);
  bool translated = right->type->canonical->kind == Type::Kind::Dynamic && right->type->canonical->target->is_record();
  right = value(translated ? translated_record(std::move(right)) : std::move(right));
  const bool decays = right->type->canonical->kind == Type::Kind::Array && is_known(*expr->kids[0]);
  ExprPtr left = target(std::move(expr->kids[0]), decays ? right->type : assigned_type(*right, "="), "=");
  const Type* type = left->type;
  if (type->canonical->kind == Type::Kind::Array)
    fail("D_OP_ARRFUN", expr->where, "operator = may not be applied to operand of type \"" + type->name + "\"");
  const bool deletes = type->is_record() && is_null(*right) && may_be_deleted(*left);
  if (!deletes && !assignable(type, *right)) incompatible(*expr, "=", *left, *right);
  expr->kids[0] = std::move(left);
  expr->kids[1] = convert(std::move(right), type);
  expr->type = type;
  return expr;
}

/// ++, -- and op=.
ExprPtr Checker::check_update(ExprPtr expr) {
  std::string op = expr->text;
  bool step = expr->kids.size() == 1;
  // ++ and -- make what they name; op= does not.
  ExprPtr left = target(std::move(expr->kids[0]), step ? world_.types.find("int64_t") : nullptr, op);
  ExprPtr right = step ? integer(1, world_.types.int_type(), expr->where) : decay(operand(std::move(expr->kids[1])));
  if (step) expr->kids.emplace_back();
  const Type* type = left->type;
  if (left->type->is_pointer()) {
    uint64_t size = type->canonical->target->canonical->size;
    if (expr->op != Op::Add && expr->op != Op::Sub)
      fail("D_OP_INT", expr->where, "operator " + op + " requires operands of integral type");
    if (size == 0)
      fail("D_OP_VFPTR", expr->where, "operator " + op + " requires left-hand scalar operand of known size");
    if (!right->type->is_integer()) incompatible(*expr, op, *left, *right);
    const Type* word = world_.types.integer(8, true);
    right = binary(Op::Mul, convert(std::move(right), word), integer(size, word, expr->where), word, expr->where);
  } else if (type->is_integer() && right->type->is_pointer() && (expr->op == Op::Add || expr->op == Op::Sub)) {
    fail("D_OP_VFPTR", expr->where, "operator " + op + " requires left-hand scalar operand of known size");
  } else if (!type->is_integer() || !right->type->is_integer()) {
    if (step) fail("D_OP_SCALAR", expr->where, "operator " + op + " requires operand of scalar type");
    incompatible(*expr, op, *left, *right);
  } else if (expr->op == Op::Div || expr->op == Op::Mod) {
    if (right->kind == ExprKind::Integer && right->integer == 0)
      fail("D_DIV_ZERO", expr->where, "expression contains division by zero");
    bool narrow = left->bit_width != 0 && left->bit_width < 32;
    const Type* common = wider(narrow ? world_.types.int_type() : type, right->type);
    right = same_sign(std::move(right), common->canonical->is_signed);
  }
  expr->kids[0] = std::move(left);
  expr->kids[1] = std::move(right);
  expr->type = type;
  return expr;
}

void Checker::not_writable(SourceRange where, const std::string& op) {
  const bool compares = op == "=" && diagnostics_.context() == "in predicate";
  fail("D_OP_WRITE", where, "operator " + op + " can only be applied to a writable variable",
       compares ? "== compares" : "");
}

/// An lvalue. `assigned`: the type a new variable gets; null where the variable must be there (op=).
ExprPtr Checker::target(ExprPtr expr, const Type* assigned, const std::string& op) {
  VariableDesc::Scope scope{};
  SourceRange where = expr->where;
  if (expr->kind == ExprKind::Name) return target_name(std::move(expr), assigned, op);
  if (is_scope(*expr, scope)) return target_scoped(std::move(expr), scope, assigned, op);
  if (expr->kind == ExprKind::Index) return target_element(std::move(expr), assigned, op);
  expr = check(std::move(expr));
  if (expr->kind != ExprKind::Deref) {
    if (expr->kind == ExprKind::Builtin) not_writable(where, op);
    fail("D_OP_LVAL", where, "operator " + op + " requires modifiable lvalue as an operand");
  }
  return expr;
}

ExprPtr Checker::target_name(ExprPtr expr, const Type* assigned, const std::string& op) {
  const std::string& name = expr->text;
  if (name == "self" || name == "this") check_name(std::move(expr));  // complains
  if (name.starts_with('@'))
    fail("D_OP_LVAL", expr->where, "operator " + op + " requires modifiable lvalue as an operand");
  if (parameter(name)) fail("D_OP_LVAL", expr->where, "operator " + op + " requires modifiable lvalue as an operand");
  const Symbol* known = world_.global(name);
  if (!known) {
    if (world_.variable(name) || world_.aggregating_function(name)) not_writable(expr->where, op);
    load_library_for(world_, name);
    known = world_.global(name);
  }
  if (known) {
    if (known->kind == Symbol::Kind::Array)
      fail("D_IDENT_BADREF", expr->where, "associative array '" + name + "' may not be referenced as scalar",
           "give it an index: " + name + "[...]");
    if (known->kind != Symbol::Kind::Variable)
      fail("D_OP_LVAL", expr->where, "operator " + op + " requires modifiable lvalue as an operand");
    note_name(name, expr->where);
    return variable(*known, expr->where);
  }
  if (name.find('`') != std::string::npos)
    fail("D_IDENT_UNDEF", expr->where, "failed to resolve " + name + ": No symbol information available");
  if (!assigned) fail("D_VAR_UNDEF", expr->where, name + " has not yet been declared or assigned");
  return variable(declare_variable(VariableDesc::Scope::Global, name, assigned), expr->where);
}

/// Whether the text assigns what stands at `where` further down, as in self->x = 1.
bool Checker::is_assigned_below(SourceRange where) const {
  const SourceRange at = here(where);
  const std::string_view text = source_.text;
  const std::string_view wanted = text.substr(std::min<size_t>(at.begin, text.size()), at.end - at.begin);
  for (size_t found = text.find(wanted, at.end); found != text.npos; found = text.find(wanted, found + 1)) {
    const std::string_view after = text.substr(found + wanted.size());
    const size_t next = after.find_first_not_of(" \t\n");
    if (next != after.npos && after[next] == '=' && !after.substr(next).starts_with("==")) return true;
  }
  return false;
}

ExprPtr Checker::target_scoped(ExprPtr expr, VariableDesc::Scope scope, const Type* assigned, const std::string& op) {
  const std::string& name = expr->text;
  SymbolMap& map = world_.names.of(scope);
  auto at = map.find(name);
  if (at != map.end()) {
    if (at->second.kind == Symbol::Kind::Array)
      fail("D_IDENT_BADREF", expr->where, "associative array '" + name + "' may not be referenced as scalar");
    return variable(at->second, expr->where);
  }
  if (!assigned) {
    Suggestion suggestion(name);
    for (const auto& [known, symbol] : map) suggestion.offer(known);
    std::string hint = suggestion.hint();
    if (hint.empty() && is_assigned_below(expr->where))
      hint = "it is assigned further down: what assigns it has to stand first";
    fail("D_VAR_UNDEF", expr->where, name + " has not yet been declared or assigned", hint);
  }
  (void)op;
  return variable(declare_variable(scope, name, assigned), expr->where);
}

const Symbol* Checker::symbol_of(const Expr& base, VariableDesc::Scope& scope, std::string& name) {
  scope = VariableDesc::Scope::Global;
  if (base.kind != ExprKind::Name && !is_scope(base, scope)) return nullptr;
  if (base.type) return nullptr;
  name = base.text;
  if (scope == VariableDesc::Scope::Global && parameter(name)) return nullptr;
  if (scope == VariableDesc::Scope::Global) {
    if (!world_.global(name)) load_library_for(world_, name);
    const Symbol* known = world_.global(name);
    if (known) note_name(name, base.where);
    return known;
  }
  SymbolMap& map = world_.names.of(scope);
  auto at = map.find(name);
  return at == map.end() ? nullptr : &at->second;
}

ExprPtr Checker::target_element(ExprPtr expr, const Type* assigned, const std::string& op) {
  VariableDesc::Scope scope{};
  std::string name;
  const Symbol* symbol = symbol_of(*expr->kids[0], scope, name);
  bool is_name = !name.empty() && !parameter(name);
  if (is_name && !symbol && scope == VariableDesc::Scope::Global && world_.variable(name))
    not_writable(expr->where, op);
  if (is_name && !symbol && !name.starts_with('@')) {
    if (scope == VariableDesc::Scope::This)
      fail("D_ARR_LOCAL", expr->where, "local variables may not be used as associative arrays: " + name);
    std::vector<const Type*> keys;
    for (size_t i = 1; i < expr->kids.size(); ++i) {
      expr->kids[i] = check(std::move(expr->kids[i]));
      keys.push_back(key_type(*expr->kids[i], "associative array", i));
    }
    if (!assigned) fail("D_VAR_UNDEF", expr->where, name + " has not yet been declared or assigned");
    require_few_keys(keys.size(), expr->where);
    symbol = &declare_array(scope == VariableDesc::Scope::Self, name, std::move(keys), assigned);
  }
  if (symbol && symbol->kind == Symbol::Kind::Inline)
    fail("D_OP_LVAL", expr->where, "operator " + op + " requires modifiable lvalue as an operand");
  return check_index(std::move(expr));
}

void Checker::require_few_keys(size_t count, SourceRange where) {
  constexpr size_t kMostKeys = 9;
  if (count > kMostKeys)
    fail("", where, "Insufficient tuple registers to generate code",
         "an associative array has at most " + std::to_string(kMostKeys) + " keys");
}

/// The type of a key by its first use.
const Type* Checker::key_type(const Expr& key, const std::string& what, size_t number) {
  const Type* type = key.type;
  switch (type->canonical->kind) {
    case Type::Kind::Void:
    case Type::Kind::Dynamic:
    case Type::Kind::Aggregation:
    case Type::Kind::Any:
    case Type::Kind::Function:
      fail("D_KEY_TYPE", key.where,
           (type->canonical->kind == Type::Kind::Dynamic       ? "translated"
            : type->canonical->kind == Type::Kind::Aggregation ? "dynamic"
                                                               : type->name) +
               " expression may not be used as " + what + " index: key #" + std::to_string(number));
    case Type::Kind::Array: return is_char_pointer(type) ? world_.types.string_type() : type;
    case Type::Kind::Stack:
    case Type::Kind::Symbol:
      if (what != "aggregation")
        fail("D_KEY_TYPE", key.where,
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

ExprPtr Checker::check_index(ExprPtr expr) {
  VariableDesc::Scope scope{};
  std::string name;
  const Symbol* symbol = symbol_of(*expr->kids[0], scope, name);
  if (symbol && symbol->kind == Symbol::Kind::Array) return associative(*symbol, name, std::move(expr));
  if (symbol && symbol->kind == Symbol::Kind::Inline && !symbol->definition->parameters.empty()) {
    std::vector<ExprPtr> arguments;
    for (size_t i = 1; i < expr->kids.size(); ++i) arguments.push_back(std::move(expr->kids[i]));
    return expand(*symbol, name, std::move(arguments), expr->where);
  }
  if (!symbol && scope == VariableDesc::Scope::Global && !name.empty() && !parameter(name)) {
    const DVariable* row = world_.variable(name);
    if (row && row->from == From::Typed) return typed_argument(std::move(expr));
    if (row && (row->from == From::TextOf || row->from == From::Registers)) {
      if (expr->kids.size() != 2)
        fail("D_PROTO_LEN", expr->where,
             name + "[ ] prototype mismatch: " + std::to_string(expr->kids.size() - 1) + " keys passed, 1 expected");
      bool registers = row->from == From::Registers;
      ExprPtr index = value(std::move(expr->kids[1]));
      if (!index->type->is_integer() || (registers && index->kind != ExprKind::Integer))
        argument_mismatch(name, 1, registers ? "integer constant" : "int", *index, "[ ]");
      if (registers && index->integer > 25)
        fail("D_UNKNOWN", expr->where,
             "uregs[]: index out of bounds (" + std::to_string(static_cast<int64_t>(index->integer)) + ")");
      ExprPtr out = make(ExprKind::Builtin, world_.types.of_text(row->type, nullptr), here(expr->where));
      out->builtin = row;
      out->text = name;
      out->kids.push_back(convert(std::move(index), world_.types.integer(8, true)));
      return out;
    }
    if (name.starts_with('@')) {
      for (size_t i = 1; i < expr->kids.size(); ++i) check(std::move(expr->kids[i]));
      return make(ExprKind::AggregationRef, world_.types.aggregation_type(), here(expr->where));
    }
    if (!row && !world_.global(name))
      fail("D_IDENT_UNDEF", expr->where, "failed to resolve " + name + ": Unknown variable name");
  }
  if (!symbol && scope != VariableDesc::Scope::Global)
    fail("D_VAR_UNDEF", expr->where, name + " has not yet been declared or assigned");
  text_member_ = nullptr;
  ExprPtr base = value(std::move(expr->kids[0]));
  bool indexable =
      base->type->is_pointer() || base->type->is_string() || base->type->canonical->kind == Type::Kind::Array;
  if (!indexable)
    fail("D_ARR_BADREF", expr->where,
         "cannot access scalar " + (name.empty() ? base->type->name : name) + " as an associative array");
  return element(std::move(base), std::move(expr), name.empty() ? "expression" : name);
}

/// a[i] of C.
ExprPtr Checker::element(ExprPtr base, ExprPtr expr, const std::string& name) {
  if (expr->kids.size() != 2)
    fail("D_ARR_BADREF", expr->where, "cannot access scalar " + name + " as an associative array",
         "an array of C takes one index");
  const Type* text = base->type->is_string() && text_member_ ? text_member_->canonical : nullptr;
  ExprPtr index = value(std::move(expr->kids[1]));
  if (!index->type->is_integer()) fail("D_OP_INT", expr->where, "operator [ ] requires an index of integral type");
  const Type* array = base->type->canonical;
  const Type* bounded_by = array->kind == Type::Kind::Array ? array : text;
  if (bounded_by && index->kind == ExprKind::Integer && bounded_by->count > 0 && index->integer >= bounded_by->count)
    fail("D_ARR_BOUNDS", expr->where,
         "index outside array bounds: " + std::to_string(static_cast<int64_t>(index->integer)) + ", max is " +
             std::to_string(bounded_by->count));
  if (array->kind == Type::Kind::Array && index->kind != ExprKind::Integer && array->count > 0) {
    ExprPtr bounded = make(ExprKind::Cast, world_.types.integer(8, true), index->where);
    bounded->bound = array->count;
    bounded->kids.push_back(std::move(index));
    index = std::move(bounded);
  }
  if (array->kind == Type::Kind::String)
    base = cast(std::move(base), world_.types.pointer_to(world_.types.integer(1, true)));
  base = decay(std::move(base));
  ExprPtr sum = make(ExprKind::Binary, nullptr, here(expr->where));
  sum->op = Op::Add;
  sum->text = "+";
  sum->kids.push_back(std::move(base));
  sum->kids.push_back(std::move(index));
  sum = additive(std::move(sum));
  ExprPtr out = make(ExprKind::Deref, nullptr, here(expr->where));
  out->kids.push_back(std::move(sum));
  return check_deref(std::move(out));
}

ExprPtr Checker::associative(const Symbol& symbol, const std::string& name, ExprPtr expr) {
  size_t passed = expr->kids.size() - 1;
  if (passed != symbol.keys.size())
    fail("D_PROTO_LEN", expr->where,
         name + "[ ] prototype mismatch: " + std::to_string(passed) + (passed == 1 ? " key" : " keys") + " passed, " +
             std::to_string(symbol.keys.size()) + " expected");
  ExprPtr out = make(ExprKind::ArrayElement, symbol.type, here(expr->where));
  out->variable_index = symbol.index;
  out->text = name;
  std::vector<const Type*> keys = symbol.keys;
  for (size_t i = 0; i < passed; ++i) {
    ExprPtr key = check(std::move(expr->kids[i + 1]));
    key_type(*key, "associative array", i + 1);
    if (!assignable(keys[i], *key) && !(keys[i]->is_pointer() && key->type->is_integer()))
      fail("D_PROTO_ARG", key->where,
           name + "[ ] key #" + std::to_string(i + 1) +
               " is incompatible with prototype:\n\tprototype: " + keys[i]->name + "\n\t      key: " + key->type->name);
    out->kids.push_back(convert(std::move(key), keys[i]));
  }
  return out;
}

ExprPtr Checker::member_at(ExprPtr pointer, const Member& member, SourceRange where) {
  const Type* type = world_.types.pointer_to(member.type);
  const Type* word = world_.types.integer(8, true);
  if (member.offset)
    pointer = binary(Op::Add, std::move(pointer), integer(member.offset, word, where), type, where);
  else
    pointer = fold(cast(std::move(pointer), type));
  note_kernel(*pointer);
  ExprPtr out = make(ExprKind::Deref, member.type, where);
  out->bit_offset = static_cast<uint8_t>(member.bit_offset);
  out->bit_width = static_cast<uint8_t>(member.bit_width);
  out->kids.push_back(std::move(pointer));
  return out;
}

ExprPtr Checker::check_member(ExprPtr expr) {
  VariableDesc::Scope scope{};
  if (is_scope(*expr, scope)) return target_scoped(std::move(expr), scope, nullptr, "");
  std::string op = expr->arrow ? "->" : ".";
  ExprPtr base = check(std::move(expr->kids[0]));
  const Type* type = base->type->canonical;
  if (type->kind == Type::Kind::Dynamic) return translated_member(std::move(expr), std::move(base));
  if (expr->arrow) {
    base = decay(std::move(base));
    type = base->type->canonical;
    if (type->kind != Type::Kind::Pointer) fail("D_OP_PTR", expr->where, "operator -> must be applied to a pointer");
    type = type->target->canonical;
  }
  if (type->kind != Type::Kind::Struct && type->kind != Type::Kind::Union)
    fail("D_OP_SOU", expr->where,
         "operator " + op + " cannot be applied to type \"" + base->type->name +
             "\"; must be applied to a struct or union",
         !expr->arrow && base->type->is_pointer() ? "use -> on a pointer" : "");
  if (!world_.foreign.complete(type))
    fail(
        "D_OP_INCOMPLETE", expr->where,
        "operator " + op + " cannot be applied to a forward declaration: no " + type->name + " definition is available",
        world_.foreign.advice(type->name));
  const Member* found = nullptr;
  Suggestion suggestion(expr->text);
  for (const Member& member : type->members) {
    if (member.name == expr->text) found = &member;
    suggestion.offer(member.name);
  }
  if (!found) fail("D_TYPE_MEMBER", expr->where, expr->text + " is not a member of " + type->name, suggestion.hint());
  if (!expr->arrow) {
    const Type* pointer = world_.types.pointer_to(base->type);
    if (base->kind == ExprKind::Deref) {
      base = cast(std::move(base->kids[0]), pointer);
    } else {
      ExprPtr address = make(ExprKind::AddressOf, pointer, base->where);
      address->kids.push_back(std::move(base));
      base = std::move(address);
    }
  }
  return member_at(std::move(base), *found, here(expr->where));
}

}  // namespace sonde
