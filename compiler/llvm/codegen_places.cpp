// SPDX-License-Identifier: GPL-3.0-or-later
// Places: variables, elements of associative arrays, memory.
//
// A variable is a cell, which holds a number, or the address of a runtime buffer with the string or bytes. Memory is
// accessed through pointers of D, which may be any number: each access is checked, unless it obviously stays inside a
// variable.
#include <cstring>

#include "compiler/llvm/codegen.h"
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
    case LoweredKind::Variable: return {.expr = &expr, .at = cell(program_.variables[expr.variable_index])};
    case LoweredKind::ArrayElement: return {.expr = &expr, .at = own_words(values(expr, 0, expr.kids.size()))};
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
  Value word = checked_call("sonde_array_load", {context_, ir_.getInt32(expr.variable_index), place.at});
  return narrow(word, *expr.type);
}

void BodyCodegen::store(const Place& place, Value value) {
  const LoweredExpr& expr = *place.expr;
  if (expr.kind == LoweredKind::Variable) return store_variable(place, value);
  if (expr.kind == LoweredKind::Deref) {
    store_memory(expr, place.at, value);
    if (place.element) store_element(*place.element, place.keys, place.copy);
    return;
  }
  store_element(expr, place.at, value);
}

void BodyCodegen::store_element(const LoweredExpr& element, Value keys, Value value) {
  call("sonde_array_store", ir_.getVoidTy(), {context_, ir_.getInt32(element.variable_index), keys, value});
  leave_on_fault();
}

/// For a member of a struct in an associative array: the struct is copied, the copy changed, and then stored as a
/// whole.
BodyCodegen::Place BodyCodegen::place_to_store(const LoweredExpr& expr) {
  const LoweredExpr* element = expr.kind == LoweredKind::Deref ? element_below(*expr.kids[0]) : nullptr;
  if (!element) return place(expr);
  Value keys = own_words(values(*element, 0, element->kids.size()));
  Value old = element_bytes(*element, keys);
  Value copy = checked_call("sonde_scratch", {context_, constant(element->type->size)});
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
  return field_of_word(place, ir_.CreateShl(kept, constant(place.bit_offset)));
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

BodyCodegen::Value BodyCodegen::cell(const VariableDesc& variable) {
  return at_offset(field(scope_offset(variable.scope)), 8ull * variable.cell);
}

/// A string that was never assigned is "" (which the runtime ensures), but a thread's, or one that was assigned NULL,
/// is NULL.
BodyCodegen::Value BodyCodegen::load_variable(const LoweredExpr& expr) {
  if (is_bytes(*expr.type)) return address(expr);
  return ir_.CreateLoad(ir_.getInt64Ty(), cell(program_.variables[expr.variable_index]));
}

void BodyCodegen::store_variable(const Place& place, Value value) {
  const Type& type = *place.expr->type;
  if (is_word(type)) {
    ir_.CreateStore(value, place.at);
    return;
  }
  if (type.is_string()) {
    call("sonde_store_string", ir_.getVoidTy(), {context_, place.at, value});
  } else if (is_bytes(type)) {
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(value);
    if (!known || !known->isZero()) may("sonde_may_load", value, type.size);
    call("sonde_store_bytes", ir_.getVoidTy(),
         {context_, place.at, value, ir_.getInt32(static_cast<uint32_t>(type.size))});
  } else {
    ir_.CreateStore(value, place.at);  // a float: the bits of a double
    return;
  }
  leave_on_fault();
}

/// In memory a float has its own size; as values of D all are doubles.
llvm::Type* BodyCodegen::float_type(const LoweredExpr& expr) {
  switch (expr.type->size) {
    case 4: return ir_.getFloatTy();
    case 8: return ir_.getDoubleTy();
    default: return llvm::Type::getX86_FP80Ty(module_.getContext());
  }
}

// ---- memory ----------------------------------------------------------------------------------------------------

void BodyCodegen::may(std::string_view helper, Value address, uint64_t size) {
  Value fine = call(helper, ir_.getInt32Ty(), {context_, address, constant(size)});
  leave_unless(ir_.CreateICmpNE(fine, ir_.getInt32(0)));
}

void BodyCodegen::move_bytes(Value to, Value from, uint64_t size) {
  auto move = reinterpret_cast<const void*>(static_cast<void* (*)(void*, const void*, size_t)>(&std::memmove));
  call_address(move, ir_.getPtrTy(), {pointer(to), pointer(from), constant(size)});
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
  call("sonde_store_text", ir_.getVoidTy(), {context_, address, text, constant(size)});
  leave_on_fault();
}

BodyCodegen::Value BodyCodegen::load_memory(const LoweredExpr& expr, Value address, bool known) {
  if (expr.type->is_string()) return checked_call("sonde_string_of", {context_, address, constant(expr.type->size)});
  if (clause_->followed.contains(&expr)) {
    address = checked_call("sonde_held_copyin", {context_, address, constant(accessed_bytes(expr))});
  } else if (!known) {
    may("sonde_may_load", address, accessed_bytes(expr));
  }
  if (is_bytes(*expr.type)) return address;
  if (is_float(*expr.type)) {
    Value number = ir_.CreateAlignedLoad(float_type(expr), pointer(address), llvm::Align(1));
    return ir_.CreateBitCast(ir_.CreateFPCast(number, ir_.getDoubleTy()), ir_.getInt64Ty());
  }
  auto bits = static_cast<unsigned>(8 * accessed_bytes(expr));
  if (bits == 0 || bits > 64) return refuse("a load of " + std::to_string(accessed_bytes(expr)) + " bytes");
  Value word = ir_.CreateAlignedLoad(ir_.getIntNTy(bits), pointer(address), llvm::Align(1));
  if (expr.bit_width) return field_of_word(expr, extend(word, false));
  return extend(word, extends_sign(*expr.type));
}

BodyCodegen::Value BodyCodegen::field_of_word(const LoweredExpr& expr, Value word) {
  uint64_t above = 64u - expr.bit_offset - expr.bit_width, unused = 64u - expr.bit_width;
  Value up = ir_.CreateShl(word, constant(above));
  return extends_sign(*expr.type) ? ir_.CreateAShr(up, constant(unused)) : ir_.CreateLShr(up, constant(unused));
}

void BodyCodegen::store_memory(const LoweredExpr& expr, Value address, Value value) {
  if (expr.type->is_string()) return store_text(address, value, expr.type->size);
  if (!is_known_memory(*expr.kids[0], accessed_bytes(expr))) may("sonde_may_store", address, accessed_bytes(expr));
  if (is_bytes(*expr.type)) {
    may("sonde_may_load", value, expr.type->size);
    move_bytes(address, value, expr.type->size);
    return;
  }
  if (is_float(*expr.type)) {
    Value number = ir_.CreateFPCast(ir_.CreateBitCast(value, ir_.getDoubleTy()), float_type(expr));
    ir_.CreateAlignedStore(number, pointer(address), llvm::Align(1));
    return;
  }
  auto bits = static_cast<unsigned>(8 * accessed_bytes(expr));
  if (bits == 0 || bits > 64) {
    refuse("a store of " + std::to_string(accessed_bytes(expr)) + " bytes");
    return;
  }
  if (expr.bit_width) {
    Value old = extend(ir_.CreateAlignedLoad(ir_.getIntNTy(bits), pointer(address), llvm::Align(1)), false);
    uint64_t mask = (expr.bit_width == 64 ? ~0ull : (1ull << expr.bit_width) - 1) << expr.bit_offset;
    Value moved = ir_.CreateAnd(ir_.CreateShl(value, constant(expr.bit_offset)), constant(mask));
    value = ir_.CreateOr(ir_.CreateAnd(old, constant(~mask)), moved);
  }
  ir_.CreateAlignedStore(ir_.CreateTrunc(value, ir_.getIntNTy(bits)), pointer(address), llvm::Align(1));
}

/// The address of a struct or an array.
BodyCodegen::Value BodyCodegen::address(const LoweredExpr& expr) {
  switch (expr.kind) {
    case LoweredKind::Deref: return value(*expr.kids[0]);
    case LoweredKind::ArrayElement: {
      if (const Value* copied = find_in(copied_elements_, &expr)) return *copied;
      return element_bytes(expr, words(values(expr, 0, expr.kids.size())));
    }
    case LoweredKind::Variable: {
      const VariableDesc& variable = program_.variables[expr.variable_index];
      Value size = ir_.getInt32(static_cast<uint32_t>(expr.type->size));
      return checked_call("sonde_cell_bytes", {context_, cell(variable), size});
    }
    default: break;
  }
  // A struct that is a value, such as the result of ?:, is its address.
  if (is_bytes(*expr.type)) return value(expr);
  return refuse("the address of a value");
}

/// A missing element is read as zeros, in a scratch copy.
BodyCodegen::Value BodyCodegen::element_bytes(const LoweredExpr& element, Value keys) {
  Value found = checked_call("sonde_array_load", {context_, ir_.getInt32(element.variable_index), keys});
  llvm::BasicBlock *from = ir_.GetInsertBlock(), *missing = block("missing"), *end = block("end");
  ir_.CreateCondBr(ir_.CreateICmpEQ(found, constant(0)), missing, end);
  ir_.SetInsertPoint(missing);
  Value zeros = checked_call("sonde_scratch", {context_, constant(element.type->size)});
  llvm::BasicBlock* last = ir_.GetInsertBlock();
  ir_.CreateBr(end);
  ir_.SetInsertPoint(end);
  llvm::PHINode* result = ir_.CreatePHI(ir_.getInt64Ty(), 2);
  result->addIncoming(found, from);
  result->addIncoming(zeros, last);
  return result;
}

}  // namespace sonde
