// SPDX-License-Identifier: MIT
#pragma once

#include <strings.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace sonde {

inline constexpr uint64_t kSecond = 1'000'000'000;

/// The units of a period, in ns.
inline constexpr std::pair<std::string_view, uint64_t> kTimeUnits[] = {
    {"ns", 1},
    {"nsec", 1},
    {"us", 1'000},
    {"usec", 1'000},
    {"ms", 1'000'000},
    {"msec", 1'000'000},
    {"s", kSecond},
    {"sec", kSecond},
    {"m", 60 * kSecond},
    {"min", 60 * kSecond},
    {"h", 3600 * kSecond},
    {"hour", 3600 * kSecond},
    {"d", 24 * 3600 * kSecond},
    {"day", 24 * 3600 * kSecond},
};

inline bool same_in_any_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

/// The ns of a unit, in capitals or not, as DTrace compares them; 0: there is no such unit.
inline uint64_t unit_of_time(std::string_view unit) {
  for (const auto& [name, ns] : kTimeUnits)
    if (same_in_any_case(unit, name)) return ns;
  return 0;
}

}  // namespace sonde
