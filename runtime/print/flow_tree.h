// SPDX-License-Identifier: GPL-3.0-or-later
// -F: calls as a tree
//
//   CPU FUNCTION                                       TIME     on a terminal; elsewhere DTrace's rows, without times
//     0  -> main
//     0 |  -> work
//     0 |  <- work                                  12.3 us
//
// --min-time leaves out calls that were shorter. How long a call takes is known when it returns, so until then its rows
// are held, with those of all calls inside it; a call that is long enough brings along the rows of its callers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/base/look.h"
#include "runtime/print/trace_record.h"

namespace sonde {

struct FlowStyle {
  Look look = Look::plain();  ///< of the output
  bool units = false;         ///< times have units; else they are ns
  uint64_t min_time = 0;      ///< ns; shorter calls are left out
};

class FlowTree {
 public:
  explicit FlowTree(const FlowStyle& style) : style_(style) {}

  std::string header() const;
  /// Appends what the record's row begins with. Its flowindent is set.
  void begin_row(const TraceRecord& record, std::string& out);
  /// The row is complete, with its newline: holds it, if it is not known yet whether it is shown.
  void end_row(const TraceRecord& record, std::string& out);
  /// Nothing follows: calls that have not returned are shown if they have lasted long enough.
  void finish(std::string& out);

 private:
  bool follows_calls() const { return style_.look.is_rich() || style_.min_time != 0; }
  /// A call that has not returned.
  struct Call {
    std::string function;
    uint64_t began;    ///< ns
    std::string held;  ///< rows that are not shown yet
    bool shown;
  };
  using Calls = std::vector<Call>;

  void append_prefix(const TraceRecord& record, std::string& out) const;
  void append_row(const TraceRecord& record, const std::string& row, std::string& out);
  void leave(const TraceRecord& record);
  static void show(Calls& calls, std::string& out);

  FlowStyle style_;
  std::map<uint32_t, Calls> calls_;  ///< of each thread
  uint64_t duration_ = 0;            ///< of the call that the row's record ends
  bool ends_known_call_ = false;     ///< the row's record ends a call whose entry was seen
  bool passes_ = true;               ///< the row is shown at once
  Calls left_;                       ///< the call that the row's record ends, and those inside that did not return
  size_t row_begin_ = 0;
  uint64_t now_ = 0;
};

}  // namespace sonde
