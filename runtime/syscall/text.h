// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers and quoted bytes, as the decoder writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sonde {

std::string hex_text(uint64_t value);      ///< 0x1f; "0" for 0
std::string octal_text(uint64_t value);    ///< 0644; at least three digits
std::string pointer_text(uint64_t value);  ///< 0x1f; "NULL" for 0

enum class Escape : uint8_t { Octal, Hex };

/// Quoted, with escapes for what is not printable, in octal with as few digits as the next byte allows; "..." behind
/// the quotes if `cut`.
std::string quote(std::string_view bytes, bool cut, Escape escape = Escape::Octal);

}  // namespace sonde
