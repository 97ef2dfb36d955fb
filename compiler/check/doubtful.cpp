// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/check/doubtful.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "runtime/base/find.h"
#include "runtime/lang/options.h"

namespace sonde {
namespace {

class Doubts {
 public:
  explicit Doubts(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void clause(const ClauseAst& clause) {
    if (clause.predicate) {
      condition(*clause.predicate);
      expression(*clause.predicate);
    }
    for (const Statement& one : clause.statements) statement(one);
  }

 private:
  /// What decides: itself, or what && || ! and ?: make of it.
  void condition(const Expr& expr) {
    if (expr.kind == ExprKind::Assign)
      return diagnostics_.warn(expr.where, "an assignment as a condition: what is assigned decides", "== compares");
    const bool joins = expr.kind == ExprKind::Logical || (expr.kind == ExprKind::Unary && expr.op == Op::LogNot);
    if (!joins) return;
    for (const ExprPtr& kid : expr.kids) condition(*kid);
  }

  void statement(const Statement& one) {
    if (one.kind == Statement::Kind::If) {
      condition(*one.expression);
    } else if (const Expr& expr = *one.expression; expr.kind == ExprKind::Binary && compares(expr.op)) {
      diagnostics_.warn(expr.where, "a comparison whose result nothing uses", expr.op == Op::Eq ? "= assigns" : "");
    }
    expression(*one.expression);
    for (const Statement& inner : one.then_part) statement(inner);
    for (const Statement& inner : one.else_part) statement(inner);
  }

  void expression(const Expr& expr) {
    if (expr.kind == ExprKind::Conditional) condition(*expr.kids[0]);
    if (expr.kind == ExprKind::Binary && expr.op == Op::Add) sum(expr);
    for (const ExprPtr& kid : expr.kids) expression(*kid);
  }

  /// Of a string constant and something else. Two of them are an error.
  void sum(const Expr& expr) {
    const auto is_text = [](const ExprPtr& kid) { return kid->kind == ExprKind::String; };
    if (std::ranges::count_if(expr.kids, is_text) != 1) return;
    diagnostics_.warn(expr.where, "+ moves the beginning of a string: \"abc\" + 1 is \"bc\"",
                      "strings are joined by strjoin(a, b); lltostr(n) makes a string of a number");
  }

  static bool compares(Op op) { return op >= Op::Eq && op <= Op::Ge; }

  Diagnostics& diagnostics_;
};

/// The second word of `#pragma WORD ...`; empty: the line is no pragma.
std::string_view word_of_pragma(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\\\n";
  const auto next = [&line, kBlanks] {
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
    line.remove_prefix(word.size());
    return word;
  };
  if (line.starts_with('#')) line.remove_prefix(1);
  return next() == "pragma" ? next() : std::string_view();
}

bool belongs_to_d(std::string_view word) {
  constexpr std::array<std::string_view, 5> kPragmas = {"attributes", "binding", "depends_on", "option", "options"};
  const std::string_view name = word.substr(0, word.find('='));
  return std::ranges::find(kPragmas, word) != kPragmas.end() ||
         find_sorted(kOptions, name, &OptionRow::name) != nullptr || word == "d";
}

}  // namespace

void warn_of_doubtful(const SyntaxTree& tree, Diagnostics& diagnostics) {
  Doubts doubts(diagnostics);
  for (const Item& item : tree.items)
    if (const auto* clause = std::get_if<ClauseAst>(&item)) doubts.clause(*clause);
}

void warn_of_foreign_pragmas(const std::vector<ControlLine>& lines, Diagnostics& diagnostics) {
  for (const ControlLine& line : lines)
    if (belongs_to_d(word_of_pragma(line.text)))
      diagnostics.warn(line.where, "this pragma is ignored: one of D begins with #pragma D",
                       "as in #pragma D option quiet");
}

}  // namespace sonde
