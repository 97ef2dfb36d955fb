// SPDX-License-Identifier: GPL-3.0-or-later
// A text without the blanks around it
#pragma once

#include <string>
#include <string_view>

namespace sonde {

inline std::string trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\n");
  return begin == text.npos ? "" : std::string(text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1));
}

}  // namespace sonde
