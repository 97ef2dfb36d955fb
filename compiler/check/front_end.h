// SPDX-License-Identifier: GPL-3.0-or-later
// The front end: each text in turn, the user's D libraries first
//
//   prepare()            comments and control lines become blanks         source/prepare.h
//   control_lines()      #pragma D and its like are carried out           pragma.cpp
//   parse()              syntax tree                                      parse/parser.h
//   check_items()        names, probes, types, constants                  clause.h, context.h
//   lower()              a tree of types of its own                       lower.h
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/lowered/lowered.h"
#include "compiler/source/diagnostic.h"
#include "runtime/lang/options.h"

namespace sonde {

/// What macros stand for: $1.. (words of the command line), $target, $pid, ...
struct MacroValues {
  std::string script_name;                              ///< $0
  std::vector<std::string> arguments;                   ///< $1, $2, ...
  std::function<uint32_t()> target = [] { return 0; };  ///< $target; asked when a text names it
};

/// State that lasts over all texts of a session: types, names, inlines, translators, and the program that grows.
/// See compiler/check/world.h.
class World;

/// A script's descriptions have bodies; what -n and its like take, or the option pspec allows, may be a description alone.
bool is_script(const SourceText& source, const Options& options);

/// Text to checked, lowered tree (parse, control lines, declarations, types, lowering). Adds variables, arrays, aggregations and sites to
/// the world's program. The caller reports `diagnostics`; the unit is of use only when there are none.
/// Probe descriptions are matched here: D_PDESC_ZERO unless zdefs.
LoweredUnit front_end(World& world, const SourceText& source, const MacroValues& macros, Diagnostics& diagnostics);

}  // namespace sonde
