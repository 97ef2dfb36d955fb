// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/lowered/lowered.h"

namespace sonde {

std::optional<uint64_t> constant_of(const LoweredExpr& expr) {
  if (expr.kind == LoweredKind::Integer) return expr.integer;
  if (expr.kind != LoweredKind::Cast || !is_word(*expr.type)) return std::nullopt;
  auto value = constant_of(*expr.kids[0]);
  if (!value || !is_narrow(*expr.type)) return value;
  uint32_t unused = 64 - 8 * static_cast<uint32_t>(expr.type->size);
  if (extends_sign(*expr.type)) return static_cast<uint64_t>(static_cast<int64_t>(*value << unused) >> unused);
  return *value << unused >> unused;
}

uint64_t accessed_bytes(const LoweredExpr& deref) {
  return deref.bit_width == 0 ? deref.type->size : (deref.bit_offset + deref.bit_width + 7u) / 8u;
}

bool copies_bytes(const LoweredExpr& expr) {
  return expr.kind == LoweredKind::Call && expr.function->runs == Runs::Fire && expr.type->is_pointer();
}

}  // namespace sonde
