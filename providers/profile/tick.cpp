// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/profile/tick.h"

#include <charconv>

namespace sonde {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

struct Unit {
  std::string_view name;
  uint64_t ns;  ///< 0: a frequency
};

constexpr Unit kUnits[] = {
    {"", 0},
    {"hz", 0},
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

}  // namespace

std::optional<uint64_t> parse_period(std::string_view rate) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(rate.data(), rate.data() + rate.size(), number);
  if (error != std::errc() || number == 0) return std::nullopt;
  rate.remove_prefix(static_cast<size_t>(end - rate.data()));
  for (const Unit& unit : kUnits) {
    if (unit.name != rate) continue;
    uint64_t period = 0;
    if (unit.ns == 0) {
      period = kSecond / number;
    } else if (__builtin_mul_overflow(number, unit.ns, &period) || period > INT64_MAX) {
      return std::nullopt;
    }
    return period;
  }
  return std::nullopt;
}

}  // namespace sonde
