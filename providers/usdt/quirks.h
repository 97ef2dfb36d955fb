// SPDX-License-Identifier: GPL-3.0-or-later
// What programs need besides their notes, as rows
#pragma once

#include <string_view>

namespace sonde::usdt {

/// The program fires the probe only while the counter of another one is up, too.
struct Companion {
  std::string_view provider, probe, other;
};

/// Python 3.11 looks for a tracer where it has decided to trace lines, and nowhere else.
inline constexpr Companion kCompanions[] = {{"python", "function__entry", "line"},
                                            {"python", "function__return", "line"}};

}  // namespace sonde::usdt
