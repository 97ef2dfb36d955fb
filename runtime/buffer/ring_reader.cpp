// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "runtime/buffer/ring.h"

namespace sonde {

namespace {

/// The size of padding, and the minimum of any record: size, flags, slots.
constexpr uint64_t kPaddingBytes = 8;

/// Reads bytes that the writer may change, exactly once.
template <typename T>
T read_once(const T& value) {
  return *const_cast<const volatile T*>(&value);
}

}  // namespace

RingReader::RingReader(const MappedRing& ring, Trust trust)
    : ring_(ring.get()),
      data_(reinterpret_cast<const uint8_t*>(ring.get()) + SONDE_RING_DATA),
      size_(ring.data_bytes()),
      writer_(ring_->writer),
      trust_(trust),
      tail_(std::atomic_ref(ring_->tail).load(std::memory_order_relaxed)),
      released_(tail_),
      release_batch_(size_ / 8),
      head_(tail_) {
  if (tail_ % 8 != 0) die("its tail is wrong");
}

Nanoseconds RingReader::low_water() const {
  if (dead_) return SONDE_IDLE;
  return std::atomic_ref(ring_->low_water).load(std::memory_order_acquire);  // R4, pairs with W4
}

void RingReader::refresh() {
  if (dead_) return;
  const uint64_t head = std::atomic_ref(ring_->head).load(std::memory_order_acquire);  // R1, pairs with W1
  if (head % 8 != 0 || head - tail_ > size_ || head - tail_ < head_ - tail_) return die("its head is wrong");
  head_ = head;
}

void RingReader::find_next() {
  while (!dead_ && tail_ != head_) {
    const uint64_t place = tail_ & (size_ - 1);
    const uint64_t available = std::min(head_ - tail_, size_ - place);
    const auto* record = reinterpret_cast<const sonde_record*>(data_ + place);
    const uint32_t size = read_once(record->size);
    if (size < kPaddingBytes || size % 8 != 0 || size > available) return die("the size of a record is wrong");
    if ((read_once(record->flags) & SONDE_RECORD_PADDING) != 0) {
      tail_ += size;
      continue;
    }
    if (size < sizeof(sonde_record)) return die("a record is too short");
    if (trust_ == Trust::Copy) record = copy_out(record, size);
    if (read_once(record->slots) * uint64_t{8} > size - sizeof(sonde_record)) return die("a record's slots are wrong");
    current_ = record;
    current_size_ = size;
    return;
  }
}

const sonde_record* RingReader::copy_out(const sonde_record* record, uint32_t size) {
  if (copy_.size() < size / 8) copy_.resize(size / 8);
  std::memcpy(copy_.data(), record, size);
  auto* copy = reinterpret_cast<sonde_record*>(copy_.data());
  copy->size = size;  // the size that was checked, even if the ring's copy has changed
  copy->flags &= static_cast<uint16_t>(~SONDE_RECORD_PADDING);
  return copy;
}

void RingReader::release() {
  if (released_ == tail_ || dead_) return;
  std::atomic_ref(ring_->tail).store(tail_, std::memory_order_release);  // R2, pairs with W2
  released_ = tail_;
}

uint64_t RingReader::take_drops() {
  if (dead_) return 0;
  const uint64_t drops = std::atomic_ref(ring_->drops).load(std::memory_order_relaxed);
  if (drops < drops_seen_) {
    die("its number of drops went down");
    return 0;
  }
  return drops - std::exchange(drops_seen_, drops);
}

void RingReader::die(const char* reason) {
  dead_ = true;
  current_ = nullptr;
  error_ = Error("buffer " + std::to_string(writer_) + " is corrupt and not read any more: " + reason, EBADMSG);
}

}  // namespace sonde
