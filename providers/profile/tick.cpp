// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/profile/tick.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "runtime/base/time_units.h"

namespace sonde {
std::optional<uint64_t> parse_period(std::string_view rate) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(rate.data(), rate.data() + rate.size(), number);
  if (error != std::errc() || number == 0) return std::nullopt;
  rate.remove_prefix(static_cast<size_t>(end - rate.data()));
  if (rate.empty() || rate == "hz") return kSecond / number;
  const auto* unit = std::ranges::find(kTimeUnits, rate, [](const auto& one) { return one.first; });
  uint64_t period = 0;
  if (unit == std::end(kTimeUnits) || __builtin_mul_overflow(number, unit->second, &period) || period > INT64_MAX)
    return std::nullopt;
  return period;
}

}  // namespace sonde
