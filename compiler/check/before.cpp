// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/check/before.h"

#include <iterator>
#include <memory>
#include <optional>

#include "compiler/check/clause.h"
#include "compiler/check/library_texts.h"
#include "compiler/parse/parser.h"
#include "compiler/source/prepare.h"

namespace sonde {
namespace {

/// What is no part of the script has no place in it.
void take_from_script(std::vector<Statement>& list) {
  for (Statement& one : list) {
    one.where = {};
    take_from_script(one.then_part);
    take_from_script(one.else_part);
  }
}

}  // namespace

void add_clauses_before(CheckContext& cx, const std::string& text) {
  if (!cx.before_texts.insert(text).second) return;
  World& world = cx.world;
  const ParserQuestions questions{
      [&world](std::string_view name) { return world.types.find(name) || library_defines_type(name); },
      [](std::string_view) { return std::optional<std::string>(); }};
  Diagnostics wrong;
  const auto tree = std::make_shared<SyntaxTree>(parse(prepare(text, wrong).text, true, questions, wrong));
  world.trees.push_back(tree);
  const SourceText source{SourceText::Kind::Script, text, text, {}};
  CheckContext own{world, source, wrong};
  own.hidden = true;
  std::vector<ClauseAst> clauses = wrong.any() ? std::vector<ClauseAst>() : check_items(own, *tree);
  if (wrong.any())
    cx.fail("D_SYNTAX", {}, "what the provider runs before its probe is no D: " + text, wrong.list().front().message);
  for (ClauseAst& clause : clauses) {
    clause.hidden = true;
    clause.where = {};
    if (clause.predicate) clause.predicate->where = {};
    take_from_script(clause.statements);
  }
  std::ranges::move(clauses, std::back_inserter(cx.before));
}

}  // namespace sonde
