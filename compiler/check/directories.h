// SPDX-License-Identifier: GPL-3.0-or-later
// D libraries of the user: the *.d files of -L, -x libdir and -x syslibdir.
#pragma once

#include <vector>

#include "compiler/check/world.h"
#include "compiler/source/diagnostic.h"

namespace sonde {

/// The libraries in the directories that the options name, each after those that it depends on. A library is left out
/// if its module or provider is missing, and so is a directory that does not exist. `main` is the program that they are
/// for. A cycle, or a missing library, is reported against `wrong`, the library that asks for it.
std::vector<SourceText> directory_libraries(World& world, const SourceText& main, SourceText& wrong,
                                            Diagnostics& diagnostics);

}  // namespace sonde
