// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>

#include "runtime/base/ids.h"
#include "runtime/body/context.h"
#include "runtime/print/printer.h"

namespace sonde {

/// How faults are told. The first of a kind, which is a statement and what is wrong there, at once and with its place in the source. Those that
/// follow within a second are counted, for they may come as fast as probes fire; the last one is told with their number.
class FaultLog {
 public:
  using Tell = std::function<void(const FaultReport&)>;
  explicit FaultLog(Tell tell) : tell_(std::move(tell)) {}

  /// The fault in `context` has happened.
  void add(const ProbeInfo& probe, const BodyContext& context, Nanoseconds now);
  /// Tells what was counted for a second; `all`: what was counted at all.
  void tell_counted(Nanoseconds now, bool all);

 private:
  using Kind = std::tuple<const ClauseDesc*, uint64_t, uint64_t>;  // action and fault
  struct Counted {
    Nanoseconds since = 0;  ///< when one was told
    uint64_t count = 0;     ///< that were not
    FaultReport last;
  };

  Tell tell_;
  std::map<Kind, Counted> kinds_;
};

}  // namespace sonde
