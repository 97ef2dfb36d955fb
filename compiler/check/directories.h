// SPDX-License-Identifier: GPL-3.0-or-later
// D libraries of the user: the *.d files of -L, -x libdir and -x syslibdir.
#pragma once

#include <vector>

#include "compiler/check/world.h"
#include "compiler/source/diagnostic.h"

namespace sonde {

/// The libraries of the directories that the options name, each after those that it depends on. One whose module or
/// provider is missing is left out, and so is a directory that is not there. `main` is the program that they are for.
/// A cycle, or a library that is missing, is reported against `wrong`, the library that asks for it.
std::vector<SourceText> directory_libraries(World& world, const SourceText& main, SourceText& wrong,
                                            Diagnostics& diagnostics);

}  // namespace sonde
