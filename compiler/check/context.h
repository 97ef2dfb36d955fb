// SPDX-License-Identifier: GPL-3.0-or-later
// What the checker's families share while they check one text
//
// A family is a header with a few entry points. Those of expressions take a tree as the parser made it and return one with types, lowered
// as far as can be. All take the context, `cx`, and keep nothing of their own.
//
//   clause.h                                                       declarations and clauses, in the order of the text
//   declaration.h  type.h  inline.h  translator.h  provider.h      what declarations make
//   expression.h name.h operator.h assignment.h place.h call.h      what expressions mean
//   action.h  format.h  aggregation.h  speculation.h               what statements do
//   probes.h  stability.h                                          what the clause is about
//   node.h  convert.h  operand.h  prototype.h  variable.h           tools of these
//
// Arithmetic is 64 bits wide whatever the type says; `int` and its like are made true only where a value is stored, passed,
// compared as a key or printed. There, and nowhere else, convert() puts a Cast. Where the sign of an operation matters
// (/ % >> and comparisons) both operands have the sign that it has: same_sign() sees to that.
//
// An error ends the statement or declaration it is in: fail() throws Refused, which guarded() catches.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/check/world.h"
#include "compiler/source/prepare.h"

namespace sonde {

struct Refused {};

/// An inline or a translator that is being expanded: what stands for its parameters.
struct Expansion {
  std::map<std::string, const Expr*, std::less<>> values;
  SourceRange where;  ///< of the use: errors inside point there
};

struct CheckContext {
  World& world;
  const SourceText& source;
  Diagnostics& diagnostics;
  bool library = false;  ///< a text of D's own

  // Of the text.
  dtrace_attribute_t least = kStableName;     ///< the least of all names that were used: Stable/Stable/Common at most
  std::set<std::string, std::less<>> unsure;  ///< names in statements that failed: they may have been defined there
  uint64_t expanded_nodes = 0;                ///< that inlines and translators have come to
  bool overgrown = false;                     ///< they are too many, and an error says so
  Place last_place;                           ///< that line_of() found

  // Of the clause that is checked.
  const ClauseAst* clause = nullptr;
  std::vector<ProbeId> matched;                             ///< by the clause
  std::vector<std::vector<ArgumentDescription>> arguments;  ///< of the matched probes, fetched when they are needed
  std::string needs_kernel;  ///< what the clause follows into the kernel, though nobody sees it

  // Of the expression that is checked.
  uint32_t depth = 0;
  std::vector<Expansion> expansions;  ///< the innermost last
  const Type* text_member = nullptr;  ///< the char array whose text the last translated member gave

  /// Reports an error, unless it only follows from another, and ends the statement or declaration.
  [[noreturn]] void fail(std::string_view tag, SourceRange where, std::string message, std::string hint = {});
  /// An error ends `work`, and nothing else. False: there was one.
  template <typename Work>
  bool guarded(Work work);
  /// What stands at `where` has failed, and may have been the definition of the names in it.
  void remember_names(SourceRange where);

  /// What an error is to point at: inside an expansion, the use.
  SourceRange here(SourceRange where) const { return expansions.empty() ? where : expansions.front().where; }
  /// Whether a header that cpp included says it.
  bool in_header(SourceRange where) const;
  uint32_t line_of(SourceRange where);
};

/// Tags of errors that a definition which failed may have caused.
bool is_unknown_name(std::string_view tag);

template <typename Work>
bool CheckContext::guarded(Work work) {
  try {
    work();
    return true;
  } catch (const Refused&) {
    expansions.clear();
    depth = 0;
    return false;
  }
}

}  // namespace sonde
