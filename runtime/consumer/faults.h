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

/// Reports faults. The first of a kind (a statement and what is wrong there) is reported at once, with its place in the
/// source. Those that follow within a second are only counted, because they may come as fast as probes fire; the last
/// of them is reported with their number.
class FaultLog {
 public:
  using Tell = std::function<void(const FaultReport&)>;
  explicit FaultLog(Tell tell) : tell_(std::move(tell)) {}

  /// Adds the fault in `context`.
  void add(const ProbeInfo& probe, const BodyContext& context, Nanoseconds now);
  /// Reports what has been counted for at least a second; with `all`, everything that has been counted.
  void tell_counted(Nanoseconds now, bool all);

 private:
  using Kind = std::tuple<const ClauseDesc*, uint64_t, uint64_t>;  // action and fault
  struct Counted {
    Nanoseconds since = 0;  ///< time of the last report
    uint64_t count = 0;     ///< faults since then
    FaultReport last;
  };

  Tell tell_;
  std::map<Kind, Counted> kinds_;
};

}  // namespace sonde
