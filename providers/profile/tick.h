// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sonde {

inline constexpr uint64_t kShortestPeriod = 200'000;  ///< ns

/// The period in ns of "97", "100hz", "10ms", "1sec" ...; it may be too short. None: N is 0, the unit is unknown, or
/// the period exceeds 64 bits.
std::optional<uint64_t> parse_period(std::string_view rate);

}  // namespace sonde
