// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sonde {

/// The line of `text` in which byte `begin` stands, and below it a caret there and tildes up to `end` or the end of the line. Both are
/// indented by four blanks and end in a newline. Of a long line the part around the place.
std::string excerpt(std::string_view text, uint32_t begin, uint32_t end);

}  // namespace sonde
