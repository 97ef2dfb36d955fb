// SPDX-License-Identifier: GPL-3.0-or-later
// Expressions
//
// value() first checks whether the fire part has captured this very expression. If so, its value is the slot, and no
// code is made for its kids. So code that needs a value must call value(), never a function for one kind of expression.
//
// Arithmetic works on 64 bits; narrow() cuts a value to its type. compiler/check/fold.cpp and kmod/shared/dif.c compute
// the same.
#include "compiler/codegen/codegen.h"

#include "compiler/types/arithmetic.h"
#include "runtime/base/find.h"

namespace sonde {

std::vector<BodyCodegen::Value> BodyCodegen::values(const LoweredExpr& expr, size_t first, size_t count) {
  std::vector<Value> all;
  for (size_t i = first; i < first + count; ++i) all.push_back(narrowed(*expr.kids[i]));
  return all;
}

/// The value of an expression; an action has none and returns 0.
BodyCodegen::Value BodyCodegen::value(const LoweredExpr& expr) {
  const uint32_t* slot = find_in(clause_->slot_of, &expr);
  return slot == nullptr ? plain_value(expr) : slot_value(expr, *slot);
}

BodyCodegen::Value BodyCodegen::plain_value(const LoweredExpr& expr) {
  switch (expr.kind) {
    case LoweredKind::Integer: return constant(expr.integer);
    case LoweredKind::String: return text_constant(expr.text);
    case LoweredKind::Call: return subroutine(expr);
    case LoweredKind::Unary: return unary(expr);
    case LoweredKind::Binary: return binary(expr);
    case LoweredKind::Logical: return logical(expr);
    case LoweredKind::Conditional: return conditional(expr);
    case LoweredKind::Assign: return assign(expr);
    case LoweredKind::Update: return update(expr);
    case LoweredKind::Cast: return cast(expr);
    case LoweredKind::StringOf: {
      const uint64_t size = expr.integer ? expr.integer : expr.type->size;
      if (!clause_->followed.contains(&expr)) return string_of(*expr.kids[0], size);
      return checked_call("sonde_held_copyinstr", {code_.context(), value(*expr.kids[0]), constant(size + 1)});
    }
    case LoweredKind::AddressOf: return address(*expr.kids[0]);
    case LoweredKind::Variable: return kept_string(expr, load_variable(expr));
    case LoweredKind::Deref: return load(place(expr));
    case LoweredKind::ArrayElement: return kept_string(expr, load(place(expr)));
    case LoweredKind::Builtin: return builtin(expr);
    case LoweredKind::AggregationRef: return constant(expr.variable_index);
    case LoweredKind::Aggregate: aggregate(expr); return constant(0);
    case LoweredKind::Comma: {
      Value last = constant(0);
      for (const LoweredExprPtr& kid : expr.kids) last = value(*kid);
      return last;
    }
  }
  __builtin_unreachable();
}

/// 1 or 0.
BodyCodegen::Value BodyCodegen::truth(const LoweredExpr& expr) {
  return code_.binary(BodyOp::NotEqual, value(expr), constant(0));
}

// ---- what the record brings ------------------------------------------------------------------------------------

/// Bytes are copied at each use, because the script may write to them; other slots are fetched once.
BodyCodegen::Value BodyCodegen::slot_value(const LoweredExpr& expr, uint32_t slot) {
  const Value number = constant(slot);
  sonde_slot_kind kind = clause_->captures[slot].kind;
  if (kind == SONDE_SLOT_BYTES) return checked_call("sonde_slot_bytes", {code_.context(), number});
  if (const Value* known = find_in(slot_values_, slot)) return *known;
  Value result;
  if (kind == SONDE_SLOT_TEXT) {
    result = checked_call("sonde_slot_text", {code_.context(), number});
  } else if (kind == SONDE_SLOT_STACK || kind == SONDE_SLOT_KERNEL_STACK) {
    result = checked_call("sonde_slot_stack", {code_.context(), number});
  } else if (expr.kind == LoweredKind::Deref) {
    result = checked_call("sonde_slot_word", {code_.context(), number});
  } else {
    // Arguments and variables are always there.
    result = code_.load(field(offsetof(BodyContext, slots)), 8ull * slot, 8, false);
    result = narrow(result, *expr.type);
  }
  if (conditional_depth_ == 0) slot_values_[slot] = result;
  return result;
}

BodyCodegen::Value BodyCodegen::builtin(const LoweredExpr& expr) {
  const DVariable& variable = *expr.builtin;
  if (variable.from == From::Header) return header_field(variable.which, expr.type->size, extends_sign(*expr.type));
  if (variable.from == From::Body) return checked_call("sonde_var_" + std::string(variable.name), {code_.context()});
  return refuse(std::string(variable.name) + " was not captured");
}

// ---- arithmetic ------------------------------------------------------------------------------------------------

BodyCodegen::Value BodyCodegen::unary(const LoweredExpr& expr) {
  const Value kid = value(*expr.kids[0]);
  if (expr.op == Op::Neg) return code_.binary(BodyOp::Sub, constant(0), kid);
  if (expr.op == Op::Not) return code_.binary(BodyOp::Xor, kid, constant(~0ull));
  return is_zero(kid);
}

BodyCodegen::Value BodyCodegen::binary(const LoweredExpr& expr) {
  const LoweredExpr &left = *expr.kids[0], &right = *expr.kids[1];
  Value a = value(left), b = value(right);
  if (left.type->is_string() || right.type->is_string()) {
    Value order = checked_call("sonde_compare_strings", {code_.context(), a, b});
    return comparison(expr.op, false, order, constant(0));
  }
  return operation(expr.op, *left.type, *right.type, a, b);
}

BodyCodegen::Value BodyCodegen::operation(Op op, const Type& left, const Type& right, Value a, Value b) {
  bool is_unsigned = operation_is_unsigned(left, right);
  switch (op) {
    case Op::Add: return code_.binary(BodyOp::Add, a, b);
    case Op::Sub: return code_.binary(BodyOp::Sub, a, b);
    case Op::Mul: return code_.binary(BodyOp::Mul, a, b);
    case Op::Div:
    case Op::Mod: return division(op, is_unsigned, a, b);
    case Op::And: return code_.binary(BodyOp::And, a, b);
    case Op::Or: return code_.binary(BodyOp::Or, a, b);
    case Op::Xor: return code_.binary(BodyOp::Xor, a, b);
    case Op::Shl:
    case Op::Shr: return shift(op, is_unsigned_type(left), a, b);
    case Op::Eq:
    case Op::Ne:
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge: return comparison(op, is_unsigned, a, b);
    case Op::None:
    case Op::LogAnd:
    case Op::LogOr:
    case Op::LogXor:
    case Op::Neg:
    case Op::Not:
    case Op::LogNot:
    case Op::Plus: break;
  }
  return refuse("an operator that is not binary");
}

BodyCodegen::Value BodyCodegen::comparison(Op op, bool is_unsigned, Value a, Value b) {
  const BodyOp below = is_unsigned ? BodyOp::Below : BodyOp::Less;
  const BodyOp below_equal = is_unsigned ? BodyOp::BelowEqual : BodyOp::LessEqual;
  if (op == Op::Eq) return code_.binary(BodyOp::Equal, a, b);
  if (op == Op::Ne) return code_.binary(BodyOp::NotEqual, a, b);
  if (op == Op::Lt) return code_.binary(below, a, b);
  if (op == Op::Le) return code_.binary(below_equal, a, b);
  return code_.binary(op == Op::Gt ? below : below_equal, b, a);
}

/// Division by zero faults. INT64_MIN / -1 would trap the processor: -1 is replaced by 1, and the quotient negated.
BodyCodegen::Value BodyCodegen::division(Op op, bool is_unsigned, Value a, Value b) {
  const std::optional<uint64_t> known = code_.constant_of(b);
  if (!known || *known == 0) fault_if(is_zero(b), Fault::DivideByZero, constant(0));
  if (known && *known == 0) return constant(0);
  if (is_unsigned) return code_.binary(op == Op::Div ? BodyOp::DivUnsigned : BodyOp::ModUnsigned, a, b);
  const Value negates = code_.binary(BodyOp::Equal, b, constant(~0ull));
  const Value divisor = code_.select(negates, constant(1), b);
  if (op == Op::Mod) return code_.binary(BodyOp::ModSigned, a, divisor);
  const Value quotient = code_.binary(BodyOp::DivSigned, a, divisor);
  return code_.select(negates, code_.binary(BodyOp::Sub, constant(0), a), quotient);
}

/// Negative counts, and counts above 63, give 0.
BodyCodegen::Value BodyCodegen::shift(Op op, bool is_unsigned, Value a, Value b) {
  const BodyOp right = is_unsigned ? BodyOp::ShiftRight : BodyOp::ShiftRightSigned;
  const Value fits = code_.binary(BodyOp::BelowEqual, b, constant(63));
  const Value count = code_.binary(BodyOp::And, b, constant(63));
  return code_.select(fits, code_.binary(op == Op::Shl ? BodyOp::ShiftLeft : right, a, count), constant(0));
}

// ---- control ---------------------------------------------------------------------------------------------------

BodyCodegen::Value BodyCodegen::logical(const LoweredExpr& expr) {
  const Value left = truth(*expr.kids[0]);
  if (expr.op == Op::LogXor) return code_.binary(BodyOp::Xor, left, truth(*expr.kids[1]));
  const Value result = code_.variable();
  code_.copy(result, left);
  const BodyLabel more = code_.label(), end = code_.label();
  const bool is_and = expr.op == Op::LogAnd;
  code_.branch(left, is_and ? more : end, is_and ? end : more);
  code_.bind(more);
  ++conditional_depth_;
  code_.copy(result, truth(*expr.kids[1]));
  --conditional_depth_;
  code_.bind(end);
  return result;
}

BodyCodegen::Value BodyCodegen::conditional(const LoweredExpr& expr) {
  const BodyLabel arms[2] = {code_.label(), code_.label()}, end = code_.label();
  const Value result = code_.variable();
  code_.branch(value(*expr.kids[0]), arms[0], arms[1]);
  ++conditional_depth_;
  for (int i : {0, 1}) {
    code_.bind(arms[i]);
    code_.copy(result, value(*expr.kids[1 + i]));
    code_.jump(end);
  }
  --conditional_depth_;
  code_.bind(end);
  return result;
}

// ---- conversions and calls -------------------------------------------------------------------------------------

BodyCodegen::Value BodyCodegen::cast(const LoweredExpr& expr) {
  const LoweredExpr& kid = *expr.kids[0];
  if (expr.type->is_string() && !kid.type->is_string()) return string_of(kid, expr.type->size);
  if (expr.type->is_pointer() && kid.type->is_string())
    return checked_call("sonde_text_memory", {code_.context(), value(kid)});
  Value result = narrow(value(kid), *expr.type);
  if (expr.bound != 0)
    fault_if(code_.binary(BodyOp::BelowEqual, constant(expr.bound), result), Fault::BadIndex, result);
  return result;
}

/// At most `size` bytes: a char array limits the text by its size, a pointer's text is limited by strsize.
BodyCodegen::Value BodyCodegen::string_of(const LoweredExpr& source, uint64_t size) {
  if (source.type->is_string()) return value(source);
  return checked_call("sonde_string_of", {code_.context(), value(source), constant(size)});
}

/// Strings are values: if the statement also stores a string, one that was read from a variable is copied. NULL stays
/// NULL.
BodyCodegen::Value BodyCodegen::kept_string(const LoweredExpr& variable, Value text) {
  if (!stores_strings_ || !variable.type->is_string()) return text;
  const Value result = code_.variable();
  code_.copy(result, text);
  const BodyLabel there = code_.label(), end = code_.label();
  code_.branch(text, there, end);
  ++conditional_depth_;
  code_.bind(there);
  code_.copy(result, checked_call("sonde_string_of", {code_.context(), text, constant(variable.type->size)}));
  --conditional_depth_;
  code_.bind(end);
  return result;
}

namespace {

/// Such as in ufunc(ucaller): the function must be looked up for the call before that address.
bool is_return_address(const LoweredExpr& expr) {
  if (expr.kind == LoweredKind::Cast) return is_return_address(*expr.kids[0]);
  return expr.builtin != nullptr && is_return_address(*expr.builtin);
}

}  // namespace

/// Of functions that chain, one call takes the arguments of all: code costs more to make than they cost to run.
void BodyCodegen::add_arguments(const LoweredExpr& call, std::vector<Value>& all) {
  for (const LoweredExprPtr& kid : call.kids) {
    const bool chained = call.function->chains && kid->kind == LoweredKind::Call && kid->function == call.function;
    if (chained && !clause_->slot_of.contains(kid.get()))
      add_arguments(*kid, all);
    else
      all.push_back(narrowed(*kid));
  }
}

BodyCodegen::Value BodyCodegen::subroutine(const LoweredExpr& expr) {
  if (expr.function->runs == Runs::Impossible) return constant(0);  // its clause is never enabled
  if (is_action(expr.function->runs)) return action(expr);
  if (expr.function->runs == Runs::Fire) return fire_function(expr);
  if (expr.function->runs == Runs::Refused) return refuse(std::string(expr.function->doc));
  std::vector<Value> arguments;
  add_arguments(expr, arguments);
  if (expr.type->kind == Type::Kind::Symbol) arguments.push_back(constant(is_return_address(*expr.kids[0])));
  Value result = checked_call("sonde_fn_" + std::string(expr.function->name),
                              {code_.context(), constant(arguments.size()), code_.words(arguments)});
  return narrow(result, *expr.type);
}

/// Reads what the fire part could not capture; the thread waits.
BodyCodegen::Value BodyCodegen::fire_function(const LoweredExpr& expr) {
  if (expr.kids.empty()) return refuse(std::string(expr.function->name) + "() was not captured");
  std::vector<Value> arguments = values(expr, 0, expr.kids.size());
  if (arguments.size() < 2) arguments.push_back(constant(~0ull));
  return checked_call("sonde_held_" + std::string(expr.function->name), {code_.context(), arguments[0], arguments[1]});
}

}  // namespace sonde
