// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/profile/tick.h"

#include <charconv>

#include "runtime/base/time_units.h"

namespace sonde {

std::optional<uint64_t> parse_period(std::string_view rate) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(rate.data(), rate.data() + rate.size(), number);
  if (error != std::errc() || number == 0) return std::nullopt;
  rate.remove_prefix(static_cast<size_t>(end - rate.data()));
  if (rate.empty() || same_in_any_case(rate, "hz")) return kSecond / number;
  const uint64_t unit = unit_of_time(rate);
  uint64_t period = 0;
  if (unit == 0 || __builtin_mul_overflow(number, unit, &period) || period > INT64_MAX) return std::nullopt;
  return period;
}

}  // namespace sonde
