// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of manual pages
#pragma once

#include <string>
#include <string_view>

namespace sonde {

/// A text for roff: a backslash and a leading dot or quote mean something there, and - is a hyphen.
std::string roff(std::string_view text);
/// A label with its sentence below it.
std::string roff_item(std::string_view label, std::string_view sentence);
/// A sentence, and a command as it is typed.
std::string roff_example(std::string_view what, std::string_view command);

}  // namespace sonde
