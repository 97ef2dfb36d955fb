// SPDX-License-Identifier: GPL-3.0-or-later
// sonde(1), made from the tables
#pragma once

#include <string>

namespace sonde {

/// In the language of man(7).
std::string man_page();

}  // namespace sonde
