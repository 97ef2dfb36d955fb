// SPDX-License-Identifier: GPL-3.0-or-later
// Why threads do not go on, by what /proc says of them
//
//   pids --> threads --> call, arguments --> kWaitingCalls --> Wait: whom it needs --> their processes, and so on
//                                                                 |
//                          who has run meanwhile does not wait <--' second look
//
// Nothing is stopped, so a wait is believed only if its thread has slept from the first look to the second (facts.h): all
// waits that are told were there together, at one time. A thread that holds a mutex and sleeps holds it until it runs. Whom
// the stuck ones need is asked twice: the second time all of them sleep, so none of them can change the answer.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/waits/facts.h"
#include "runtime/waits/graph.h"

namespace sonde {

struct LookedAt {
  uint32_t pid = 0, tid = 0;
  bool asked = false;  ///< its process was asked for, and not only reached
};

struct WaitPicture {
  Facts facts;
  Waits waits;
  std::set<uint32_t> moved;       ///< threads that waited, but have run since
  std::vector<LookedAt> threads;  ///< in the order in which they were reached
};

/// Errors: ESRCH, one of the processes does not exist; EACCES, we may not look into it.
Result<WaitPicture> look_at_waits(std::span<const uint32_t> pids);

}  // namespace sonde
