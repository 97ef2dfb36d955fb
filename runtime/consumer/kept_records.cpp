// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/consumer/kept_records.h"

#include <algorithm>
#include <utility>

namespace sonde {

bool KeptRecords::add(uint32_t cpu, TraceRecord record) {
  Buffer& buffer = buffers_[cpu];
  const uint64_t bytes = record.bytes();
  if (ring_) {
    while (!buffer.records.empty() && bytes > bytes_ - buffer.used) {
      buffer.used -= buffer.records.front().record.bytes();
      buffer.records.pop_front();
    }
  }
  buffer.full = buffer.full || (fill_ && bytes > bytes_ - buffer.used);
  if (buffer.full || bytes > bytes_ - buffer.used) return false;
  buffer.used += bytes;
  buffer.records.push_back({next_++, std::move(record)});
  return true;
}

std::vector<TraceRecord> KeptRecords::take() {
  std::vector<Kept> all;
  for (auto& [cpu, buffer] : buffers_)
    for (Kept& kept : buffer.records) all.push_back(std::move(kept));
  buffers_.clear();
  std::ranges::sort(all, {}, &Kept::number);
  std::vector<TraceRecord> records;
  for (Kept& kept : all) records.push_back(std::move(kept.record));
  return records;
}

}  // namespace sonde
