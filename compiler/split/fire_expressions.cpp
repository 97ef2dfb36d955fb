// SPDX-License-Identifier: GPL-3.0-or-later
// Expressions at fire time
//
// Registers are a stack: the value of an expression goes to r[d], and its operands to r[d], r[d + 1], ... So the cost
// is known before anything is emitted, and an expression that needs more registers than there are stays in the body.
//
// Loads of memory. A pointer that can be computed here is derived from the event, so it points into the traced program,
// or into the kernel if it starts there (curthread, a kernel symbol): D's own memory has no address before the body
// runs. Which of the two is decided at compile time, never by the value of the address, because a traced program
// controls the values of its pointers.
//
// `*(T *)(copyin(address, size) + offset)` with constant size and offset, and the T inside the size, is a load, too:
// only the T is read. The next capture takes over the fault of a load, but a branch before it would end the program
// with the record of a predicate's fault (dif.h). So outside of the filter nothing that branches may load.
#include "compiler/split/fire_expressions.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "compiler/types/arithmetic.h"
#include "runtime/base/check.h"
#include "runtime/base/find.h"

namespace sonde {
namespace {

constexpr uint32_t kMaxOpen = SONDE_DIF_MAX_OPEN - 16;
constexpr uint32_t kMaxLength = 1024;  // of one expression

/// `*(T *)(copyin(address, size) + offset)` in parts, or a pointer into the traced program.
struct UserLoad {
  const LoweredExpr* address = nullptr;
  uint64_t offset = 0;
};

/// The copyin() call below casts and constant additions.
std::optional<UserLoad> user_load(const LoweredExpr& pointer, uint64_t width) {
  uint64_t offset = 0;
  const LoweredExpr* at = &pointer;
  for (;;) {
    if (at->kind == LoweredKind::Cast && !is_narrow(*at->type)) {
      at = at->kids[0].get();
      continue;
    }
    if (at->kind == LoweredKind::Binary && at->op == Op::Add) {
      auto added = constant_of(*at->kids[1]);
      if (!added) return std::nullopt;
      offset += *added;
      at = at->kids[0].get();
      continue;
    }
    if (at->kind == LoweredKind::AddressOf && at->kids[0]->kind == LoweredKind::Deref) {
      at = at->kids[0]->kids[0].get();
      continue;
    }
    break;
  }
  if (!copies_bytes(*at)) return std::nullopt;
  auto size = constant_of(*at->kids[1]);
  if (!size || offset > *size || width > *size - offset || offset > INT32_MAX) return std::nullopt;
  return UserLoad{at->kids[0].get(), offset};
}

/// The value of a probe's argument: a load that has no side effect, and whose result is an address in the program.
bool loads_argument(const LoweredExpr& expr) {
  if (expr.kind != LoweredKind::Deref) return false;
  const auto copied = user_load(*expr.kids[0], accessed_bytes(expr));
  const auto address = copied ? constant_of(*copied->address) : std::nullopt;
  return address && sonde_is_argument(*address) != 0;
}

bool calls_something(const LoweredExpr& expr) {
  if (loads_argument(expr)) return false;
  return expr.kind == LoweredKind::Call ||
         std::ranges::any_of(expr.kids, [](const LoweredExprPtr& kid) { return calls_something(*kid); });
}

/// What a Deref loads; nothing if it does not read the traced program. Whether the address can be computed is not
/// checked.
std::optional<UserLoad> load_of(const LoweredExpr& deref) {
  const LoweredExpr& pointer = *deref.kids[0];
  if (auto copied = user_load(pointer, accessed_bytes(deref))) return copied;
  if (constant_of(pointer) || calls_something(pointer)) return std::nullopt;
  return UserLoad{&pointer, 0};
}

/// execname == "text" or !=: the operand that is the text; null for anything else.
const LoweredExpr* compared_with_execname(const LoweredExpr& expr) {
  if (expr.kind != LoweredKind::Binary || (expr.op != Op::Eq && expr.op != Op::Ne)) return nullptr;
  for (int side : {0, 1}) {
    const LoweredExpr &a = *expr.kids[side], &b = *expr.kids[1 - side];
    if (a.kind == LoweredKind::Builtin && a.builtin->from == From::Text &&
        a.builtin->which == SONDE_DIF_TEXT_EXECNAME && b.kind == LoweredKind::String)
      return &b;
  }
  return nullptr;
}

/// progenyof(): kid 0 is the process. What else it has is for the body.
bool asks_for_progeny(const LoweredExpr& expr) {
  return expr.kind == LoweredKind::Call && expr.function->name == std::string_view("progenyof");
}

uint32_t header_variable(uint32_t offset) {
  switch (offset) {
    case offsetof(sonde_record, pid): return SONDE_DIF_VAR_PID;
    case offsetof(sonde_record, tid): return SONDE_DIF_VAR_TID;
    case offsetof(sonde_record, cpu): return SONDE_DIF_VAR_CPU;
    case offsetof(sonde_record, timestamp): return SONDE_DIF_VAR_TIMESTAMP;
    case offsetof(sonde_record, probe): return SONDE_DIF_VAR_PROBE;
  }
  return SONDE_DIF_VAR_COUNT;
}

/// Cuts r[d] to the type.
void narrow(DifEmitter& out, const Type& type, uint32_t d) {
  if (!is_narrow(type)) return;
  out.op(extends_sign(type) ? SONDE_DIF_SX : SONDE_DIF_ZX, d, d, 0, static_cast<int32_t>(8 * type.size));
}

std::optional<FireCost> joined(std::optional<FireCost> a, std::optional<FireCost> b, uint32_t extra) {
  if (!a || !b) return std::nullopt;
  return FireCost{std::max(a->registers, b->registers + 1), std::max(a->open, b->open), a->length + b->length + extra,
                  a->loads || b->loads};
}

/// r[d] = r[a] op r[b]; the operands have types `left` and `right`.
void emit_operation(DifEmitter& out, Op op, const Type& left, const Type& right, uint32_t d, uint32_t a, uint32_t b) {
  bool is_unsigned = operation_is_unsigned(left, right);
  switch (op) {
    case Op::Add: return out.op(SONDE_DIF_ADD, d, a, b);
    case Op::Sub: return out.op(SONDE_DIF_SUB, d, a, b);
    case Op::Mul: return out.op(SONDE_DIF_MUL, d, a, b);
    case Op::Div: return out.op(is_unsigned ? SONDE_DIF_DIVU : SONDE_DIF_DIVS, d, a, b);
    case Op::Mod: return out.op(is_unsigned ? SONDE_DIF_MODU : SONDE_DIF_MODS, d, a, b);
    case Op::And: return out.op(SONDE_DIF_AND, d, a, b);
    case Op::Or: return out.op(SONDE_DIF_OR, d, a, b);
    case Op::Xor: return out.op(SONDE_DIF_XOR, d, a, b);
    case Op::Shl: return out.op(SONDE_DIF_SHL, d, a, b);
    case Op::Shr: return out.op(is_unsigned_type(left) ? SONDE_DIF_SHRU : SONDE_DIF_SHRS, d, a, b);
    case Op::Eq: return out.op(SONDE_DIF_EQ, d, a, b);
    case Op::Ne: return out.op(SONDE_DIF_NE, d, a, b);
    case Op::Lt: return out.op(is_unsigned ? SONDE_DIF_LTU : SONDE_DIF_LTS, d, a, b);
    case Op::Le: return out.op(is_unsigned ? SONDE_DIF_LEU : SONDE_DIF_LES, d, a, b);
    case Op::Gt: return out.op(is_unsigned ? SONDE_DIF_LTU : SONDE_DIF_LTS, d, b, a);
    case Op::Ge: return out.op(is_unsigned ? SONDE_DIF_LEU : SONDE_DIF_LES, d, b, a);
    case Op::None:
    case Op::LogAnd:
    case Op::LogOr:
    case Op::LogXor:
    case Op::Neg:
    case Op::Not:
    case Op::LogNot:
    case Op::Plus: break;
  }
  SONDE_CHECK(!"a binary operator");
}

/// r[d] = 1 to 8 bytes at r[d], not one more. Where no load has as many, two do: the upper one ends with the last byte.
void emit_load(DifEmitter& out, sonde_dif_op load, uint32_t d, uint64_t bytes) {
  const uint64_t loaded = std::bit_floor(bytes), lower = bytes - loaded;
  const auto at_once = static_cast<int32_t>(loaded);
  if (lower == 0) return out.op(load, d, d, 0, at_once);
  out.constant(d + 1, lower);
  out.op(SONDE_DIF_ADD, d + 1, d, d + 1);
  out.op(load, d + 1, d + 1, 0, at_once);
  out.constant(d + 2, 8 * lower);
  out.op(SONDE_DIF_SHL, d + 1, d + 1, d + 2);
  out.op(load, d, d, 0, at_once);
  out.constant(d + 2, (uint64_t{1} << 8 * lower) - 1);
  out.op(SONDE_DIF_AND, d, d, d + 2);
  out.op(SONDE_DIF_OR, d, d, d + 1);
}

/// Division by anything but a constant other than 0 may fault, so it stays in the body.
bool divides_safely(Op op, const LoweredExpr& divisor) {
  if (op != Op::Div && op != Op::Mod) return true;
  auto value = constant_of(divisor);
  return value && *value != 0;
}

}  // namespace

// ---- cost ------------------------------------------------------------------------------------------------------

std::optional<FireCost> FireExpressions::cost(const LoweredExpr& expr, Use use) const {
  auto cost = any_cost(expr, use);
  if (!cost || cost->registers > SONDE_DIF_REGISTERS || cost->open > kMaxOpen || cost->length > kMaxLength)
    return std::nullopt;
  return cost;
}

bool FireExpressions::is_kernel(const LoweredExpr& expr) const {
  const auto kid = [&](size_t n) { return is_kernel(*expr.kids[n]); };
  switch (expr.kind) {
    case LoweredKind::Builtin: return expr.builtin->of_kernel;
    case LoweredKind::Variable: {
      const ResidentCell* cell = find_in(residents_, expr.variable_index);
      return cell != nullptr && cell->kernel;
    }
    case LoweredKind::Unary:
    case LoweredKind::Cast:
    case LoweredKind::AddressOf:
    case LoweredKind::Deref: return kid(0);
    case LoweredKind::Binary: return kid(0) || (!expr.kids[0]->type->is_pointer() && kid(1));
    case LoweredKind::Conditional: return kid(1) || kid(2);
    default: return false;
  }
}

std::optional<FireCost> FireExpressions::any_cost(const LoweredExpr& expr, Use use) const {
  if (!is_word(*expr.type)) return std::nullopt;
  switch (expr.kind) {
    case LoweredKind::Integer: return FireCost{};
    case LoweredKind::Builtin: return builtin_cost(expr);
    case LoweredKind::Variable:
      return residents_.contains(expr.variable_index) ? std::optional(FireCost{}) : std::nullopt;
    case LoweredKind::Unary:
    case LoweredKind::Cast: {
      if (expr.bound != 0 && !addressing_) return std::nullopt;  // it may fault, so it stays in the body
      auto kid = any_cost(*expr.kids[0], use);
      return joined(kid, kid ? std::optional(FireCost{}) : std::nullopt, 1);
    }
    case LoweredKind::Binary: return binary_cost(expr, use);
    case LoweredKind::Logical: return logical_cost(expr, use);
    case LoweredKind::Conditional: return conditional_cost(expr, use);
    case LoweredKind::Deref: return deref_cost(expr, use);
    case LoweredKind::Call:
      if (!asks_for_progeny(expr)) return std::nullopt;
      return joined(any_cost(*expr.kids[0], use), FireCost{}, 1);
    default: return std::nullopt;  // the body's
  }
}

std::optional<FireCost> FireExpressions::builtin_cost(const LoweredExpr& expr) const {
  switch (expr.builtin->from) {
    case From::Argument:
    case From::Derived: return FireCost{};
    case From::Fire: return FireCost{.length = 2};
    case From::Header:
      if (header_variable(expr.builtin->which) == SONDE_DIF_VAR_COUNT) return std::nullopt;
      return FireCost{};
    case From::Registers: {
      auto index = expr.kids.empty() ? std::nullopt : constant_of(*expr.kids[0]);
      return index && *index < SONDE_DIF_UREGS ? std::optional(FireCost{}) : std::nullopt;
    }
    case From::Text:
    case From::TextOf:
    case From::Body:
    case From::Typed:
    case From::Library:
    case From::Refused: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<FireCost> FireExpressions::binary_cost(const LoweredExpr& expr, Use use) const {
  if (compared_with_execname(expr)) return FireCost{.registers = 2, .length = 3};
  if (!divides_safely(expr.op, *expr.kids[1])) return std::nullopt;
  return joined(any_cost(*expr.kids[0], use), any_cost(*expr.kids[1], use), 1);
}

std::optional<FireCost> FireExpressions::logical_cost(const LoweredExpr& expr, Use use) const {
  auto a = any_cost(*expr.kids[0], use), b = any_cost(*expr.kids[1], use);
  auto cost = joined(a, b, 5);
  if (!cost) return std::nullopt;
  if (use == Use::Value && cost->loads) return std::nullopt;
  cost->registers = std::max(cost->registers, 3u);
  cost->open = std::max({a->open, b->open + 1, 2u});
  return cost;
}

std::optional<FireCost> FireExpressions::conditional_cost(const LoweredExpr& expr, Use use) const {
  auto condition = any_cost(*expr.kids[0], use), yes = any_cost(*expr.kids[1], use), no = any_cost(*expr.kids[2], use);
  if (!condition || !yes || !no) return std::nullopt;
  if (use == Use::Value && condition->loads) return std::nullopt;
  return FireCost{std::max({condition->registers, yes->registers, no->registers}),
                  std::max({condition->open, yes->open + 1, no->open + 1}),
                  condition->length + yes->length + no->length + 2, condition->loads || yes->loads || no->loads};
}

std::optional<FireCost> FireExpressions::deref_cost(const LoweredExpr& expr, Use use) const {
  if (!is_word(*expr.type)) return std::nullopt;
  auto load = load_of(expr);
  // An index beyond an array of the program reads the memory there, as the program itself would.
  const bool outer = std::exchange(addressing_, true);
  auto address = load ? any_cost(*load->address, use) : std::nullopt;
  addressing_ = outer;
  if (!address) return std::nullopt;
  const bool at_once = std::has_single_bit(accessed_bytes(expr));
  address->registers = std::max(address->registers, at_once ? 2u : 3u);
  address->length += at_once ? 7 : 20;
  address->loads = true;
  return address;
}

// ---- emission --------------------------------------------------------------------------------------------------

void FireExpressions::emit(DifEmitter& out, const LoweredExpr& expr, uint32_t d) const {
  switch (expr.kind) {
    case LoweredKind::Integer: return out.constant(d, expr.integer);
    case LoweredKind::Builtin: return emit_builtin(out, expr, d);
    case LoweredKind::Variable: {
      ResidentCell cell = residents_.at(expr.variable_index);
      return out.op(cell.thread ? SONDE_DIF_LDT : SONDE_DIF_LDL, d, 0, 0, cell.index);
    }
    case LoweredKind::Unary: return emit_unary(out, expr, d);
    case LoweredKind::Cast: emit(out, *expr.kids[0], d); return narrow(out, *expr.type, d);
    case LoweredKind::Binary: return emit_binary(out, expr, d);
    case LoweredKind::Logical: return emit_logical(out, expr, d);
    case LoweredKind::Conditional: return emit_conditional(out, expr, d);
    case LoweredKind::Deref: return emit_deref(out, expr, d);
    case LoweredKind::Call:
      SONDE_CHECK(asks_for_progeny(expr));
      emit(out, *expr.kids[0], d);
      return out.op(SONDE_DIF_PROGENY, d, d);
    default: break;
  }
  SONDE_CHECK(!"an expression of the fire part");
}

void FireExpressions::emit_builtin(DifEmitter& out, const LoweredExpr& expr, uint32_t d) const {
  auto which = static_cast<int32_t>(expr.builtin->which);
  switch (expr.builtin->from) {
    case From::Argument: return out.op(SONDE_DIF_ARG, d, 0, 0, which);
    case From::Fire: out.op(SONDE_DIF_VAR, d, 0, 0, which); return narrow(out, *expr.type, d);
    case From::Header:
      return out.op(SONDE_DIF_VAR, d, 0, 0, static_cast<int32_t>(header_variable(expr.builtin->which)));
    case From::Derived: return out.op(SONDE_DIF_LDL, d, 0, 0, static_cast<int32_t>(kDerivedLocal) - which);
    case From::Registers: return out.op(SONDE_DIF_REG, d, 0, 0, static_cast<int32_t>(*constant_of(*expr.kids[0])));
    case From::Text:
    case From::TextOf:
    case From::Body:
    case From::Typed:
    case From::Library:
    case From::Refused: break;
  }
  SONDE_CHECK(!"a variable of the fire part");
}

void FireExpressions::emit_unary(DifEmitter& out, const LoweredExpr& expr, uint32_t d) const {
  emit(out, *expr.kids[0], d);
  if (expr.op == Op::Neg) return out.op(SONDE_DIF_NEG, d, d);
  if (expr.op == Op::Not) return out.op(SONDE_DIF_NOT, d, d);
  SONDE_CHECK(expr.op == Op::LogNot);
  out.constant(d + 1, 0);
  out.op(SONDE_DIF_EQ, d, d, d + 1);
}

void FireExpressions::emit_binary(DifEmitter& out, const LoweredExpr& expr, uint32_t d) const {
  if (const LoweredExpr* name = compared_with_execname(expr)) {
    out.op(SONDE_DIF_NAMEQ, d, 0, 0, out.text(name->text));
    if (expr.op == Op::Eq) return;
    out.constant(d + 1, 0);
    return out.op(SONDE_DIF_EQ, d, d, d + 1);
  }
  emit(out, *expr.kids[0], d);
  emit(out, *expr.kids[1], d + 1);
  emit_operation(out, expr.op, *expr.kids[0]->type, *expr.kids[1]->type, d, d, d + 1);
}

void FireExpressions::emit_logical(DifEmitter& out, const LoweredExpr& expr, uint32_t d) const {
  emit(out, *expr.kids[0], d);
  if (expr.op == Op::LogXor) {
    emit(out, *expr.kids[1], d + 1);
    out.constant(d + 2, 0);
    out.op(SONDE_DIF_NE, d, d, d + 2);
    out.op(SONDE_DIF_NE, d + 1, d + 1, d + 2);
    return out.op(SONDE_DIF_XOR, d, d, d + 1);
  }
  DifEmitter::Label end = out.label();
  if (expr.op == Op::LogAnd) {
    out.branch(SONDE_DIF_JZ, end, d);
    emit(out, *expr.kids[1], d);
    out.constant(d + 1, 0);
    out.op(SONDE_DIF_NE, d, d, d + 1);
    return out.bind(end);
  }
  DifEmitter::Label one = out.label();
  out.branch(SONDE_DIF_JNZ, one, d);
  emit(out, *expr.kids[1], d);
  out.branch(SONDE_DIF_JZ, end, d);
  out.bind(one);
  out.constant(d, 1);
  out.bind(end);
}

void FireExpressions::emit_conditional(DifEmitter& out, const LoweredExpr& expr, uint32_t d) const {
  DifEmitter::Label no = out.label(), end = out.label();
  emit(out, *expr.kids[0], d);
  out.branch(SONDE_DIF_JZ, no, d);
  emit(out, *expr.kids[1], d);
  out.branch(SONDE_DIF_JMP, end);
  out.bind(no);
  emit(out, *expr.kids[2], d);
  out.bind(end);
}

void FireExpressions::emit_deref(DifEmitter& out, const LoweredExpr& expr, uint32_t d) const {
  auto load = load_of(expr);
  SONDE_CHECK(load);
  emit(out, *load->address, d);
  if (load->offset) {
    out.constant(d + 1, load->offset);
    out.op(SONDE_DIF_ADD, d, d, d + 1);
  }
  const bool kernel = is_kernel(*load->address);
  const sonde_dif_op load_unsigned = kernel ? SONDE_DIF_LDK : SONDE_DIF_LDU;
  if (expr.bit_width) {
    emit_load(out, load_unsigned, d, accessed_bytes(expr));
    out.constant(d + 1, 64u - expr.bit_offset - expr.bit_width);
    out.op(SONDE_DIF_SHL, d, d, d + 1);
    out.constant(d + 1, 64u - expr.bit_width);
    return out.op(extends_sign(*expr.type) ? SONDE_DIF_SHRS : SONDE_DIF_SHRU, d, d, d + 1);
  }
  bool is_signed = is_narrow(*expr.type) && extends_sign(*expr.type);
  const auto bytes = static_cast<int32_t>(expr.type->size);
  out.op(is_signed && !kernel ? SONDE_DIF_LDS : load_unsigned, d, d, 0, bytes);
  if (is_signed && kernel) out.op(SONDE_DIF_SX, d, d, 0, 8 * bytes);
}

void FireExpressions::emit_assignment(DifEmitter& out, const LoweredExpr& assignment) const {
  const LoweredExpr& target = *assignment.kids[0];
  ResidentCell cell = residents_.at(target.variable_index);
  if (assignment.kind == LoweredKind::Assign) {
    emit(out, *assignment.kids[1], 0);
  } else {
    emit(out, target, 0);
    emit(out, *assignment.kids[1], 1);
    emit_operation(out, assignment.op, *target.type, *assignment.kids[1]->type, 0, 0, 1);
  }
  narrow(out, *target.type, 0);
  out.op(cell.thread ? SONDE_DIF_STT : SONDE_DIF_STL, 0, 0, 0, cell.index);
}

}  // namespace sonde
