// SPDX-License-Identifier: GPL-3.0-or-later
// bufpolicy=ring and bufpolicy=fill: trace records that are printed when tracing has ended
//
// Bodies run as usual, because exit() and aggregations must not wait; only their trace records are kept, in a buffer
// per CPU. "ring" drops the oldest records to make room for a new one; "fill" accepts none after the first that did not
// fit.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string_view>
#include <vector>

#include "runtime/print/trace_record.h"

namespace sonde {

class KeptRecords {
 public:
  /// `policy`: the option's value; "switch" keeps nothing. `bytes`: of each CPU's buffer.
  KeptRecords(std::string_view policy, uint64_t bytes)
      : fill_(policy == "fill"), ring_(policy == "ring"), bytes_(bytes) {}

  bool active() const { return fill_ || ring_; }
  /// False: the record is dropped.
  bool add(uint32_t cpu, TraceRecord record);
  /// Removes and returns all of them, in the order in which they came.
  std::vector<TraceRecord> take();

 private:
  struct Kept {
    uint64_t number;
    TraceRecord record;
  };
  struct Buffer {
    std::deque<Kept> records;
    uint64_t used = 0;
    bool full = false;
  };
  const bool fill_, ring_;
  const uint64_t bytes_;
  uint64_t next_ = 0;
  std::map<uint32_t, Buffer> buffers_;
};

}  // namespace sonde
