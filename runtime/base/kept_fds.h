// SPDX-License-Identifier: MIT
#pragma once

#include <sys/resource.h>

#include <algorithm>

namespace sonde {

/// The highest descriptor that may be kept open for later. The other half of those that this process may have (ulimit
/// -n, as it was at the first call) is for what cannot do without one.
inline int highest_kept_fd() {
  static const int highest = [] {
    rlimit limit{256, 256};
    getrlimit(RLIMIT_NOFILE, &limit);
    return static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1u << 20) / 2);
  }();
  return highest;
}

}  // namespace sonde
