// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/body/speculation.h"

#include <algorithm>

namespace sonde {

uint64_t Speculations::open(uint64_t now) {
  while (!busy_.empty() && busy_.front().until <= now) {
    free_.push(busy_.front().id);
    busy_.pop_front();
  }
  uint64_t id = 0;
  if (!free_.empty()) {
    id = free_.top();
    free_.pop();
  } else if (all_.size() < count_) {
    all_.emplace_back();
    id = all_.size();
  } else {
    ++(busy_.empty() ? drops_.unavailable : drops_.busy);
    return 0;
  }
  all_[id - 1].active = true;
  return id;
}

Speculations::Speculation* Speculations::find(uint64_t id) {
  return id == 0 || id > all_.size() || !all_[id - 1].active ? nullptr : &all_[id - 1];
}

bool Speculations::use(uint64_t id, uint32_t tid) {
  Speculation* speculation = find(id);
  if (speculation == nullptr) return false;
  speculation->shared |= speculation->tid != 0 && speculation->tid != tid;
  speculation->tid = tid;
  return true;
}

void Speculations::add(uint64_t id, TraceRecord record) {
  Speculation* speculation = find(id);
  if (speculation == nullptr) return;
  const uint64_t bytes = record.bytes();
  if (bytes > bytes_ - speculation->bytes) {
    ++drops_.records;
    return;
  }
  speculation->bytes += bytes;
  speculation->records.push_back(std::move(record));
}

std::vector<TraceRecord> Speculations::close(uint64_t id, uint32_t tid, uint64_t now) {
  Speculation* speculation = find(id);
  if (speculation == nullptr) return {};
  if (speculation->shared || (speculation->tid != 0 && speculation->tid != tid))
    busy_.push_back({id, now + clean_ns_});
  else
    free_.push(id);
  return std::exchange(*speculation, {}).records;
}

bool Speculations::empty() const {
  return std::ranges::all_of(all_, [](const Speculation& one) { return one.records.empty(); });
}

}  // namespace sonde
