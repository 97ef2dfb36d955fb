// SPDX-License-Identifier: GPL-3.0-or-later
// Places: variables, elements of associative arrays, memory.
//
// A variable is a cell, which holds a number, or the address of a runtime buffer with the string or bytes. Memory is
// accessed through pointers of D, which may be any number: each access is checked, unless it obviously stays inside a
// variable.
#include <cstring>

#include "compiler/codegen/codegen.h"
#include "compiler/types/arithmetic.h"
#include "runtime/base/find.h"

namespace sonde {
namespace {

bool is_bytes(const Type& type) { return type.is_record() || type.canonical->kind == Type::Kind::Array; }

bool is_float(const Type& type) { return type.canonical->kind == Type::Kind::Float; }

uint64_t scope_offset(VariableDesc::Scope scope) {
  switch (scope) {
    case VariableDesc::Scope::Global: return offsetof(BodyContext, globals);
    case VariableDesc::Scope::Self: return offsetof(BodyContext, self);
    case VariableDesc::Scope::This: return offsetof(BodyContext, locals);
  }
  return 0;
}

/// The element of an associative array that a pointer points into; null if it does not.
const LoweredExpr* element_below(const LoweredExpr& pointer) {
  const LoweredExpr* at = &pointer;
  while (at->kind == LoweredKind::Cast || (at->kind == LoweredKind::Binary && at->op == Op::Add))
    at = at->kids[0].get();
  if (at->kind != LoweredKind::AddressOf) return nullptr;
  at = at->kids[0].get();
  if (at->kind == LoweredKind::Deref) return element_below(*at->kids[0]);
  return at->kind == LoweredKind::ArrayElement ? at : nullptr;
}

}  // namespace

BodyCodegen::Place BodyCodegen::place(const LoweredExpr& expr) {
  switch (expr.kind) {
    case LoweredKind::Variable: return {.expr = &expr};
    case LoweredKind::ArrayElement: return {.expr = &expr, .at = code_.own_words(values(expr, 0, expr.kids.size()))};
    case LoweredKind::Deref: return {.expr = &expr, .at = value(*expr.kids[0])};
    default: break;
  }
  refuse("an assignment to something that is not a place");
  return {.expr = &expr, .at = constant(0)};
}

BodyCodegen::Value BodyCodegen::load(const Place& place) {
  const LoweredExpr& expr = *place.expr;
  if (expr.kind == LoweredKind::Variable) return load_variable(expr);
  if (expr.kind == LoweredKind::Deref)
    return load_memory(expr, place.at, is_known_memory(*expr.kids[0], accessed_bytes(expr)));
  if (is_bytes(*expr.type)) return element_bytes(expr, place.at);
  Value word = checked_call("sonde_array_load", {code_.context(), constant(expr.variable_index), place.at});
  return narrow(word, *expr.type);
}

void BodyCodegen::store(const Place& place, Value value) {
  const LoweredExpr& expr = *place.expr;
  if (expr.kind == LoweredKind::Variable) return store_variable(expr, value);
  if (expr.kind == LoweredKind::Deref) {
    store_memory(expr, place.at, value);
    if (place.element) store_element(*place.element, place.keys, place.copy);
    return;
  }
  store_element(expr, place.at, value);
}

void BodyCodegen::store_element(const LoweredExpr& element, Value keys, Value value) {
  checked_call("sonde_array_store", {code_.context(), constant(element.variable_index), keys, value});
}

/// For a member of a struct in an associative array: the struct is copied, the copy changed, and then stored as a
/// whole.
BodyCodegen::Place BodyCodegen::place_to_store(const LoweredExpr& expr) {
  const LoweredExpr* element = expr.kind == LoweredKind::Deref ? element_below(*expr.kids[0]) : nullptr;
  if (!element) return place(expr);
  Value keys = code_.own_words(values(*element, 0, element->kids.size()));
  Value old = element_bytes(*element, keys);
  Value copy = checked_call("sonde_scratch", {code_.context(), constant(element->type->size)});
  move_bytes(copy, old, element->type->size);
  copied_elements_[element] = copy;
  Place result = place(expr);
  copied_elements_.erase(element);
  result.element = element;
  result.keys = keys;
  result.copy = copy;
  return result;
}

/// The value as a load from that place would return it: the value of an assignment.
BodyCodegen::Value BodyCodegen::as_kept(const LoweredExpr& place, Value value) {
  Value kept = narrow(value, *place.type);
  if (place.kind != LoweredKind::Deref || place.bit_width == 0 || place.bit_width == 64) return kept;
  return field_of_word(place, code_.binary(BodyOp::ShiftLeft, kept, constant(place.bit_offset)));
}

BodyCodegen::Value BodyCodegen::assign(const LoweredExpr& expr) {
  Place target = place_to_store(*expr.kids[0]);
  bool text_to_array = is_bytes(*expr.kids[0]->type) && expr.kids[1]->type->is_string();
  if (text_to_array) {  // of a translated object: char pr_fname[16] takes a string
    Value text = value(*expr.kids[1]);
    store_text(target.at, text, expr.kids[0]->type->size);
    return text;
  }
  Value result = as_kept(*expr.kids[0], value(*expr.kids[1]));
  store(target, result);
  return result;
}

namespace {

/// The type that op= computes in: a bit-field narrower than int is an int.
const Type& computed_type(const LoweredExpr& place) {
  static const Type* const as_int = [] {
    auto* type = new Type;
    type->kind = Type::Kind::Integer;
    type->size = 4;
    type->is_signed = true;
    type->canonical = type;
    return type;
  }();
  return place.bit_width != 0 && place.bit_width < 32 ? *as_int : *place.type;
}

}  // namespace

BodyCodegen::Value BodyCodegen::update(const LoweredExpr& expr) {
  const LoweredExpr &left = *expr.kids[0], &right = *expr.kids[1];
  Place target = place_to_store(left);
  Value before = load(target);
  Value after = as_kept(left, operation(expr.op, computed_type(left), *right.type, before, value(right)));
  store(target, after);
  return expr.postfix ? before : after;
}

// ---- variables -------------------------------------------------------------------------------------------------

/// Where the cell is: an address and an offset.
std::pair<BodyCodegen::Value, uint64_t> BodyCodegen::cell(const VariableDesc& variable) {
  return {field(scope_offset(variable.scope)), 8ull * variable.cell};
}

BodyCodegen::Value BodyCodegen::cell_address(const VariableDesc& variable) {
  const auto [base, offset] = cell(variable);
  return code_.binary(BodyOp::Add, base, constant(offset));
}

/// A string that was never assigned is "" (which the runtime ensures), but a thread's, or one that was assigned NULL,
/// is NULL.
BodyCodegen::Value BodyCodegen::load_variable(const LoweredExpr& expr) {
  if (is_bytes(*expr.type)) return address(expr);
  const auto [base, offset] = cell(program_.variables[expr.variable_index]);
  return code_.load(base, offset, 8, false);
}

void BodyCodegen::store_variable(const LoweredExpr& expr, Value value) {
  const Type& type = *expr.type;
  const VariableDesc& variable = program_.variables[expr.variable_index];
  if (type.is_string()) {
    checked_call("sonde_store_string", {code_.context(), cell_address(variable), value});
  } else if (is_bytes(type)) {
    if (code_.constant_of(value) != 0) may("sonde_may_load", value, type.size);
    checked_call("sonde_store_bytes", {code_.context(), cell_address(variable), value, constant(type.size)});
  } else {  // a float is the bits of a double
    const auto [base, offset] = cell(variable);
    code_.store(base, offset, value, 8);
  }
}

// ---- memory ----------------------------------------------------------------------------------------------------

void BodyCodegen::may(std::string_view helper, Value address, uint64_t size) {
  leave_unless(call(helper, Helper::Half, {code_.context(), address, constant(size)}));
}

void BodyCodegen::move_bytes(Value to, Value from, uint64_t size) {
  auto move = reinterpret_cast<const void*>(static_cast<void* (*)(void*, const void*, size_t)>(&std::memmove));
  code_.call(move, Helper::Word, {to, from, constant(size)});
}

/// Whether it is &variable plus a constant that stays inside it: then no check is needed.
bool BodyCodegen::is_known_memory(const LoweredExpr& pointer, uint64_t size) const {
  uint64_t offset = 0;
  const LoweredExpr* at = &pointer;
  for (;;) {
    if (at->kind == LoweredKind::Cast && at->type->is_pointer()) {
      at = at->kids[0].get();
    } else if (at->kind == LoweredKind::Binary && at->op == Op::Add && at->kids[1]->kind == LoweredKind::Integer) {
      offset += at->kids[1]->integer;
      at = at->kids[0].get();
    } else {
      break;
    }
  }
  if (at->kind != LoweredKind::AddressOf || at->kids[0]->kind != LoweredKind::Variable) return false;
  uint64_t whole = at->kids[0]->type->size;
  return offset <= whole && size <= whole - offset;
}

void BodyCodegen::store_text(Value address, Value text, uint64_t size) {
  checked_call("sonde_store_text", {code_.context(), address, text, constant(size)});
}

BodyCodegen::Value BodyCodegen::load_memory(const LoweredExpr& expr, Value address, bool known) {
  if (expr.type->is_string())
    return checked_call("sonde_string_of", {code_.context(), address, constant(expr.type->size)});
  if (clause_->followed.contains(&expr)) {
    address = checked_call("sonde_held_copyin", {code_.context(), address, constant(accessed_bytes(expr))});
  } else if (!known) {
    may("sonde_may_load", address, accessed_bytes(expr));
  }
  if (is_bytes(*expr.type)) return address;
  if (is_float(*expr.type)) return code_.load_float(address, expr.type->size);
  const uint64_t bytes = accessed_bytes(expr);
  if (bytes == 0 || bytes > 8) return refuse("a load of " + std::to_string(bytes) + " bytes");
  if (expr.bit_width) return field_of_word(expr, code_.load(address, 0, bytes, false));
  return code_.load(address, 0, bytes, extends_sign(*expr.type));
}

BodyCodegen::Value BodyCodegen::field_of_word(const LoweredExpr& expr, Value word) {
  uint64_t above = 64u - expr.bit_offset - expr.bit_width, unused = 64u - expr.bit_width;
  const Value up = code_.binary(BodyOp::ShiftLeft, word, constant(above));
  const BodyOp down = extends_sign(*expr.type) ? BodyOp::ShiftRightSigned : BodyOp::ShiftRight;
  return code_.binary(down, up, constant(unused));
}

void BodyCodegen::store_memory(const LoweredExpr& expr, Value address, Value value) {
  if (expr.type->is_string()) return store_text(address, value, expr.type->size);
  if (!is_known_memory(*expr.kids[0], accessed_bytes(expr))) may("sonde_may_store", address, accessed_bytes(expr));
  if (is_bytes(*expr.type)) {
    may("sonde_may_load", value, expr.type->size);
    move_bytes(address, value, expr.type->size);
    return;
  }
  if (is_float(*expr.type)) return code_.store_float(address, value, expr.type->size);
  const uint64_t bytes = accessed_bytes(expr);
  if (bytes == 0 || bytes > 8) {
    refuse("a store of " + std::to_string(bytes) + " bytes");
    return;
  }
  if (expr.bit_width) {
    const uint64_t mask = (expr.bit_width == 64 ? ~0ull : (1ull << expr.bit_width) - 1) << expr.bit_offset;
    const Value old = code_.binary(BodyOp::And, code_.load(address, 0, bytes, false), constant(~mask));
    const Value moved = code_.binary(BodyOp::ShiftLeft, value, constant(expr.bit_offset));
    value = code_.binary(BodyOp::Or, old, code_.binary(BodyOp::And, moved, constant(mask)));
  }
  code_.store(address, 0, value, bytes);
}

/// The address of a struct or an array.
BodyCodegen::Value BodyCodegen::address(const LoweredExpr& expr) {
  switch (expr.kind) {
    case LoweredKind::Deref: return value(*expr.kids[0]);
    case LoweredKind::ArrayElement: {
      if (const Value* copied = find_in(copied_elements_, &expr)) return *copied;
      return element_bytes(expr, code_.words(values(expr, 0, expr.kids.size())));
    }
    case LoweredKind::Variable: {
      const VariableDesc& variable = program_.variables[expr.variable_index];
      return checked_call("sonde_cell_bytes", {code_.context(), cell_address(variable), constant(expr.type->size)});
    }
    default: break;
  }
  // A struct that is a value, such as the result of ?:, is its address.
  if (is_bytes(*expr.type)) return value(expr);
  return refuse("the address of a value");
}

/// A missing element is read as zeros, in a scratch copy.
BodyCodegen::Value BodyCodegen::element_bytes(const LoweredExpr& element, Value keys) {
  const Value found = checked_call("sonde_array_load", {code_.context(), constant(element.variable_index), keys});
  const Value result = code_.variable();
  code_.copy(result, found);
  const BodyLabel missing = code_.label(), end = code_.label();
  code_.branch(found, end, missing);
  code_.bind(missing);
  code_.copy(result, checked_call("sonde_scratch", {code_.context(), constant(element.type->size)}));
  code_.bind(end);
  return result;
}

}  // namespace sonde
