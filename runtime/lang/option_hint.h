// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace sonde {

/// What helps who wrote an option that Options::set() refused: the nearest name, or what values there are. Empty: nothing does.
std::string hint_on_option(std::string_view name, std::string_view value);

}  // namespace sonde
