// SPDX-License-Identifier: GPL-3.0-or-later
// Pointers that are kept
//
//   work:entry  { head = (struct node *)arg2; }     head: an address of the program
//   work:return { trace(head->next->v); }           the fire part does not know head, so the thread waits while the body reads
//
// A pointer in the body is an address of one of two kinds, and its type does not tell which: D's own memory (alloca(),
// copyin(), variables), or the traced program's. That depends on what is assigned to variables, in any clause, in any
// order; so assignments are propagated until nothing changes. A pointer is followed into the program only if all its
// origins are there. One that may also point to D's own memory is read as D's own, and faults if it points elsewhere.
// The result of copyin() is D's own memory, but pointers in it are the program's.
#include "compiler/split/pointer_origins.h"

namespace sonde {
namespace {

constexpr uint8_t kProgram = 1;  ///< an address of the traced program
constexpr uint8_t kCopy = 2;     ///< a copy of the program's memory, or its address
constexpr uint8_t kOwn = 4;      ///< memory of D
constexpr uint8_t kKernel = 8;   ///< an address in the kernel, which the body cannot follow

}  // namespace

PointerOrigins::Origin PointerOrigins::origin(const LoweredExpr& expr, const FireExpressions& fire) const {
  if (constant_of(expr)) return 0;
  if (fire.is_kernel(expr)) return kKernel;
  switch (expr.kind) {
    case LoweredKind::Cast: return origin(*expr.kids[0], fire);
    case LoweredKind::Binary: return binary_origin(expr, fire);
    case LoweredKind::Conditional: return origin(*expr.kids[1], fire) | origin(*expr.kids[2], fire);
    case LoweredKind::Comma: return origin(*expr.kids.back(), fire);
    case LoweredKind::Assign: return origin(*expr.kids[1], fire);
    case LoweredKind::Update: return origin(*expr.kids[0], fire);
    case LoweredKind::Call: return copies_bytes(expr) ? kCopy : kOwn;
    case LoweredKind::Deref: return behind(*expr.kids[0], fire);
    case LoweredKind::AddressOf: {
      const LoweredExpr& place = *expr.kids[0];
      if (place.kind == LoweredKind::Deref) return origin(*place.kids[0], fire);
      return (origin(place, fire) & kCopy) != 0 ? kCopy : kOwn;
    }
    case LoweredKind::ArrayElement: {
      auto at = arrays_.find(expr.variable_index);
      return at == arrays_.end() ? 0 : at->second;
    }
    case LoweredKind::Variable: {
      if (fire.cost(expr, FireExpressions::Use::Value)) return kProgram;
      auto at = variables_.find(expr.variable_index);
      return at == variables_.end() ? 0 : at->second;
    }
    default: return fire.cost(expr, FireExpressions::Use::Value) ? kProgram : 0;
  }
}

/// The origin of an index does not matter.
PointerOrigins::Origin PointerOrigins::binary_origin(const LoweredExpr& expr, const FireExpressions& fire) const {
  for (const LoweredExprPtr& kid : expr.kids)
    if (kid->type->is_pointer()) return origin(*kid, fire);
  return origin(*expr.kids[0], fire) | origin(*expr.kids[1], fire);
}

/// The origin of what is stored in the memory at `pointer`.
PointerOrigins::Origin PointerOrigins::behind(const LoweredExpr& pointer, const FireExpressions& fire) const {
  const Origin from = origin(pointer, fire);
  const Origin rest = from & (kOwn | kKernel);
  return (from & (kProgram | kCopy)) != 0 ? rest | kProgram : rest;
}

bool PointerOrigins::learn_from(const LoweredExpr& expr, const FireExpressions& fire) {
  bool changed = false;
  for (const LoweredExprPtr& kid : expr.kids) changed |= learn_from(*kid, fire);
  if (expr.kind != LoweredKind::Assign) return changed;
  const LoweredExpr& place = *expr.kids[0];
  if (place.kind != LoweredKind::Variable && place.kind != LoweredKind::ArrayElement) return changed;
  Origin found = origin(*expr.kids[1], fire);
  if (place.type->is_record() && (found & kProgram) != 0) found = kCopy;
  Origin& known = (place.kind == LoweredKind::Variable ? variables_ : arrays_)[place.variable_index];
  changed |= (known | found) != known;
  known |= found;
  return changed;
}

bool PointerOrigins::learn_from(const std::vector<LoweredStatement>& statements, const FireExpressions& fire) {
  bool changed = false;
  for (const LoweredStatement& statement : statements) {
    changed |= learn_from(*statement.expression, fire);
    changed |= learn_from(statement.then_part, fire);
    changed |= learn_from(statement.else_part, fire);
  }
  return changed;
}

void PointerOrigins::learn(std::span<const LoweredUnit> units, const Residents& residents) {
  const FireExpressions fire(residents);
  for (bool changed = true; changed;) {
    changed = false;
    for (const LoweredUnit& unit : units) {
      for (const LoweredClause& clause : unit.clauses) {
        if (clause.predicate) changed |= learn_from(*clause.predicate, fire);
        changed |= learn_from(clause.statements, fire);
      }
    }
  }
}

bool PointerOrigins::leads_into_program(const LoweredExpr& pointer, const Residents& residents) const {
  return origin(pointer, FireExpressions(residents)) == kProgram;
}

}  // namespace sonde
