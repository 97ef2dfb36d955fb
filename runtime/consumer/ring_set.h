// SPDX-License-Identifier: GPL-3.0-or-later
// The rings of source and framework, as the consumer reads them: borrowed, in order of time.
//
// The protocol is that of kmod/shared/record.h: the time is taken first, then every ring's low_water, then the heads;
// what is older than the least of the former is complete. A ring is believed only as far as its size, fixed when it was added, goes:
// one that lies about a position or a record yields one Error and is not read again.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "kmod/shared/record.h"
#include "runtime/base/ids.h"
#include "runtime/base/result.h"

namespace sonde {

class RingSet {
 public:
  struct Drops {
    uint32_t writer;
    uint64_t count;
  };

  /// A ring that is known already is not added again. It must stay mapped as long as the set lives.
  void add(sonde_ring* ring);

  /// Hands records to sink(const sonde_record&) in order of time; those of one firing stay together. Without `all`
  /// only what is older than `now` (a time read just before) and than any firing under way. Returns how many.
  template <typename Sink>
  uint64_t drain(Nanoseconds now, bool all, Sink&& sink) {
    Nanoseconds bound = begin(now);
    if (all) bound = SONDE_IDLE;
    uint64_t seen = 0;
    while (Reader* reader = oldest(bound, all)) {
      // As long as this ring has the oldest record, the others need not be looked at.
      Nanoseconds next = next_of_others(*reader, bound);
      do {
        sink(*reader->front);
        ++seen;
        pop(*reader);
      } while (reader->front != nullptr && reader->front->timestamp < next);
    }
    release();
    return seen;
  }

  /// Drops since the last call.
  std::vector<Drops> take_drops();
  std::vector<Error> take_errors() { return std::exchange(errors_, {}); }

 private:
  struct Reader {
    sonde_ring* ring;
    const uint8_t* data;
    uint64_t size;
    uint64_t tail, released, head;
    uint64_t drops = 0;
    const sonde_record* front = nullptr;
    uint32_t front_size = 0;
    bool dead = false;
  };

  Nanoseconds begin(Nanoseconds now);
  Reader* oldest(Nanoseconds bound, bool all);
  Nanoseconds next_of_others(const Reader& reader, Nanoseconds bound) const;
  void find_front(Reader& reader);
  void die(Reader& reader, const char* why);
  void pop(Reader& reader) {
    reader.tail += reader.front_size;
    reader.front = nullptr;
    if (reader.tail - reader.released >= reader.size / 8) release(reader);
    find_front(reader);
  }
  void release();
  static void release(Reader& reader);

  std::deque<Reader> readers_;
  std::vector<Error> errors_;
};

}  // namespace sonde
