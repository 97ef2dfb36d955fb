// SPDX-License-Identifier: GPL-3.0-or-later
// The syntax tree
//
// Expressions are nodes of one type, with their kids in order. The parser makes the tree. The checker gives every
// expression a type and replaces, in place, nodes that have a lower form. Checked and unchecked nodes may be in one
// tree, because a parameter of an inline is replaced by a checked argument. The result is copied to a tree of other
// types: see compiler/lowered/lowered.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/lowered/lowered.h"
#include "compiler/source/diagnostic.h"
#include "runtime/program/program.h"

namespace sonde {

enum class ExprKind : uint8_t {
  // Only in unchecked trees: the checker replaces them.
  Name,    ///< identifier, maybe scoped: `text`
  Macro,   ///< $1, $$1, $target: replaced while parsing
  Member,  ///< kid[0].text or ->
  Index,   ///< kid[0][kid[1..]]
  SizeofType,
  SizeofExpr,
  Offsetof,
  Stringof,
  Xlate,  ///< with a type: an object that was translated, until a member of it is taken; kid[0] is the input

  // In unchecked and in checked trees.
  Integer,  ///< an unchecked one has its type in `text`: see parse/build_expression.cpp
  String,   ///< `text`, escapes resolved
  Call,     ///< kids: the name, the arguments. Checked: `function`, and kids are the arguments
  Unary,
  Binary,
  Logical,
  Conditional,
  Assign,
  Update,  ///< op=, ++ and --
  Cast,
  Deref,
  AddressOf,
  Comma,

  // Made by the checker.
  StringOf,
  Aggregate,
  AggregationRef,
  Variable,
  ArrayElement,
  Builtin,
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr : ExprFacts {
  ExprKind kind = ExprKind::Integer;
  bool arrow = false;  ///< Member: -> rather than .
  std::vector<ExprPtr> kids;
  const struct TypeName* type_name = nullptr;  ///< Cast, SizeofType, Offsetof, Xlate (owned by the SyntaxTree)
};

struct Statement {
  enum class Kind : uint8_t { Expression, If };
  Kind kind = Kind::Expression;
  SourceRange where;
  ExprPtr expression;  ///< the condition of an If
  std::vector<Statement> then_part, else_part;
};

/// What is computed at some probes of a clause, before it.
struct PrefaceAst {
  ExprPtr when;     ///< they fire only where it is true; null: always
  ExprPtr derived;  ///< the value of __derived; null: 0
  std::vector<ProbeId> probes;
  /// argN of probes that their providers describe in D, where the clause reads it.
  std::vector<std::pair<uint32_t, ExprPtr>> arguments = {};
};

struct ClauseAst {
  SourceRange where;
  std::vector<ProbeDescription> descriptions;
  std::vector<SourceRange> description_places;
  ExprPtr predicate;                 ///< may be null
  bool has_body = false;             ///< braces were there
  std::string needs;                 ///< what the clause reads and the source cannot; set by the checker
  std::vector<PrefaceAst> prefaces;  ///< those of its probes; set by the checker
  bool hidden = false;               ///< of a provider: no script has it
  std::vector<Statement> statements;
};

}  // namespace sonde
