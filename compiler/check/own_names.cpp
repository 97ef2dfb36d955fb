// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/check/own_names.h"

#include <algorithm>

namespace sonde {
namespace {

class OwnNames {
 public:
  explicit OwnNames(World& world) : world_(world) {}

  void item(const ClauseAst& clause) {
    if (clause.predicate) expression(*clause.predicate);
    statements(clause.statements);
  }
  void item(const DeclarationSyntax& declaration) {
    const auto& storages = declaration.specifiers.storage;
    const auto of_thread = [](Storage one) { return one == Storage::Self || one == Storage::This; };
    if (std::ranges::any_of(storages, of_thread)) return;
    for (const Declarator& one : declaration.declarators)
      if (!is_prototype(one)) name(one.name);
  }
  void item(const InlineSyntax& definition) { name(definition.declarator.name); }
  void item(const TranslatorSyntax&) {}
  void item(const ProviderSyntax&) {}

 private:
  static bool is_prototype(const Declarator& one) {
    return !one.derivations.empty() && one.derivations[0].kind == Derivation::Kind::Function;
  }

  void statements(const std::vector<Statement>& all) {
    for (const Statement& one : all) {
      expression(*one.expression);
      statements(one.then_part);
      statements(one.else_part);
    }
  }

  void expression(const Expr& expr) {
    if (expr.kind == ExprKind::Assign || expr.kind == ExprKind::Update) {
      const Expr& place = expr.kids[0]->kind == ExprKind::Index ? *expr.kids[0]->kids[0] : *expr.kids[0];
      if (place.kind == ExprKind::Name) name(place.text);
    }
    for (const ExprPtr& kid : expr.kids) expression(*kid);
  }

  void name(const std::string& text) {
    const DVariable* row = find_variable(text);
    if (row == nullptr || !row->yields || !world_.names.own.insert(text).second) return;
    world_.names.globals.erase(text);  // the library's, if an earlier text used it
  }

  World& world_;
};

}  // namespace

void note_own_names(World& world, const SyntaxTree& tree) {
  OwnNames names(world);
  for (const Item& item : tree.items) std::visit([&names](const auto& one) { names.item(one); }, item);
}

}  // namespace sonde
