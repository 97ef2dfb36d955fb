// SPDX-License-Identifier: GPL-3.0-or-later
// Names of providers that belong to a process: python42
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace sonde {

/// "42" of "python42" and "p*42"; empty: no digit is at the end.
inline std::string_view number_at_end(std::string_view name) {
  return name.substr(name.find_last_not_of("0123456789") + 1);
}

/// 42 of "python42" and "p*42"; 0: no number is at the end, or none of 32 bits.
inline uint32_t process_named(std::string_view provider) {
  const std::string_view digits = number_at_end(provider);
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() ? number : 0;
}

}  // namespace sonde
