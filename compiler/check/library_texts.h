// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "compiler/check/world.h"

namespace sonde {

/// Loads the library text that defines `name`, if there is one and it has not been loaded.
void load_library_for(World& world, std::string_view name);
bool library_defines_type(std::string_view name);

}  // namespace sonde
