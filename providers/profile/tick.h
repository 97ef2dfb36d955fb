// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace sonde {

/// The period in ns of "97", "100hz", "10ms", "1sec" ...; 0 when it is none: N is 0, the unit unknown, the period
/// below 200 us or beyond 64 bits.
uint64_t parse_period(std::string_view rate);

}  // namespace sonde
