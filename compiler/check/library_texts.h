// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "compiler/check/world.h"
#include "compiler/library/library.h"

namespace sonde {

/// Loads the library text that defines `name`, if there is one and it has not been loaded.
void load_library_for(World& world, std::string_view name);
/// Loads a text, unless it has been loaded. Returns whether it is right; what is wrong is printed on standard error,
/// once.
bool load_library_part(World& world, const LibraryPart& part);
bool library_defines_type(std::string_view name);

}  // namespace sonde
