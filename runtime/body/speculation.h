// SPDX-License-Identifier: GPL-3.0-or-later
// Speculations: trace records that wait for commit() or discard()
//
//   speculation() ---> active --speculate()--> records gather --commit()---> output
//        ^                                          \------discard()--> nothing
//        |                                                     |
//        +--- free <--- busy until the next cleaning <---------+  (at once, if only one thread has used it)
//
// Other threads may still have the number of a speculation that has ended, and speculate with it. While it is busy,
// their records are thrown away. If the number were reused at once, they would end up among the records of an unrelated
// speculation.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "runtime/print/trace_record.h"

namespace sonde {

class Speculations {
 public:
  /// At most `count` at a time, of `bytes` each; busy ones become free again after `clean_ns`.
  Speculations(uint64_t count, uint64_t bytes, uint64_t clean_ns) : count_(count), bytes_(bytes), clean_ns_(clean_ns) {}

  /// speculation(): the lowest free number, from 1; 0 when none is free. `now` is the record's time.
  uint64_t open(uint64_t now);
  /// Whether a number is in 0 ... count.
  bool in_range(int64_t id) const { return id >= 0 && static_cast<uint64_t>(id) <= count_; }
  /// speculate(): whether records may be added. `tid` is the calling thread.
  bool use(uint64_t id, uint32_t tid);
  /// Keeps a record, or drops and counts it.
  void add(uint64_t id, TraceRecord record);
  /// commit(): the records, in order; none if the speculation is not active. discard() is the same without them.
  std::vector<TraceRecord> close(uint64_t id, uint32_t tid, uint64_t now);

  /// Whether no speculation holds records.
  bool empty() const;

  /// Drops since the last call.
  struct Drops {
    uint64_t records = 0, unavailable = 0, busy = 0;
  };
  Drops take_drops() { return std::exchange(drops_, {}); }

 private:
  struct Speculation {
    bool active = false;
    uint32_t tid = 0;  ///< the thread that uses it; 0: none yet
    bool shared = false;
    uint64_t bytes = 0;
    std::vector<TraceRecord> records;
  };
  struct Busy {
    uint64_t id, until;
  };
  Speculation* find(uint64_t id);

  uint64_t count_, bytes_, clean_ns_;
  std::deque<Speculation> all_;  ///< as many as were ever open at a time; number n is all_[n - 1]
  std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> free_;
  std::deque<Busy> busy_;  ///< by time
  Drops drops_;
};

}  // namespace sonde
