// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sonde {

/// The line of `text` that contains byte `begin`; below it a caret under that byte, and tildes up to `end` or the end
/// of the line. Both lines are indented by four blanks and end in a newline. Of a long line, only the part around the
/// place.
std::string excerpt(std::string_view text, uint32_t begin, uint32_t end);

}  // namespace sonde
