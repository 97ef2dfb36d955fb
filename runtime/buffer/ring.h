// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Rings: one writer, one reader, and the merge of many
 *
 * kmod/shared/record.h has the layout and the protocol; this is both ends of it in user space.
 *
 *      RingWriter                       RingReader
 *        begin_firing   low_water ->
 *        reserve, commit     head ->    low_water, refresh: head
 *        end_firing     low_water ->    peek, pop ... <- tail
 *
 *      ring --> RingReader --.
 *      ring --> RingReader ---+--> MergeReader::drain: by timestamp --> sink
 *      ring --> RingReader --'
 *
 * The barriers, each with its partner:
 *
 *   W1 head, release             R1 head, acquire       the records below head are there
 *   W2 tail, acquire             R2 tail, release       the reader is done with what lies below tail
 *   W3 low_water, seq_cst fence, R3 time T, seq_cst     a reader that missed the store took its T before
 *      then the record's time       fence, low_water    the writer looked at the clock: nothing older comes
 *   W4 low_water IDLE, release   R4 low_water, acquire  a reader that sees IDLE sees the head that the writer left
 *
 * A record that does not fit is dropped whole and counted. Whether it fits is decided when it is written, not before:
 * when the ring has no room for the largest record a program can make, the writer hands out scratch memory, and
 * commit() copies the record into the ring or drops it. So a program whose predicate is false never counts as a drop,
 * its stores to thread variables happen in any case, and events that passed the predicate = records + drops, exactly.
 * We refused a reserve() that returns null: then this sum would not hold.
 *
 * Neither end trusts the other: positions, sizes and counters are checked each time, against the size that was checked
 * at mapping. A corrupt ring yields one Error to its reader and is not read again; the writer ignores an impossible
 * tail. But a hostile writer may change a record while the reader looks at it. Trust::Copy copies each record out first
 * (some 10 ns), so what was checked is what is used. Trust::InPlace hands out the ring's own bytes, and is for writers
 * that are part of Sonde (the guard, the kernel).
 *
 * A writer that dies in the middle of a firing leaves its low_water behind, which holds back younger records in all
 * rings. So when a source is gone, the session drains with `all`.
 */
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "kmod/shared/record.h"
#include "runtime/base/ids.h"
#include "runtime/base/result.h"
#include "runtime/buffer/mapped_ring.h"

namespace sonde {

/// The writing end. Context: one thread at a time. Allocates only when a record does not fit.
class RingWriter {
 public:
  /// Continues where the ring's last writer stopped. The ring must outlive the writer.
  explicit RingWriter(const MappedRing& ring);

  /// `now` is the current time. The records' timestamp must be read from the clock after this call.
  void begin_firing(Nanoseconds now);
  void end_firing();

  /// Room for a record of at most `max_bytes`: in the ring, or in scratch memory if the ring is full. Never null;
  /// 8-aligned; valid until the next reserve() or commit(). A reservation that is not committed costs nothing.
  sonde_record* reserve(uint32_t max_bytes);

  /// Publishes the first `bytes` (a multiple of 8) of the reserved record, whose size must be the same. 0, which
  /// sonde_dif_run() returns when nothing is to be recorded, publishes nothing. Returns whether it was recorded; a drop
  /// is counted.
  bool commit(uint32_t bytes);

  /// Counts records that were lost before they could be reserved.
  void count_drops(uint64_t records);

  /// Whether at least a quarter of the ring waits for the reader.
  bool quarter_full();

  /// Like quarter_full(), but true only once until the reader has moved: it is time to wake the reader.
  bool should_wake_reader();

  uint64_t drops() const { return drops_; }
  uint64_t records() const { return records_; }

 private:
  uint8_t* data_at(uint64_t position) const { return data_ + (position & (size_ - 1)); }
  uint64_t to_end() const { return size_ - (head_ & (size_ - 1)); }
  void refresh_tail();
  bool has_room(uint64_t bytes);
  uint64_t needed(uint64_t bytes) const { return to_end() < bytes ? to_end() + bytes : bytes; }
  void publish(const void* scratch, uint32_t bytes);

  sonde_ring* ring_;
  uint8_t* data_;
  uint64_t size_;
  uint64_t head_;
  uint64_t tail_;  // the reader's tail when it was last read: the reader is at it or further
  uint64_t drops_;
  uint64_t records_ = 0;
  uint64_t woken_at_ = UINT64_MAX;  // the tail when the reader was last woken
  uint32_t reserved_ = 0;
  bool in_scratch_ = false;
  std::vector<uint64_t> scratch_;
};

enum class Trust {
  InPlace,  ///< the sink gets the ring's own bytes, valid until it returns
  Copy,     ///< the sink gets a copy that the writer cannot reach, valid until it returns
};

/// The reading end of one ring. Context: one thread at a time.
class RingReader {
 public:
  /// The ring must outlive the reader.
  explicit RingReader(const MappedRing& ring, Trust trust = Trust::InPlace);

  /// The time below which this ring is complete; read it before refresh(). Of a dead ring: SONDE_IDLE.
  Nanoseconds low_water() const;

  /// Reads the head: peek() returns records that lie before it.
  void refresh();

  /// The next record, or null. Its framing is valid: size (a multiple of 8) and slots lie within the readable part.
  /// Spans are not checked, see sonde_record_check(). Valid until pop().
  const sonde_record* peek() {
    if (current_ == nullptr) find_next();
    return current_;
  }

  /// Consumes what peek() returned.
  void pop() {
    tail_ += current_size_;
    current_ = nullptr;
    if (tail_ - released_ >= release_batch_) release();
  }

  /// Gives the space of consumed records back to the writer.
  void release();

  /// Hands records older than `bound` (with `all`: every one) to `sink`, in the ring's order, up to the head that
  /// refresh() read. The sink is void or bool (const sonde_record&); false stops after this record. Returns their
  /// number.
  template <typename Sink>
  uint64_t drain(Nanoseconds bound, bool all, Sink&& sink);

  /// Drops since the last call.
  uint64_t take_drops();

  /// Why the ring is not read any more; returned once.
  std::optional<Error> take_error() { return std::exchange(error_, std::nullopt); }
  bool dead() const { return dead_; }
  uint32_t writer() const { return writer_; }
  const sonde_ring* ring() const { return ring_; }

 private:
  void find_next();
  const sonde_record* copy_out(const sonde_record* record, uint32_t size);
  void die(const char* reason);

  sonde_ring* ring_;
  const uint8_t* data_;
  uint64_t size_;
  uint32_t writer_;
  Trust trust_;
  bool dead_ = false;
  uint64_t tail_;
  uint64_t released_;
  uint64_t release_batch_;
  uint64_t head_;
  uint64_t drops_seen_ = 0;
  const sonde_record* current_ = nullptr;
  uint32_t current_size_ = 0;
  std::optional<Error> error_;
  std::vector<uint64_t> copy_;
};

struct RingDrops {
  size_t ring;      ///< its number from add()
  uint32_t writer;  ///< the CPU, or the number of the writer
  uint64_t drops;   ///< since the last take_drops()
};

/// Merges all rings of all sources by time. Context: one thread at a time.
class MergeReader {
 public:
  /// The ring must outlive the reader. Returns its number, from 0.
  size_t add(const MappedRing& ring, Trust trust = Trust::InPlace);
  size_t rings() const { return readers_.size(); }

  /// Hands the records that are older than `now` and than any unfinished firing to `sink`, by timestamp; those of one
  /// firing stay together, in their order. `now` is a time read just before. `all`: every record, whatever its time,
  /// for the last drain. The sink is void or bool (const sonde_record&); false stops after this record. It must not
  /// call the reader. Returns the number of records it was given.
  template <typename Sink>
  uint64_t drain(Nanoseconds now, bool all, Sink&& sink);
  /// Records of firings that had ended by then, and no others, have been read by the last drain().
  Nanoseconds complete_to() const { return complete_to_; }

  /// The rings that dropped records since the last call.
  std::vector<RingDrops> take_drops();

  /// The rings that turned out to be corrupt since the last call, each reported once.
  std::vector<Error> take_errors();

 private:
  struct Front {
    Nanoseconds timestamp;
    uint32_t ring;
    bool operator<(const Front& other) const {
      return timestamp != other.timestamp ? timestamp < other.timestamp : ring < other.ring;
    }
  };

  Nanoseconds refresh(Nanoseconds now);
  void collect_fronts(Nanoseconds bound, bool all);
  void advance_first(Nanoseconds bound, bool all);
  void sift_down(size_t at);

  std::vector<RingReader> readers_;
  std::vector<Front> fronts_;  // a heap: the oldest record first
  Nanoseconds complete_to_ = 0;
};

namespace detail {

/// Calls a sink of either kind. Returns whether to go on.
template <typename Sink>
bool feed(Sink& sink, const sonde_record& record) {
  if constexpr (std::is_void_v<std::invoke_result_t<Sink&, const sonde_record&>>) {
    sink(record);
    return true;
  } else {
    return sink(record);
  }
}

}  // namespace detail

template <typename Sink>
uint64_t RingReader::drain(Nanoseconds bound, bool all, Sink&& sink) {
  uint64_t seen = 0;
  bool go_on = true;
  while (go_on) {
    const sonde_record* record = peek();
    if (record == nullptr || (!all && record->timestamp >= bound)) break;
    go_on = detail::feed(sink, *record);
    pop();
    seen++;
  }
  release();
  return seen;
}

template <typename Sink>
uint64_t MergeReader::drain(Nanoseconds now, bool all, Sink&& sink) {
  const Nanoseconds bound = refresh(now);
  if (readers_.size() == 1) return readers_[0].drain(bound, all, sink);
  collect_fronts(bound, all);
  uint64_t seen = 0;
  bool go_on = true;
  while (go_on && !fronts_.empty()) {
    go_on = detail::feed(sink, *readers_[fronts_[0].ring].peek());
    seen++;
    advance_first(bound, all);
  }
  for (RingReader& reader : readers_) reader.release();
  return seen;
}

}  // namespace sonde
