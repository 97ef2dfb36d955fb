// SPDX-License-Identifier: GPL-3.0-or-later
// The passes, in the order in which compiler/driver.cpp calls them
//
//   directory_libraries()   once: the user's D libraries, in the order of their dependencies      directories.h
//   front_end()             each text in turn, those libraries first                              check.cpp
//     prepare()               comments and control lines become blanks                            source/prepare.h
//     control_lines()         #pragma D and its like are carried out                              check_pragma.cpp
//     parse()                 syntax tree                                                         parse/parser.h
//     Checker::items()        names, probes, types, lowering, constants                           checker.h
//   split()                 all clauses together: fire parts, and what is left for bodies         split.cpp
//   Jit::compile()          bodies as native code                                                 llvm/jit.h
//   split_remembering()     each clause: the hidden clause that it needs on the entries of calls  split.cpp
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/source/diagnostic.h"
#include "runtime/base/result.h"
#include "runtime/lang/options.h"
#include "runtime/program/program.h"

namespace sonde {

/// What macros stand for: $1.. (words of the command line), $target, $pid, ...
struct MacroValues {
  std::string script_name;                              ///< $0
  std::vector<std::string> arguments;                   ///< $1, $2, ...
  std::function<uint32_t()> target = [] { return 0; };  ///< $target; asked when a text names it
};

/// State that lasts over all texts of a session: types, names, inlines, translators, and the program that grows.
/// Opaque here; see compiler/passes/world.h.
class World;
std::unique_ptr<World> make_world(BodyProgram& program, ProbeCatalog& probes, Options& options);

/// A script's descriptions have bodies; what -n and its like take, or the option pspec allows, may be a description alone.
bool is_script(const SourceText& source, const Options& options);

/// Text to checked, lowered tree (parse, control lines, declarations, types, lowering). Adds variables, arrays, aggregations and sites to
/// the world's program. The caller reports `diagnostics`; the unit is of use only when there are none.
/// Probe descriptions are matched here: D_PDESC_ZERO unless zdefs.
Unit front_end(World& world, const SourceText& source, const MacroValues& macros, Diagnostics& diagnostics);

// ---- the split -------------------------------------------------------------------------------------------------

/// Where one capture comes from, and what a body finds in its slot.
struct Capture {
  sonde_slot_kind kind{};
  const Expr* expression = nullptr;  ///< the fire-time expression it replaces in the body
};

/// One clause, split. The fire part is DIF; the body is the tree, in which the expressions of `captures` stand for slots.
struct SplitClause {
  const ClauseAst* clause = nullptr;
  std::shared_ptr<FireProgram> fire;
  FirePrograms fire_of_probe;                ///< those of system calls, where argstr or retstr need a call's memory
  std::vector<Capture> captures;             ///< by slot
  std::map<const Expr*, uint32_t> slot_of;   ///< expression -> slot
  std::vector<const Expr*> body_predicates;  ///< conjuncts that the fire part could not decide
  std::map<const Expr*, bool> done_at_fire;  ///< assignments that the fire part makes: the body skips them
  std::set<const Expr*> followed;            ///< a Deref or StringOf that the body reads from the waiting program
  bool held = false;
};

/// A probe of a system call.
struct CallProbe {
  ProbeId probe;
  uint32_t call = 0;
  bool returns = false;
};
/// Those that a clause matches. None: argstr and retstr are made of numbers alone.
using CallsOf = std::function<std::vector<CallProbe>(const ClauseAst&)>;

/// Splits all clauses of `units` together: whether a variable can live at fire time depends on all its uses.
/// `program` gives the variables. The splitter remembers across calls (the prompt) where they live: a later text that would
/// break that gets a diagnostic.
class Splitter;
std::unique_ptr<Splitter> make_splitter(const BodyProgram& program, const Options& options);
std::vector<SplitClause> split(Splitter& splitter, const std::vector<const Unit*>& units, Diagnostics& diagnostics,
                               const CallsOf& calls_of = {});
/// What a clause needs of calls before they are made, to show them at their returns: a clause of ours, without a tree. Null `fire`: nothing.
SplitClause split_remembering(Splitter& splitter, const ClauseAst& clause, Diagnostics& diagnostics,
                              const CallsOf& calls_of, const CallsOf& entries_of);

}  // namespace sonde
