// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace sonde {

/// In capitals, with _ for __: MYAPP_REQUEST_START.
std::string macro_of(std::string_view provider, std::string_view probe);

}  // namespace sonde
