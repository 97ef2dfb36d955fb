// SPDX-License-Identifier: GPL-3.0-or-later
// Processor time of a test's own thread, which does not depend on other programs.
#pragma once

#include <time.h>

#include <chrono>

namespace sonde::test {

/// CPU time of this thread so far.
inline std::chrono::nanoseconds cpu_time() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return std::chrono::seconds(spent.tv_sec) + std::chrono::nanoseconds(spent.tv_nsec);
}

}  // namespace sonde::test
