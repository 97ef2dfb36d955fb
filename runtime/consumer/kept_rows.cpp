// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/consumer/kept_rows.h"

#include <algorithm>
#include <utility>

namespace sonde {

bool KeptRows::add(uint32_t cpu, Row row) {
  Buffer& buffer = buffers_[cpu];
  const uint64_t bytes = row.bytes();
  if (ring_) {
    while (!buffer.rows.empty() && bytes > bytes_ - buffer.used) {
      buffer.used -= buffer.rows.front().row.bytes();
      buffer.rows.pop_front();
    }
  }
  buffer.full = buffer.full || (fill_ && bytes > bytes_ - buffer.used);
  if (buffer.full || bytes > bytes_ - buffer.used) return false;
  buffer.used += bytes;
  buffer.rows.push_back({next_++, std::move(row)});
  return true;
}

std::vector<Row> KeptRows::take() {
  std::vector<Kept> all;
  for (auto& [cpu, buffer] : buffers_)
    for (Kept& kept : buffer.rows) all.push_back(std::move(kept));
  buffers_.clear();
  std::ranges::sort(all, {}, &Kept::number);
  std::vector<Row> rows;
  for (Kept& kept : all) rows.push_back(std::move(kept.row));
  return rows;
}

}  // namespace sonde
