// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <time.h>

#include "runtime/base/ids.h"

namespace sonde {

inline Nanoseconds now_of(clockid_t clock) {
  timespec now;
  ::clock_gettime(clock, &now);
  return static_cast<Nanoseconds>(now.tv_sec) * 1'000'000'000 + static_cast<Nanoseconds>(now.tv_nsec);
}

/// The clock of all timestamps.
inline Nanoseconds monotonic_now() { return now_of(CLOCK_MONOTONIC); }

}  // namespace sonde
