// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

namespace sonde {

/// "1f"
inline std::string hex_digits(uint64_t value) {
  char text[16];
  return {text, std::to_chars(text, text + sizeof text, value, 16).ptr};
}

/// "0x1f"
inline std::string hex(uint64_t value) { return "0x" + hex_digits(value); }

}  // namespace sonde
