// SPDX-License-Identifier: GPL-3.0-or-later
// Names, unary operators, casts, sizeof
//
// A name means the first of these that knows it (check_name()):
//
//   parameter of the inline or translator that is being expanded, NULL, what the script declared, D's built-in
//   variables, constants of the D library, a library text (loaded now, for it defines the name), enumerators of C types
//
// A built-in that is an address in the kernel compiles on every source, for scripts keep and compare such values. Where
// nobody sees the kernel it becomes a number for each thread (opaque()). A clause that follows it is marked
// (note_kernel()), and is refused when it is enabled.
#include "compiler/check/checker.h"
#include "compiler/library/library.h"
#include "compiler/source/other_words.h"
#include "runtime/base/suggest.h"

namespace sonde {

namespace {
constexpr uint32_t kDeepest = 500;  ///< nested expressions: deeper ones are refused before the stack ends
}

ExprPtr Checker::check(ExprPtr expr) {
  if (expr->type) return expr;
  if (depth_ > kDeepest) fail("D_UNKNOWN", expr->where, "expression is nested too deeply");
  struct Depth {
    uint32_t& depth;
    explicit Depth(uint32_t& d) : depth(d) { ++depth; }
    ~Depth() { --depth; }
  } guard(depth_);
  switch (expr->kind) {
    case ExprKind::Integer: return check_integer(std::move(expr));
    case ExprKind::String: expr->type = world_.types.string_type(); return expr;
    case ExprKind::Name: return check_name(std::move(expr));
    case ExprKind::Member: return check_member(std::move(expr));
    case ExprKind::Index: return check_index(std::move(expr));
    case ExprKind::Call: return check_call(std::move(expr));
    case ExprKind::Unary: return check_unary(std::move(expr));
    case ExprKind::Binary: return check_binary(std::move(expr));
    case ExprKind::Logical: return check_logical(std::move(expr));
    case ExprKind::Conditional: return check_conditional(std::move(expr));
    case ExprKind::Assign: return check_assign(std::move(expr));
    case ExprKind::Update: return check_update(std::move(expr));
    case ExprKind::Cast: return check_cast(std::move(expr));
    case ExprKind::SizeofType:
    case ExprKind::SizeofExpr: return check_sizeof(std::move(expr));
    case ExprKind::Offsetof: return check_offsetof(std::move(expr));
    case ExprKind::Stringof: return check_stringof(std::move(expr));
    case ExprKind::Xlate: return check_xlate(std::move(expr));
    case ExprKind::Deref: return check_deref(std::move(expr));
    case ExprKind::AddressOf: return check_address(std::move(expr));
    case ExprKind::Comma: return check_comma(std::move(expr));
    case ExprKind::Macro:
    case ExprKind::StringOf:
    case ExprKind::Aggregate:
    case ExprKind::AggregationRef:
    case ExprKind::Variable:
    case ExprKind::ArrayElement:
    case ExprKind::Builtin: break;
  }
  SONDE_CHECK(!"a parsed expression");
  return expr;
}

ExprPtr Checker::value(ExprPtr expr) {
  expr = check(std::move(expr));
  Type::Kind kind = expr->type->canonical->kind;
  if (kind == Type::Kind::Dynamic)
    fail("D_OP_DYN", expr->where, "a translated object has no value of its own: use one of its members");
  return expr;
}

ExprPtr Checker::scalar(ExprPtr expr, std::string_view tag, const std::string& message) {
  SourceRange where = expr->where;
  expr = check(std::move(expr));
  if (!expr->type->is_scalar()) fail(tag, where, message);
  return expr;
}

ExprPtr Checker::constant(ExprPtr expr) {
  expr = check(std::move(expr));
  return expr->kind == ExprKind::Integer && expr->type->is_integer() ? std::move(expr) : nullptr;
}

ExprPtr Checker::check_integer(ExprPtr expr) {
  bool is_long = expr->text.ends_with('l'), is_signed = !expr->text.starts_with('u');
  expr->type = world_.types.integer(is_long ? 8 : 4, is_signed);
  expr->text.clear();
  return expr;
}

const Expr* Checker::parameter(std::string_view name) const {
  if (parameters_.empty()) return nullptr;
  auto at = parameters_.back().values.find(name);
  return at == parameters_.back().values.end() ? nullptr : at->second;
}

ExprPtr Checker::check_name(ExprPtr expr) {
  std::string name = expr->text;
  if (name.starts_with('@')) {
    auto known = world_.names.aggregations.find(name.substr(1));
    if (known == world_.names.aggregations.end())
      fail("D_IDENT_UNDEF", expr->where, "failed to resolve " + name + ": Unknown variable name");
    ExprPtr whole = make(ExprKind::AggregationRef, world_.types.aggregation_type(), here(expr->where));
    whole->variable_index = known->second.index;
    return whole;
  }
  if (name == "self" || name == "this")
    fail("D_SYNTAX", expr->where, "syntax error near \"" + name + "\"", "write " + name + "->name");
  if (const Expr* known = parameter(name)) {
    ExprPtr copy = expanded(*known, expr->where);
    copy->where = here(expr->where);
    return copy;
  }
  if (name == "NULL") {
    ExprPtr null = integer(0, world_.types.int_type(), here(expr->where));
    null->text = "NULL";
    return null;
  }
  if (name == "`") unknown_name(name, expr->where);
  note_name(name, expr->where);
  if (const Symbol* symbol = world_.global(name)) return use_symbol(*symbol, std::move(expr));
  const DVariable* row = world_.variable(name);
  if (row && row->from != From::Library) return use_builtin(*row, std::move(expr));
  if (const LibraryConstant* known = find_constant(name))
    return integer(static_cast<uint64_t>(known->value), world_.types.int_type(), here(expr->where));
  load_library_for(world_, name);
  if (const Symbol* symbol = world_.global(name)) return use_symbol(*symbol, std::move(expr));
  if (auto value = world_.foreign.enumerator(name))
    return integer(static_cast<uint64_t>(*value),
                   world_.types.integer(*value == static_cast<int32_t>(*value) ? 4 : 8, true), here(expr->where));
  unknown_name(name, expr->where);
}

void Checker::unknown_name(const std::string& name, SourceRange where) {
  if (name == "`") fail("D_IDENT_UNDEF", where, "failed to resolve `: Unknown symbol name");
  if (name.find('`') != std::string::npos)
    fail("D_IDENT_UNDEF", where, "failed to resolve " + name + ": No symbol information available",
         name.starts_with("D`") ? "D` is for types: variables stand without"
                                : "no event source reads variables of the kernel or of programs by name");
  if (world_.function(name) || world_.aggregating_function(name))
    fail("D_IDENT_UNDEF", where, "failed to resolve " + name + ": Unknown variable name",
         name + " is a function: write " + name + "()");
  Suggestion suggestion(name);
  for (const auto& [known, symbol] : world_.names.globals) suggestion.offer(known);
  for (const DVariable& row : kVariables)
    if (!row.name.starts_with("__")) suggestion.offer(row.name);
  for (const LibraryConstant& known : library_constants()) suggestion.offer(known.name);
  std::string hint = suggestion.hint();
  if (world_.names.self.contains(name)) hint = "did you mean 'self->" + name + "'?";
  if (world_.names.locals.contains(name)) hint = "did you mean 'this->" + name + "'?";
  if (auto other = hint_on_other_word(OtherWord::Kind::Variable, name); !other.empty()) hint = other;
  fail("D_IDENT_UNDEF", where, "failed to resolve " + name + ": Unknown variable name", hint);
}

ExprPtr Checker::use_symbol(const Symbol& symbol, ExprPtr expr) {
  switch (symbol.kind) {
    case Symbol::Kind::Variable: return variable(symbol, here(expr->where));
    case Symbol::Kind::Array:
      fail("D_IDENT_BADREF", expr->where, "associative array '" + expr->text + "' may not be referenced as scalar",
           "give it an index: " + expr->text + "[...]");
    case Symbol::Kind::Enumerator: return integer(static_cast<uint64_t>(symbol.value), symbol.type, here(expr->where));
    case Symbol::Kind::Inline:
      if (!symbol.definition->parameters.empty())
        fail("D_IDENT_BADREF", expr->where, "associative array '" + expr->text + "' may not be referenced as scalar");
      return expand(symbol, expr->text, {}, expr->where);
    case Symbol::Kind::Prototype: break;
  }
  fail("D_IDENT_BADREF", expr->where, "function '" + expr->text + "' may not be referenced as scalar");
}

ExprPtr Checker::use_builtin(const DVariable& row, ExprPtr expr) {
  std::string name(row.name);
  switch (row.from) {
    case From::Refused: fail("D_UNKNOWN", expr->where, std::string(row.doc));
    case From::Typed:
    case From::Registers:
    case From::TextOf: {
      const std::string_view other = hint_on_other_word(OtherWord::Kind::Variable, name);
      fail("D_IDENT_BADREF", expr->where, "associative array '" + name + "' may not be referenced as scalar",
           other.empty() ? "give it an index: " + name + "[...]" : std::string(other));
    }
    case From::Argument:
    case From::Fire:
    case From::Text:
    case From::Header:
    case From::Body:
    case From::Library: break;
  }
  const Type* type = world_.types.of_text(row.type, world_.types.int_type());
  if (row.of_kernel && !world_.probes.capabilities().kernel) return opaque(type, name, here(expr->where));
  ExprPtr out = make(ExprKind::Builtin, type, here(expr->where));
  out->builtin = &row;
  out->text = name;
  return out;
}

/// A kernel's pointer where nobody sees the kernel: a value for each thread, to be compared and kept; it leads nowhere.
ExprPtr Checker::opaque(const Type* type, const std::string& name, SourceRange where) {
  constexpr uint64_t kLikeTheKernels = 0xffff'8000'0000'0000;
  const Type* word = world_.types.integer(8, false);
  const DVariable& thread = *find_variable("tid");
  ExprPtr id = make(ExprKind::Builtin, world_.types.of_text(thread.type, nullptr), where);
  id->builtin = &thread;
  id->text = thread.name;
  ExprPtr moved = binary(Op::Shl, cast(std::move(id), word), integer(6, word, where), word, where);
  ExprPtr out = cast(binary(Op::Or, std::move(moved), integer(kLikeTheKernels, word, where), word, where), type);
  out->text = name;  // leads_into_kernel() finds it by that
  return out;
}

/// Whether it was made of an opaque() one.
bool Checker::leads_into_kernel(const Expr& pointer) {
  if (pointer.kind == ExprKind::Cast && !pointer.text.empty()) return true;
  return std::ranges::any_of(pointer.kids, [](const ExprPtr& kid) { return leads_into_kernel(*kid); });
}

ExprPtr Checker::check_unary(ExprPtr expr) {
  if (expr->op == Op::LogNot) {
    expr->kids[0] = scalar(std::move(expr->kids[0]), "D_OP_SCALAR", "operator ! requires an operand of scalar type");
    expr->type = world_.types.int_type();
    return fold(std::move(expr));
  }
  expr->kids[0] = operand(std::move(expr->kids[0]));
  if (!expr->kids[0]->type->is_integer()) {
    if (expr->op == Op::Not) fail("D_OP_INT", expr->where, "operator ~ requires an operand of integral type");
    fail("D_OP_ARITH", expr->where, "operator " + expr->text + " requires an operand of arithmetic type");
  }
  expr->type = expr->kids[0]->type;
  if (expr->op == Op::Plus) {
    ExprPtr kid = rvalue(std::move(expr->kids[0]));
    return kid->type == expr->type ? std::move(kid) : convert(std::move(kid), expr->type);
  }
  return fold(std::move(expr));
}

ExprPtr Checker::check_deref(ExprPtr expr) {
  expr->kids[0] = decay(value(std::move(expr->kids[0])));
  const Type* pointer = expr->kids[0]->type->canonical;
  if (pointer->kind == Type::Kind::String) {  // its bytes
    expr->kids[0] = cast(std::move(expr->kids[0]), world_.types.pointer_to(world_.types.integer(1, true)));
    pointer = expr->kids[0]->type;
  }
  if (pointer->kind != Type::Kind::Pointer) fail("D_DEREF_NONPTR", expr->where, "cannot dereference non-pointer type");
  Type::Kind kind = pointer->target->canonical->kind;
  if (kind == Type::Kind::Void)
    fail("D_DEREF_VOID", expr->where, "cannot dereference pointer to void",
         "cast it to a pointer to what it points to");
  if (kind == Type::Kind::Function) fail("D_DEREF_FUNC", expr->where, "cannot dereference pointer to function");
  if (!world_.foreign.complete(pointer->target))
    fail("D_OP_INCOMPLETE", expr->where,
         "operator * cannot be applied to a forward declaration: no " + pointer->target->name +
             " definition is available",
         world_.foreign.advice(pointer->target->name));
  expr->type = expr->kids[0]->type->canonical->target;
  note_kernel(*expr->kids[0]);
  return expr;
}

/// What follows a pointer into the kernel compiles everywhere, and is refused when it is enabled.
void Checker::note_kernel(const Expr& pointer) {
  if (!world_.probes.capabilities().kernel && leads_into_kernel(pointer))
    needs_kernel_ = "what it follows is of the kernel, which only the " +
                    sources_with([](const SourceCapabilities& can) { return can.kernel; }) + " source sees";
}

ExprPtr Checker::check_address(ExprPtr expr) {
  ExprPtr operand = value(std::move(expr->kids[0]));
  if (operand->kind == ExprKind::Deref) {
    if (operand->bit_width) fail("D_ADDROF_BITFIELD", expr->where, "cannot take address of bit-field");
    const Expr* base = operand->kids[0].get();
    while (base->kind == ExprKind::Binary || base->kind == ExprKind::Cast) base = base->kids[0].get();
    const bool of_variable = base->kind == ExprKind::AddressOf && base->kids[0]->type->is_record();
    if (of_variable) fail("D_ADDROF_VAR", expr->where, "cannot take address of dynamic variable");
    return fold(cast(std::move(operand->kids[0]), world_.types.pointer_to(operand->type)));
  }
  if (operand->kind == ExprKind::Variable || operand->kind == ExprKind::ArrayElement ||
      operand->kind == ExprKind::Builtin || operand->kind == ExprKind::AddressOf ||
      operand->kind == ExprKind::AggregationRef)
    fail("D_ADDROF_VAR", expr->where, "cannot take address of dynamic variable");
  fail("D_ADDROF_LVAL", expr->where, "unacceptable operand for unary & operator");
}

ExprPtr Checker::check_cast(ExprPtr expr) {
  const Type* to = named(*expr->type_name);
  ExprPtr from = check(std::move(expr->kids[0]));
  const Type *a = to->canonical, *b = from->type->canonical;
  auto invalid = [&] {
    std::string name = b->kind == Type::Kind::Dynamic ? "pointer to translated data" : from->type->name;
    fail("D_CAST_INVAL", expr->where, "invalid cast expression: \"" + name + "\" to \"" + to->name + "\"");
  };
  if (a->kind == Type::Kind::Void) {
    expr->kids[0] = std::move(from);
    expr->type = to;
    return expr;
  }
  if (a == b && to->is_record()) return from;
  text_member_ = nullptr;  // a pointer has no bounds
  bool scalar_target = to->is_integer() || a->kind == Type::Kind::Pointer;
  bool scalar_source = from->type->is_scalar() || b->kind == Type::Kind::String || b->kind == Type::Kind::Array;
  if (a->kind == Type::Kind::String) {
    if (b->kind == Type::Kind::String || is_char_pointer(b) || is_null(*from)) return convert(std::move(from), to);
    if (!scalar_source) invalid();
    return string_of(std::move(from), expr->where);
  }
  if (!scalar_target || !scalar_source ||
      (b->kind == Type::Kind::String && to->is_integer() && a->size < world_.types.word_bytes()))
    invalid();
  expr->kids[0] = decay(std::move(from));
  expr->type = to;
  return fold(std::move(expr));
}

/// `sizeof (foo_t)` where nothing else is called foo_t: a type that the script does not define. Null: it is none.
const Type* Checker::foreign_name(const Expr& operand) {
  if (operand.kind != ExprKind::Name || operand.type || parameter(operand.text)) return nullptr;
  const std::string& name = operand.text;
  if (name == "`") return nullptr;
  bool known = world_.names.globals.contains(name) || find_variable(name) || find_constant(name) ||
               name.starts_with('@') || name == "NULL" || name == "self" || name == "this";
  if (known) return nullptr;
  load_library_for(world_, name);
  return world_.names.globals.contains(name) ? nullptr : world_.foreign.find(name);
}

ExprPtr Checker::check_sizeof(ExprPtr expr) {
  const Type* type = nullptr;
  uint64_t size = 0;
  if (expr->kind == ExprKind::SizeofType) {
    type = named(*expr->type_name);
    world_.foreign.complete(type);
    size = type->canonical->size;
  } else if (const Type* foreign = foreign_name(*expr->kids[0])) {
    type = foreign;
    world_.foreign.complete(type);
    size = type->canonical->size;
  } else {
    const bool text = expr->kids[0]->kind == ExprKind::String, member = expr->kids[0]->kind == ExprKind::Member;
    text_member_ = nullptr;
    ExprPtr operand = check(std::move(expr->kids[0]));
    world_.foreign.complete(operand->type);
    if (operand->bit_width) fail("D_SIZEOF_BITFIELD", expr->where, "cannot apply sizeof to a bit-field");
    type = member && text_member_ != nullptr ? text_member_ : operand->type;
    size = text ? operand->text.size() + 1 : type->canonical->size;
  }
  Type::Kind kind = type->canonical->kind;
  if (kind == Type::Kind::Void || kind == Type::Kind::Function || kind == Type::Kind::Dynamic ||
      kind == Type::Kind::Stack || kind == Type::Kind::Aggregation || !type->canonical->complete)
    fail("D_SIZEOF_TYPE", expr->where, "cannot apply sizeof to an operand of unknown size");
  return integer(size, world_.types.find("size_t"), here(expr->where));
}

ExprPtr Checker::check_offsetof(ExprPtr expr) {
  const Type* type = named(*expr->type_name);
  const bool complete = world_.foreign.complete(type);
  if (!type->is_record() || !complete)
    fail("D_OFFSETOF_TYPE", expr->where, "offsetof operand must be a struct or union type");
  for (const Member& member : type->canonical->members) {
    if (member.name != expr->text) continue;
    if (member.bit_width) fail("D_OFFSETOF_BITFIELD", expr->where, "cannot take offset of a bit-field: " + expr->text);
    return integer(member.offset, world_.types.find("size_t"), here(expr->where));
  }
  fail("D_UNKNOWN", expr->where, "failed to determine offset of " + expr->text + ": Type or member name not found");
}

ExprPtr Checker::check_stringof(ExprPtr expr) {
  ExprPtr operand = check(std::move(expr->kids[0]));
  const Type* type = operand->type->canonical;
  if (type->kind == Type::Kind::String) return operand;
  bool possible = operand->type->is_scalar() || is_char_pointer(type);
  if (!possible)
    fail("D_STRINGOF_TYPE", expr->where, "cannot apply stringof to a value of type " + operand->type->name);
  return string_of(std::move(operand), here(expr->where));
}

}  // namespace sonde
