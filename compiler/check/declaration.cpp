// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/check/checker.h"

namespace sonde {

void Checker::declaration(DeclarationSyntax& syntax) {
  bool any = false;
  Storage storage = storage_of(syntax.specifiers, any);
  const Type* base = specified(syntax.specifiers);
  if (syntax.declarators.empty()) {
    bool declares =
        (syntax.specifiers.base == Specifiers::Base::Record || syntax.specifiers.base == Specifiers::Base::Enum) &&
        !any;
    if (!declares) fail("D_DECL_USELESS", syntax.where, "useless declaration");
    const_cast<Type*>(base->canonical)->own = true;
  }
  for (const Declarator& declarator : syntax.declarators) {
    require_unscoped(declarator.name, declarator.where);
    if (any && storage == Storage::Typedef)
      declare_typedef(declarator, derived(base, declarator));
    else
      declare(syntax.specifiers, declarator, base);
  }
}

void Checker::require_unscoped(const std::string& name, SourceRange where) {
  if (name.find('`') != std::string::npos)
    fail("D_DECL_SCOPE", where, "D scoping operator may not be used in a declaration name (" + name + ")");
}

void Checker::require_new(const std::string& name, SourceRange where) {
  bool constant = library_;
  if (!constant && world_.variable(name)) fail("D_DECL_IDRED", where, "built-in identifier redeclared: " + name);
  if (world_.function(name) || world_.aggregating_function(name))
    fail("D_DECL_IDRED", where, "built-in identifier redeclared: " + name);
  if (world_.global(name) || world_.types.find(name)) fail("D_DECL_IDRED", where, "identifier redeclared: " + name);
}

void Checker::declare_typedef(const Declarator& declarator, const Type* type) {
  const Type* known = world_.types.find(declarator.name);
  if (known && known->canonical == type->canonical) return;  // the same again
  require_new(declarator.name, declarator.where);
  world_.types.add_typedef(declarator.name, type);
}

void Checker::declare(const Specifiers& specifiers, const Declarator& declarator, const Type* base) {
  bool any = false;
  Storage storage = storage_of(specifiers, any);
  bool is_extern = any && storage == Storage::Extern;
  VariableDesc::Scope scope = !any || is_extern          ? VariableDesc::Scope::Global
                              : storage == Storage::Self ? VariableDesc::Scope::Self
                                                         : VariableDesc::Scope::This;
  declare_scoped(scope, declarator, base, is_extern);
}

void Checker::declare_scoped(VariableDesc::Scope scope, const Declarator& declarator, const Type* base,
                             bool is_extern) {
  const std::string& name = declarator.name;
  bool tuple = !declarator.derivations.empty() && declarator.derivations[0].kind == Derivation::Kind::Tuple;
  bool no_size = !declarator.derivations.empty() && declarator.derivations[0].kind == Derivation::Kind::Array &&
                 !declarator.derivations[0].size;
  if (no_size && is_extern) return;  // what it is stands where it is defined
  if (no_size)
    fail("D_DECL_ARRNULL", declarator.where, "array declaration requires array dimension or tuple signature: " + name);
  const Type* type = derived(base, declarator, tuple ? 1 : 0);
  const Type* real = type->canonical;
  if (real->kind == Type::Kind::Function) {
    // A prototype may bear the name of what is built in, and changes nothing about that.
    if (world_.function(name) || world_.aggregating_function(name) || world_.variable(name)) return;
    Symbol symbol;
    symbol.kind = Symbol::Kind::Prototype;
    symbol.type = type;
    world_.names.globals[name] = symbol;
    return;
  }
  if (real->kind == Type::Kind::Void) fail("D_DECL_VOIDOBJ", declarator.where, "cannot declare void variable: " + name);
  if (!world_.foreign.complete(real))
    fail("D_DECL_INCOMPLETE", declarator.where, "incomplete struct/union/enum " + type->name + ": " + name);
  if (real->kind == Type::Kind::Stack || real->kind == Type::Kind::Symbol)
    fail("D_DECL_DYNOBJ", declarator.where, "cannot declare variable of dynamic type: " + name);
  if (tuple && scope == VariableDesc::Scope::This)
    fail("D_DECL_LOCASSC", declarator.where, "associative arrays may not be declared as local variables: " + name);
  std::vector<const Type*> keys;
  if (tuple) keys = signature(declarator.derivations[0]);
  require_few_keys(keys.size(), declarator.where);
  SymbolMap& map = world_.names.of(scope);
  auto known = map.find(name);
  if (known != map.end()) {
    bool same = (is_extern || known->second.is_extern) && known->second.type->canonical == real &&
                known->second.keys == keys && known->second.kind != Symbol::Kind::Inline;
    if (same) return;
    fail(
        "D_DECL_IDRED", declarator.where,
        "identifier redeclared: " + name + "\n\t current: " + type->name + "\n\tprevious: " + known->second.type->name);
  }
  if (scope == VariableDesc::Scope::Global) require_new(name, declarator.where);
  Symbol& made = tuple ? declare_array(scope == VariableDesc::Scope::Self, name, std::move(keys), type)
                       : declare_variable(scope, name, type);
  made.is_extern = is_extern;
}

}  // namespace sonde
