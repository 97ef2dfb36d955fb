// SPDX-License-Identifier: GPL-3.0-or-later
// The front end: each text in turn, the user's D libraries first
//
//   prepare()            replaces comments and control lines by blanks    source/prepare.h
//   control_lines()      carries out #pragma D and the like               pragma.cpp
//   parse()              makes the syntax tree                            parse/parser.h
//   check_items()        names, probes, types, constants                  clause.h, context.h
//   lower()              makes the lowered tree                           lower.h
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/lowered/lowered.h"
#include "compiler/parse/outline.h"
#include "compiler/source/diagnostic.h"
#include "runtime/lang/options.h"

namespace sonde {

/// The values of macros: $1.. (words of the command line), $target, $pid, ...
struct MacroValues {
  std::string script_name;                                     ///< $0
  std::vector<std::string> arguments;                          ///< $1, $2, ...
  std::function<uint32_t()> target = [] { return 0; };         ///< $target; asked when a text names it
  std::map<std::string, std::string, std::less<>> named = {};  ///< others, by their names without $
  std::string else_meant = {};  ///< a hint on the arguments, for the case that the texts do not name the last one

  /// What a command line gives: the values of $1, $2, ... and of `named`, for as long as this is there. Empty: it gives
  /// none.
  KnownMacros given() const;
};

/// A member, or a variable, with its type as messages show it.
struct NamedType {
  std::string name, type;
};

/// State that is kept over all texts of a session: types, names, inlines, translators, and the growing program.
/// See compiler/check/world.h.
class World;

/// In a script, descriptions have bodies. The text of -n and the like, or of a script with the option pspec, may be a
/// description alone.
bool is_script(const SourceText& source, const Options& options);

/// Turns a text into a checked, lowered tree (control lines, parsing, declarations, types, lowering). Adds variables,
/// arrays, aggregations and sites to the world's program. The caller reports `diagnostics`; the unit is valid only if
/// there are none. Probe descriptions are matched here: D_PDESC_ZERO unless zdefs.
LoweredUnit front_end(World& world, const SourceText& source, const MacroValues& macros, Diagnostics& diagnostics);

}  // namespace sonde
