// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <time.h>

#include "runtime/base/ids.h"

namespace sonde {

/// CLOCK_MONOTONIC, ns: the clock of records.
inline Nanoseconds monotonic_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<Nanoseconds>(now.tv_sec) * 1'000'000'000 + static_cast<Nanoseconds>(now.tv_nsec);
}

}  // namespace sonde
