// SPDX-License-Identifier: GPL-3.0-or-later
// Control lines: `#pragma D ...`, `#error` and the like.
#pragma once

#include <string>
#include <vector>

#include "compiler/check/world.h"
#include "compiler/source/prepare.h"

namespace sonde {

/// `#pragma D attributes` or `binding` about a name of the text.
struct NamePragma {
  std::string kind;  ///< for messages
  std::string name;
  SourceRange where;
};

/// Carries out control lines: sets options, and notes in the world what they say about names. The NamePragmas must be
/// checked by check_name_pragmas() when the text's declarations are known.
std::vector<NamePragma> control_lines(World& world, const std::vector<ControlLine>& lines, bool library,
                                      Diagnostics& diagnostics);
/// A pragma about a name must be about one that this text declares. `before`: the names that existed already.
void check_name_pragmas(const World& world, const std::vector<NamePragma>& pragmas, const Names& before,
                        Diagnostics& diagnostics);

/// `#pragma D depends_on KIND NAME`.
struct Dependency {
  std::string kind, name;
  SourceRange where;
};
std::vector<Dependency> dependencies(const std::vector<ControlLine>& lines);
/// Whether the module or provider exists.
bool is_met(World& world, const Dependency& need);

}  // namespace sonde
