// SPDX-License-Identifier: GPL-3.0-or-later
#include <atomic>
#include <cstring>

#include "runtime/base/check.h"
#include "runtime/buffer/ring.h"

namespace sonde {

RingWriter::RingWriter(const MappedRing& ring)
    : ring_(ring.get()),
      data_(reinterpret_cast<uint8_t*>(ring.get()) + SONDE_RING_DATA),
      size_(ring.data_bytes()),
      head_(std::atomic_ref(ring_->head).load(std::memory_order_relaxed) & ~uint64_t{7}),
      tail_(head_ - size_),  // treated as full until the reader's tail is read
      drops_(std::atomic_ref(ring_->drops).load(std::memory_order_relaxed)) {
  refresh_tail();
}

/// Reads the reader's tail. An impossible value is ignored: the last good one stays.
void RingWriter::refresh_tail() {
  const uint64_t tail = std::atomic_ref(ring_->tail).load(std::memory_order_acquire);  // W2, pairs with R2
  if (tail - tail_ <= head_ - tail_) tail_ = tail;
}

void RingWriter::begin_firing(Nanoseconds now) {
  std::atomic_ref(ring_->low_water).store(now, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // W3, pairs with R3
}

void RingWriter::end_firing() {
  std::atomic_ref(ring_->low_water).store(SONDE_IDLE, std::memory_order_release);  // W4, pairs with R4
}

/// Whether `bytes` more fit. Reads the reader's tail only if they seem not to.
bool RingWriter::has_room(uint64_t bytes) {
  if (size_ - (head_ - tail_) >= bytes) return true;
  refresh_tail();
  return size_ - (head_ - tail_) >= bytes;
}

sonde_record* RingWriter::reserve(uint32_t max_bytes) {
  reserved_ = (max_bytes + 7u) & ~7u;
  in_scratch_ = !has_room(needed(reserved_));
  if (in_scratch_) {
    if (scratch_.size() < reserved_ / 8) scratch_.resize(reserved_ / 8);
    return reinterpret_cast<sonde_record*>(scratch_.data());
  }
  const uint64_t at = to_end() < reserved_ ? head_ + to_end() : head_;
  return reinterpret_cast<sonde_record*>(data_at(at));
}

bool RingWriter::commit(uint32_t bytes) {
  SONDE_CHECK(bytes <= reserved_ && bytes % 8 == 0);
  if (bytes == 0) return false;
  if (in_scratch_ && !has_room(needed(bytes))) {
    count_drops(1);
    reserved_ = 0;
    return false;
  }
  publish(in_scratch_ ? scratch_.data() : nullptr, bytes);
  reserved_ = 0;
  records_++;
  return true;
}

void RingWriter::count_drops(uint64_t records) {
  std::atomic_ref(ring_->drops).store(drops_ += records, std::memory_order_relaxed);
}

/// Publishes the record, which is where reserve() put it: in the ring, or in `scratch`.
void RingWriter::publish(const void* scratch, uint32_t bytes) {
  const uint64_t room = to_end();
  // a record in the ring was placed by the room for its largest size
  if (room < (scratch != nullptr ? bytes : reserved_)) {
    auto* padding = reinterpret_cast<sonde_record*>(data_at(head_));
    padding->size = static_cast<uint32_t>(room);
    padding->flags = SONDE_RECORD_PADDING;
    head_ += room;
  }
  if (scratch != nullptr) std::memcpy(data_at(head_), scratch, bytes);
  head_ += bytes;
  std::atomic_ref(ring_->head).store(head_, std::memory_order_release);  // W1, pairs with R1
}

bool RingWriter::quarter_full() {
  if (head_ - tail_ < size_ / 4) return false;
  refresh_tail();
  return head_ - tail_ >= size_ / 4;
}

bool RingWriter::should_wake_reader() {
  if (!quarter_full() || woken_at_ == tail_) return false;
  woken_at_ = tail_;
  return true;
}

}  // namespace sonde
