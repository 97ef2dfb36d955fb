// SPDX-License-Identifier: GPL-3.0-or-later
// Converts ANTLR's parse tree to ours. Refuses what the grammar accepts although D does not.
#pragma once

#include <string>

#include "DParser.h"
#include "compiler/parse/parser.h"

namespace sonde {

class TreeBuilder {
 public:
  TreeBuilder(const std::string& text, bool script, const ParserQuestions& questions, Diagnostics& diagnostics)
      : text_(text), script_(script), questions_(questions), diagnostics_(diagnostics) {}

  SyntaxTree build(antlr::DParser::ProgramContext* program);

 private:
  using P = antlr::DParser;

  // build_clause.cpp
  ClauseAst clause(P::ClauseContext* context);
  void description(antlr4::tree::TerminalNode* node, ClauseAst& clause);
  std::vector<Statement> statements(const std::vector<P::StatementContext*>& list);
  Statement expression_statement(P::CommaContext* context);
  Statement conditional(P::ConditionalStatementContext* context);
  std::vector<Statement> arm(P::ArmContext* context);

  // build_expression.cpp
  ExprPtr comma(P::CommaContext* context);
  ExprPtr expression(P::ExpressionContext* context);
  ExprPtr operation(P::OperationContext* context);
  ExprPtr operand(P::OperandContext* context);
  ExprPtr plain(P::PlainContext* context);
  ExprPtr postfix(ExprPtr base, P::PostfixContext* context, SourceRange where);
  ExprPtr prefix(P::PlainContext* context);
  ExprPtr primary(P::PrimaryContext* context);
  ExprPtr constant(P::PrimaryContext* context);
  ExprPtr integer(antlr4::tree::TerminalNode* node, std::string_view spelling);
  ExprPtr character(antlr4::tree::TerminalNode* node);
  ExprPtr macro(antlr4::tree::TerminalNode* node);
  void arguments(P::ArgumentsContext* context, Expr& into);
  std::string member(P::MemberContext* context);
  std::optional<std::string> macro_value(std::string_view token, SourceRange where);

  // build_declaration.cpp
  DeclarationSyntax declaration(P::DeclarationContext* context);
  InlineSyntax inline_definition(P::InlineDefinitionContext* context);
  TranslatorSyntax translator(P::TranslatorContext* context);
  ProviderSyntax provider(P::ProviderDefinitionContext* context);
  Specifiers specifiers(P::SpecifiersContext* context);
  void specifier(P::SpecifierContext* context, Specifiers& into);
  std::shared_ptr<RecordSyntax> record(P::RecordContext* context);
  void fields(P::FieldsContext* context, RecordSyntax& into);
  std::shared_ptr<EnumSyntax> enumeration(P::EnumerationContext* context);
  Declarator declarator(P::DeclaratorContext* context);
  void abstract_declarator(P::AbstractDeclaratorContext* context, Declarator& into);
  Derivation suffix(P::SuffixContext* context);
  Derivation pointer(SourceRange where);
  std::shared_ptr<std::vector<Parameter>> parameters(P::ParametersContext* context);
  const TypeName* type_name(P::TypeNameContext* context);

  ExprPtr node(ExprKind kind, SourceRange where) const;
  SourceRange range(antlr4::ParserRuleContext* context) const;
  SourceRange range(antlr4::Token* token) const;
  std::string spelling(antlr4::Token* token) const;
  std::string spelling(antlr4::tree::TerminalNode* node) const { return spelling(node->getSymbol()); }

  const std::string& text_;
  bool script_;
  const ParserQuestions& questions_;
  Diagnostics& diagnostics_;
  SyntaxTree tree_;
};

}  // namespace sonde
