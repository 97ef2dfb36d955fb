// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/consumer/ring_set.h"

#include <algorithm>
#include <atomic>

#include "runtime/base/check.h"

namespace sonde {
namespace {

constexpr uint64_t kPaddingBytes = 8;  // the least of any record: size, flags, slots

/// A read of what the writer may change meanwhile, done once.
template <typename T>
T read_once(const T& value) {
  return *const_cast<const volatile T*>(&value);
}

}  // namespace

void RingSet::add(sonde_ring* ring) {
  for (const Reader& reader : readers_)
    if (reader.ring == ring) return;
  uint64_t size = read_once(ring->size);
  uint64_t tail = std::atomic_ref(ring->tail).load(std::memory_order_relaxed);
  SONDE_CHECK(ring->magic == SONDE_RING_MAGIC && size != 0 && (size & (size - 1)) == 0 && tail % 8 == 0);
  readers_.push_back({ring, reinterpret_cast<const uint8_t*>(ring) + SONDE_RING_DATA, size, tail, tail, tail});
}

void RingSet::die(Reader& reader, const char* why) {
  reader.dead = true;
  reader.front = nullptr;
  errors_.emplace_back("ring of writer " + std::to_string(reader.ring->writer) + " is corrupt: " + why);
}

/// Looks at low waters, then heads. Returns the time that all records below are complete.
Nanoseconds RingSet::begin(Nanoseconds now) {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the writer's, between low_water and its clock
  Nanoseconds bound = now;
  for (Reader& reader : readers_)
    if (!reader.dead) bound = std::min(bound, std::atomic_ref(reader.ring->low_water).load(std::memory_order_acquire));
  for (Reader& reader : readers_) {
    if (reader.dead) continue;
    uint64_t head = std::atomic_ref(reader.ring->head).load(std::memory_order_acquire);  // pairs with the writer's commit
    if (head % 8 != 0 || head - reader.tail > reader.size || head - reader.tail < reader.head - reader.tail) {
      die(reader, "its head is wrong");
      continue;
    }
    reader.head = head;
    if (reader.front == nullptr) find_front(reader);
  }
  return bound;
}

void RingSet::find_front(Reader& reader) {
  while (!reader.dead && reader.tail != reader.head) {
    uint64_t place = reader.tail & (reader.size - 1);
    uint64_t available = std::min(reader.head - reader.tail, reader.size - place);
    const auto* record = reinterpret_cast<const sonde_record*>(reader.data + place);
    uint32_t size = read_once(record->size);
    if (size < kPaddingBytes || size % 8 != 0 || size > available) return die(reader, "the size of a record is wrong");
    if ((read_once(record->flags) & SONDE_RECORD_PADDING) != 0) {
      reader.tail += size;
      continue;
    }
    if (size < sizeof(sonde_record)) return die(reader, "a record is too short");
    reader.front = record;
    reader.front_size = size;
    return;
  }
}

RingSet::Reader* RingSet::oldest(Nanoseconds bound, bool all) {
  Reader* best = nullptr;
  for (Reader& reader : readers_) {
    if (reader.front == nullptr || (!all && reader.front->timestamp >= bound)) continue;
    if (best == nullptr || reader.front->timestamp < best->front->timestamp) best = &reader;
  }
  return best;
}

/// Up to which time `reader` may go on alone. Equal times of the same firing stay together.
Nanoseconds RingSet::next_of_others(const Reader& reader, Nanoseconds bound) const {
  Nanoseconds next = bound;
  for (const Reader& other : readers_)
    if (&other != &reader && other.front != nullptr) next = std::min(next, other.front->timestamp);
  return std::min(bound, std::max(next, reader.front->timestamp + 1));
}

void RingSet::release(Reader& reader) {
  if (reader.dead || reader.released == reader.tail) return;
  std::atomic_ref(reader.ring->tail).store(reader.tail, std::memory_order_release);  // pairs with the writer's look at tail
  reader.released = reader.tail;
}

void RingSet::release() {
  for (Reader& reader : readers_) release(reader);
}

std::vector<RingSet::Drops> RingSet::take_drops() {
  std::vector<Drops> list;
  for (Reader& reader : readers_) {
    uint64_t drops = std::atomic_ref(reader.ring->drops).load(std::memory_order_relaxed);
    if (drops > reader.drops) list.push_back({reader.ring->writer, drops - reader.drops});
    reader.drops = std::max(reader.drops, drops);
  }
  return list;
}

}  // namespace sonde
