// SPDX-License-Identifier: GPL-3.0-or-later
// The state that the checker's families share while they check one text
//
// A family is a header with a few entry points. Those for expressions take a tree from the parser and return it with
// types, lowered as far as possible. All take the context, `cx`, and keep no state of their own.
//
//   clause.h                                                       declarations and clauses, in the order of the text
//   declaration.h  type.h  inline.h  translator.h  provider.h      what declarations make
//   expression.h name.h operator.h assignment.h place.h call.h      what expressions mean
//   action.h  format.h  aggregation.h  speculation.h               what statements do
//   probes.h  stability.h                                          what the clause is about
//   node.h  convert.h  operand.h  prototype.h  variable.h           tools of these
//
// Arithmetic is 64 bits wide, whatever the type is; a value is cut to a narrower type only where it is stored, passed,
// used as a key or printed. There, and nowhere else, convert() adds a Cast. If the sign of an operation matters (/ % >>
// and comparisons), same_sign() gives both operands the sign of the operation.
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

/// An inline or a translator that is being expanded, with the values of its parameters.
struct Expansion {
  std::map<std::string, const Expr*, std::less<>> values;
  SourceRange where;  ///< of the use: errors inside point there
};

struct CheckContext {
  World& world;
  const SourceText& source;
  Diagnostics& diagnostics;
  bool library = false;  ///< the text is one of D's own

  // State of the text.
  dtrace_attribute_t least = kStableName;  ///< attributes of the least stable name used: Stable/Stable/Common at most
  std::set<std::string, std::less<>> unsure;  ///< names in statements that failed: they may have been defined there
  uint64_t expanded_nodes = 0;                ///< nodes that inlines and translators have expanded to
  bool overgrown = false;                     ///< there are too many of them, which was reported
  Place last_place;                           ///< the last result of line_of()

  std::vector<ClauseAst> before;                    ///< clauses that providers want before those of the text
  std::set<std::string, std::less<>> before_texts;  ///< what these were made of
  bool hidden = false;  ///< the text is such clauses: a description that matches nothing is no error

  // State of the clause that is being checked.
  const ClauseAst* clause = nullptr;
  std::vector<ProbeId> matched;                             ///< by the clause
  bool refused = false;                                     ///< a description of it: no argument's type is known
  std::vector<std::vector<ArgumentDescription>> arguments;  ///< of the matched probes, fetched when they are needed
  bool of_kernel = false;     ///< all of them fire in the kernel, so their arguments are the kernel's
  size_t in_d = 0;            ///< how many of them their providers describe in D, with their arguments
  uint32_t reads_in_d = 0;    ///< which arguments of these the clause reads, one bit each
  size_t with_arguments = 0;  ///< how many of them bring their arguments along, by locations
  std::string needs_kernel;   ///< what the clause reads in the kernel, although the source cannot

  // State of the expression that is being checked.
  uint32_t depth = 0;
  std::vector<Expansion> expansions;  ///< the innermost last
  const Type* text_member = nullptr;  ///< the char array whose text is the value of the last translated member

  /// Reports an error, unless it is a consequence of another, and ends the statement or declaration.
  [[noreturn]] void fail(std::string_view tag, SourceRange where, std::string message, std::string hint = {});
  /// Runs `work`; an error ends only that. False: there was an error.
  template <typename Work>
  bool guarded(Work work);
  /// The text at `where` failed. It may have been the definition of the names in it.
  void remember_names(SourceRange where);

  /// The place that an error points at: inside an expansion, the place of its use.
  SourceRange here(SourceRange where) const { return expansions.empty() ? where : expansions.front().where; }
  /// Whether the text at `where` is from a header that cpp included.
  bool in_header(SourceRange where) const;
  uint32_t line_of(SourceRange where);
};

/// Whether a definition that failed may have caused an error with this tag.
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
