// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace sonde {

/// A hint for an option that Options::set() refused: the nearest name, or the possible values. Empty: there is none.
std::string hint_on_option(std::string_view name, std::string_view value);

}  // namespace sonde
