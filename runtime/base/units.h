// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace sonde {

/// Three digits and a unit, for a person: "812 ns", "1.23 us", "45.6 ms", "7.00 s", "1234 s".
std::string duration_text(int64_t nanoseconds);
/// The same of bytes, in powers of 1024: "832 B", "64.0 KiB", "1.50 MiB".
std::string size_text(uint64_t bytes);

}  // namespace sonde
