// SPDX-License-Identifier: GPL-3.0-or-later
// Clauses of the parse tree
#include <algorithm>

#include "compiler/parse/tree_builder.h"
#include "compiler/source/other_words.h"

namespace sonde {

SyntaxTree TreeBuilder::build(P::ProgramContext* program) {
  for (P::ItemContext* item : program->item()) {
    if (item->clause())
      tree_.items.emplace_back(clause(item->clause()));
    else if (item->declaration())
      tree_.items.emplace_back(declaration(item->declaration()));
    else if (item->inlineDefinition())
      tree_.items.emplace_back(inline_definition(item->inlineDefinition()));
    else if (item->translator())
      tree_.items.emplace_back(translator(item->translator()));
    else if (item->providerDefinition())
      tree_.items.emplace_back(provider(item->providerDefinition()));
  }
  return std::move(tree_);
}

ClauseAst TreeBuilder::clause(P::ClauseContext* context) {
  ClauseAst clause;
  clause.where = range(context);
  for (antlr4::tree::TerminalNode* word : context->descriptions()->DESCRIPTION()) description(word, clause);
  if (context->predicate()) {
    diagnostics_.set_context("in predicate");
    clause.predicate = comma(context->predicate()->comma());
  }
  clause.has_body = context->body() != nullptr;
  diagnostics_.set_context("in action list");
  if (clause.has_body) clause.statements = statements(context->body()->statement());
  diagnostics_.set_context("");
  if (script_ && !clause.predicate && !clause.has_body)
    diagnostics_.report("D_SYNTAX", clause.where, "expected predicate and/or actions following probe description");
  if (clause.predicate && !clause.has_body) {
    const std::string other = hint_on_other_probe(text_, clause.where.begin);
    diagnostics_.report("D_SYNTAX", clause.where, "expected actions { } following probe description and predicate",
                        other.empty() ? "{ } prints a row for each firing" : other);
  }
  return clause;
}

void TreeBuilder::description(antlr4::tree::TerminalNode* node, ClauseAst& clause) {
  const SourceRange where = range(node->getSymbol());
  std::optional<ProbeDescription> description = description_of(spelling(node), where, questions_, diagnostics_);
  if (!description) return;
  clause.descriptions.push_back(std::move(*description));
  clause.description_places.push_back(where);
}

std::vector<Statement> TreeBuilder::statements(const std::vector<P::StatementContext*>& list) {
  std::vector<Statement> out;
  for (P::StatementContext* context : list) {
    if (context->conditionalStatement())
      out.push_back(conditional(context->conditionalStatement()));
    else if (context->comma())
      out.push_back(expression_statement(context->comma()));
  }
  return out;
}

Statement TreeBuilder::expression_statement(P::CommaContext* context) {
  Statement statement;
  statement.where = range(context);
  statement.expression = comma(context);
  return statement;
}

Statement TreeBuilder::conditional(P::ConditionalStatementContext* context) {
  Statement statement;
  statement.kind = Statement::Kind::If;
  statement.where = range(context);
  statement.expression = comma(context->comma());
  statement.then_part = arm(context->yes);
  if (context->no) statement.else_part = arm(context->no);
  return statement;
}

/// The last statement of a body needs no semicolon; an arm without braces does.
std::vector<Statement> TreeBuilder::arm(P::ArmContext* context) {
  std::vector<Statement> out;
  if (context->SEMICOLON() && spelling(context->SEMICOLON()) == "}")
    diagnostics_.report("D_SYNTAX", range(context->SEMICOLON()->getSymbol()), "syntax error near \"}\"");
  if (context->body()) return statements(context->body()->statement());
  if (context->conditionalStatement())
    out.push_back(conditional(context->conditionalStatement()));
  else if (context->comma())
    out.push_back(expression_statement(context->comma()));
  return out;
}

ExprPtr TreeBuilder::node(ExprKind kind, SourceRange where) const {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->where = where;
  return expr;
}

SourceRange TreeBuilder::range(antlr4::Token* token) const {
  size_t begin = std::min(token->getStartIndex(), text_.size());
  size_t end = token->getType() == antlr4::Token::EOF ? begin : token->getStopIndex() + 1;
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

SourceRange TreeBuilder::range(antlr4::ParserRuleContext* context) const {
  SourceRange first = range(context->getStart());
  antlr4::Token* stop = context->getStop();
  return {first.begin, stop ? std::max(range(stop).end, first.end) : first.end};
}

std::string TreeBuilder::spelling(antlr4::Token* token) const {
  SourceRange where = range(token);
  return text_.substr(where.begin, where.end - where.begin);
}

}  // namespace sonde
