// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "kmod/shared/location.h"

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

/// n, if the address of a fault is that of args[n] (location.h).
inline std::optional<unsigned> argument_at(uint64_t address) {
  if (sonde_is_argument(address) == 0) return std::nullopt;
  return static_cast<unsigned>((address - SONDE_ARGUMENT_WINDOW) >> 32);
}

}  // namespace sonde
