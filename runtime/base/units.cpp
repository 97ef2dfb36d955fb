// SPDX-License-Identifier: MIT
#include "runtime/base/units.h"

#include <array>
#include <cstdio>
#include <span>
#include <string_view>

namespace sonde {
namespace {

struct Unit {
  std::string_view name;
  double size;  ///< in the unit before
};

/// The value in the largest unit in which it is at least 1, after rounding to three digits.
std::string in_units(uint64_t value, std::string_view first, std::span<const Unit> units) {
  auto amount = static_cast<double>(value);
  std::string_view name = first;
  for (const Unit& unit : units) {
    if (amount < unit.size - 0.5) break;
    amount /= unit.size;
    name = unit.name;
  }
  const int digits = name == first || amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*f ", digits, amount);
  return text.data() + std::string(name);
}

}  // namespace

std::string duration_text(int64_t nanoseconds) {
  constexpr std::array<Unit, 3> kUnits{{{"us", 1000}, {"ms", 1000}, {"s", 1000}}};
  const uint64_t size = nanoseconds < 0 ? 0 - static_cast<uint64_t>(nanoseconds) : static_cast<uint64_t>(nanoseconds);
  return (nanoseconds < 0 ? "-" : "") + in_units(size, "ns", kUnits);
}

std::string size_text(uint64_t bytes) {
  constexpr std::array<Unit, 4> kUnits{{{"KiB", 1024}, {"MiB", 1024}, {"GiB", 1024}, {"TiB", 1024}}};
  return in_units(bytes, "B", kUnits);
}

}  // namespace sonde
