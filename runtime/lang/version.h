// SPDX-License-Identifier: GPL-3.0-or-later
// Versions of the D language: n.n or n.n.n.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sonde {

/// Packed as in DTrace's __SUNW_D_VERSION: 8 bits, 12 bits, 12 bits. Packed versions compare as numbers.
using Version = uint32_t;

constexpr Version make_version(uint32_t major, uint32_t minor, uint32_t micro = 0) {
  return major << 24 | minor << 12 | micro;
}

inline constexpr Version kOldestVersion = make_version(1, 0);
inline constexpr Version kNewestVersion = make_version(2, 0);

/// None: malformed, or a part too large.
constexpr std::optional<Version> read_version(std::string_view text) {
  constexpr uint32_t kMost[] = {0xff, 0xfff, 0xfff};
  uint32_t parts[3] = {};
  size_t count = 0, digits = 0;
  for (char c : text) {
    if (c == '.') {
      if (digits == 0 || ++count == 3) return std::nullopt;
      digits = 0;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    parts[count] = parts[count] * 10 + static_cast<uint32_t>(c - '0');
    if (++digits > 4 || parts[count] > kMost[count]) return std::nullopt;
  }
  if (count == 0 || digits == 0) return std::nullopt;
  return make_version(parts[0], parts[1], parts[2]);
}

}  // namespace sonde
