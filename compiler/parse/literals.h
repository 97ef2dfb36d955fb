// SPDX-License-Identifier: GPL-3.0-or-later
// Constants of D: numbers, characters, strings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sonde {

struct IntegerLiteral {
  uint64_t value = 0;
  uint32_t size = 4;
  bool is_signed = true;
  std::string error_tag;  ///< empty: no error
  std::string error;
};

IntegerLiteral read_integer(std::string_view text);

/// The bytes between the quotes, with escapes resolved. D keeps the backslash of \?, of \' and of unknown escapes.
std::string read_escapes(std::string_view inner);

/// The word is a name, perhaps of another module.
bool is_identifier(std::string_view word);

}  // namespace sonde
