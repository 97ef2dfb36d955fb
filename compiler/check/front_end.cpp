// SPDX-License-Identifier: GPL-3.0-or-later
// The front end: text to checked tree
//
//   prepare --> control_lines --> parse --> items: declarations and clauses, in the order of the text --> lower
//
// One mistake, one message. An error ends the statement or the declaration that it is in (guarded()), and the next one
// is checked. The names in one that failed are remembered (unsure_): it may have been their definition, so a later use
// is not reported as unknown.
//
// The statements of a clause are checked before its predicate, because the predicate may name what only they assign.
// Where they name what only the predicate makes, the order is turned. A predicate costs a copy of the statements for
// that.
#include "compiler/check/front_end.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <unistd.h>

#include "compiler/check/checker.h"
#include "compiler/check/lower.h"
#include "compiler/library/library.h"
#include "compiler/parse/parser.h"
#include "compiler/source/prepare.h"

namespace sonde {
namespace {

/// The macro variables of one text.
class Macros {
 public:
  Macros(const MacroValues& values, World& world) : values_(values), world_(world) {}

  std::optional<std::string> operator()(std::string_view name) const {
    if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0]))) return argument(name);
    if (name == "target") return std::to_string(values_.target());
    if (name == "pid") return std::to_string(getpid());
    if (name == "ppid") return std::to_string(getppid());
    if (name == "uid") return std::to_string(getuid());
    if (name == "euid") return std::to_string(geteuid());
    if (name == "gid") return std::to_string(getgid());
    if (name == "egid") return std::to_string(getegid());
    if (name == "pgid") return std::to_string(getpgrp());
    if (name == "sid") return std::to_string(getsid(0));
    if (name == "projid" || name == "taskid") return "0";
    return std::nullopt;
  }

 private:
  std::optional<std::string> argument(std::string_view digits) const {
    size_t number = 0;
    for (char c : digits) {
      if (!std::isdigit(static_cast<unsigned char>(c)) || number > 100000) return std::nullopt;
      number = number * 10 + static_cast<size_t>(c - '0');
    }
    if (number == 0) return values_.script_name;
    world_.named_arguments.insert(number);
    if (number <= values_.arguments.size()) return values_.arguments[number - 1];
    if (world_.options.flag("defaultargs")) return "";
    return std::nullopt;
  }

  const MacroValues& values_;
  World& world_;
};

}  // namespace

void Checker::fail(std::string_view tag, SourceRange where, std::string message, std::string hint) {
  if (!follows_from_another(tag, here(where)) && !is_known_to_headers(tag, here(where)))
    diagnostics_.report(tag, here(where), std::move(message), std::move(hint));
  throw Refused{};
}

/// A header that cpp included declares what D declares, too: D's own stays.
bool Checker::is_known_to_headers(std::string_view tag, SourceRange where) {
  if (tag != "D_DECL_IDRED" && tag != "D_DECL_TYPERED") return false;
  return in_header(where);
}

/// cpp reads the script itself as /dev/stdin.
bool Checker::in_header(SourceRange where) {
  if (!world_.options.flag("cpp")) return false;
  const std::string file = place_of(source_.text, here(where).begin).file;
  return !file.empty() && file != "/dev/stdin";
}

uint32_t Checker::line_of(SourceRange where) {
  last_place_ = place_of(source_.text, here(where).begin, std::move(last_place_));
  return last_place_.line;
}

namespace {

/// Calls `take` for each word of `text` that can be a name; that of an aggregation begins with @.
template <typename Take>
void for_each_name(std::string_view text, Take take) {
  auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t i = 0; i < text.size();) {
    size_t begin = i++;
    if (!is_word(text[begin]) && text[begin] != '@') continue;
    while (i < text.size() && is_word(text[i])) ++i;
    std::string_view name = text.substr(begin, i - begin);
    if (name != "self" && name != "this") take(name);
  }
}

std::string_view part_of(const std::string& text, SourceRange where) {
  size_t begin = std::min<size_t>(where.begin, text.size());
  return std::string_view(text).substr(begin, std::max(where.end, where.begin) - where.begin);
}

}  // namespace

void Checker::remember_names(SourceRange where) {
  for_each_name(part_of(source_.text, where), [this](std::string_view name) { unsure_.emplace(name); });
}

bool Checker::is_unknown_name(std::string_view tag) {
  constexpr std::array<std::string_view, 5> kUnknown = {"D_CLEAR_AGGBAD", "D_IDENT_UNDEF", "D_NORMALIZE_AGGBAD",
                                                        "D_TRUNC_AGGBAD", "D_VAR_UNDEF"};
  return std::ranges::find(kUnknown, tag) != kUnknown.end();
}

/// One mistake, one message: a name is not called unknown if the statement that was to define it has failed.
bool Checker::follows_from_another(std::string_view tag, SourceRange where) const {
  if (!is_unknown_name(tag)) return false;
  bool found = false;
  for_each_name(part_of(source_.text, where), [&](std::string_view name) { found = found || unsure_.contains(name); });
  return found;
}

std::vector<ClauseAst> Checker::items(SyntaxTree& tree) {
  std::vector<ClauseAst> clauses;
  for (Item& item : tree.items) {
    if (auto* one = std::get_if<ClauseAst>(&item)) {
      clause(*one);
      clauses.push_back(std::move(*one));
    } else if (auto* declared = std::get_if<DeclarationSyntax>(&item)) {
      if (!guarded([&] { declaration(*declared); })) remember_names(declared->where);
    } else if (auto* defined = std::get_if<InlineSyntax>(&item)) {
      if (!guarded([&] { inline_definition(*defined); })) remember_names(defined->where);
    } else if (auto* translated = std::get_if<TranslatorSyntax>(&item)) {
      guarded([&] { translator(*translated); });
    } else if (auto* declared_provider = std::get_if<ProviderSyntax>(&item)) {
      guarded([&] { provider(*declared_provider); });
    }
  }
  return clauses;
}

void Checker::clause(ClauseAst& clause) {
  clause_ = &clause;
  needs_kernel_.clear();
  resolve_probes(clause);
  guarded([&] { note_probes(clause); });
  const size_t before = diagnostics_.list().size();
  const bool body_is_checked = clause.predicate && body_first(clause);
  predicate(clause);
  diagnostics_.set_context("in action list");
  if (!body_is_checked) statement_list(clause.statements);
  if (diagnostics_.list().size() == before) check_speculation(clause, diagnostics_);
  diagnostics_.set_context("");
  clause.needs = std::move(needs_kernel_);
  clause_ = nullptr;
}

/// A predicate may name what only the body assigns. False: the body names what only the predicate may declare, so it has to be
/// checked behind that; it is as it was.
bool Checker::body_first(ClauseAst& clause) {
  diagnostics_.set_context("in action list");
  const size_t before = diagnostics_.list().size();
  std::vector<Statement> unchecked = clone(clause.statements);
  const auto unsure = unsure_;
  statement_list(clause.statements);
  const auto& all = diagnostics_.list();
  const bool unknown = std::any_of(all.begin() + static_cast<ptrdiff_t>(before), all.end(),
                                   [](const Diagnostic& one) { return is_unknown_name(one.tag); });
  if (!unknown) return true;
  diagnostics_.keep(before);
  clause.statements = std::move(unchecked);
  unsure_ = unsure;
  return false;
}

void Checker::predicate(ClauseAst& clause) {
  if (!clause.predicate) return;
  diagnostics_.set_context("in predicate");
  guarded([&] {
    clause.predicate = scalar(std::move(clause.predicate), "D_PRED_SCALAR", "predicate result must be of scalar type");
    only_statements_act(*clause.predicate, false);
  });
}

void Checker::statement_list(std::vector<Statement>& list) {
  for (Statement& one : list)
    if (!guarded([&] { statement(one); })) remember_names(one.where);
}

void Checker::statement(Statement& statement) {
  if (statement.kind == Statement::Kind::Expression) {
    statement.expression = statement_expression(std::move(statement.expression));
    only_statements_act(*statement.expression, true);
    return;
  }
  guarded([&] {
    statement.expression =
        scalar(std::move(statement.expression), "D_OP_SCALAR", "the condition of if must be of scalar type");
    only_statements_act(*statement.expression, false);
  });
  statement_list(statement.then_part);
  statement_list(statement.else_part);
}

bool Checker::is_action_call(const Expr& expr) {
  return expr.kind == ExprKind::Call && expr.function != nullptr && is_action(expr.function->runs);
}

/// An action inside of an expression is a value of type void. Where every type was right it is refused here.
void Checker::only_statements_act(const Expr& expr, bool is_statement) {
  if (is_action_call(expr) && !is_statement)
    fail("D_CG_EXPR", expr.where,
         std::string(expr.function->name) + "( ) may not be called from a D expression (D program context required)");
  const bool arms = is_statement && expr.kind == ExprKind::Conditional;
  const bool list = is_statement && expr.kind == ExprKind::Comma;
  for (size_t i = 0; i < expr.kids.size(); ++i) only_statements_act(*expr.kids[i], list || (arms && i > 0));
}

/// What only a statement may be: actions, aggregations, and ?: between them.
ExprPtr Checker::statement_expression(ExprPtr expr) {
  switch (expr->kind) {
    case ExprKind::Call: return statement_call(std::move(expr));
    case ExprKind::Conditional: return statement_conditional(std::move(expr));
    case ExprKind::Assign:
    case ExprKind::Update:
      if (is_aggregation(*expr->kids[0])) return check_aggregate(std::move(expr));
      break;
    case ExprKind::Comma:
      for (ExprPtr& kid : expr->kids) kid = statement_expression(std::move(kid));
      expr->type = world_.types.void_type();
      return expr;
    default: break;
  }
  if (is_aggregation(*expr)) {
    const Expr* base = expr.get();
    while (base->kind == ExprKind::Index) base = base->kids[0].get();
    if (expr->kind == ExprKind::Name && !world_.names.aggregations.contains(base->text.substr(1)))
      fail("D_IDENT_UNDEF", expr->where, "failed to resolve " + base->text + ": Unknown variable name");
    fail("D_AGG_NULL", expr->where, "expression has null effect: " + base->text);
  }
  expr = check(std::move(expr));
  if (expr->type->canonical->kind == Type::Kind::Dynamic)
    fail("D_CG_DYN", expr->where, "expression cannot evaluate to result of dynamic type");
  return expr;
}

ExprPtr Checker::statement_call(ExprPtr expr) {
  std::string name;
  const DFunction* row = function_of(*expr, name);
  if (!row) return check(std::move(expr));  // complains
  if (is_action(row->runs)) return check_action(std::move(expr), *row);
  expr = check(std::move(expr));
  Type::Kind kind = expr->type->canonical->kind;
  if (kind != Type::Kind::Stack && kind != Type::Kind::Symbol) return expr;
  // ustack(); and usym(x); print: they are trace() of their value.
  ExprPtr out = make(ExprKind::Call, nullptr, expr->where);
  out->kids.push_back(std::move(expr));
  finish_site(*out, site(*out, *find_function("trace")));
  out->text = "trace";
  return out;
}

ExprPtr Checker::statement_conditional(ExprPtr expr) {
  expr->kids[0] = scalar(std::move(expr->kids[0]), "D_OP_SCALAR", "operator ?: expression must be of scalar type");
  if (ExprPtr arm = only_arm(*expr)) return statement_expression(std::move(arm));
  for (size_t i : {1, 2}) expr->kids[i] = statement_expression(std::move(expr->kids[i]));
  expr->type = world_.types.void_type();
  return expr;
}

bool is_script(const SourceText& source, const Options& options) {
  return source.kind == SourceText::Kind::Script && !options.flag("pspec");
}

LoweredUnit front_end(World& world, const SourceText& source, const MacroValues& macros, Diagnostics& diagnostics) {
  LoweredUnit unit;
  unit.source = source;
  size_t reported = diagnostics.list().size();
  auto failed = [&] { return diagnostics.list().size() > reported; };
  Checkpoint checkpoint(world);

  Diagnostics own;
  PreparedText prepared = prepare(source.text, own);
  Names before = world.names;
  std::vector<NamePragma> pragmas = control_lines(world, prepared.controls, !source.library.empty(), own);
  auto tree = std::make_shared<SyntaxTree>();
  Macros values(macros, world);
  ParserQuestions questions{[&](std::string_view name) {
                              return (world.types.find(name) && !world.function(name)) || library_defines_type(name);
                            },
                            [&](std::string_view name) { return values(name); }};
  if (!own.any()) *tree = parse(prepared.text, is_script(source, world.options), questions, own);
  for (const Diagnostic& one : own.list()) diagnostics.report(one);
  if (failed()) return unit;
  // Beyond this point there is a syntax tree.

  bool empty = source.kind == SourceText::Kind::Script && tree->items.empty() && prepared.controls.empty() &&
               !world.options.flag("empty") && source.library.empty();
  if (empty) diagnostics.report("D_EMPTY", {}, "empty D program translation unit");
  world.trees.push_back(tree);
  Checker checker(world, source, diagnostics);
  std::vector<ClauseAst> clauses = checker.items(*tree);
  unit.attributes = checker.least_attributes();
  check_name_pragmas(world, pragmas, before, diagnostics);
  if (failed()) return unit;
  // Beyond this point every expression has a type.

  for (ClauseAst& clause : clauses) unit.clauses.push_back(lower(std::move(clause)));
  checkpoint.keep();
  return unit;
}

}  // namespace sonde
