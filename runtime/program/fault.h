// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sonde {

/// DTrace's fault codes (DTRACEFLT_*).
enum class Fault : uint64_t {
  None = 0,
  BadAddress = 1,
  BadAlignment = 2,
  IllegalOperation = 3,
  DivideByZero = 4,
  NoScratch = 5,
  KernelAccess = 6,
  UserAccess = 7,
  TupleOverflow = 8,
  BadStack = 9,
  BadSize = 10,
  BadIndex = 11,
  Library = 1000,
  Skip = ~0ull,  ///< not a fault: the rest of the clause is skipped silently
};

}  // namespace sonde
