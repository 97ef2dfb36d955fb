// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/world.h"

namespace sonde {

/// Finds the built-ins that yield (DVariable::yields) and that the text declares or assigns as global names: they are
/// the program's own from this text on, also above the declaration.
void note_own_names(World& world, const SyntaxTree& tree);

}  // namespace sonde
