// SPDX-License-Identifier: GPL-3.0-or-later
// Declarations: typedefs, variables, arrays, prototypes
//
// A name is declared once. Two exceptions, for headers that cpp includes: a typedef may be repeated, and an extern
// declaration may be in addition to the definition.
#include "compiler/check/declaration.h"

#include "compiler/check/type.h"
#include "compiler/check/variable.h"

namespace sonde {
namespace {

void declare_scoped(CheckContext& cx, VariableDesc::Scope scope, const Declarator& declarator, const Type* base,
                    bool is_extern);
Storage storage_of(CheckContext& cx, const Specifiers& specifiers, bool& any);

void declare_typedef(CheckContext& cx, const Declarator& declarator, const Type* type) {
  const Type* known = cx.world.types.find(declarator.name);
  if (known && known->canonical == type->canonical) return;  // the same again
  require_new(cx, declarator.name, declarator.where);
  cx.world.types.add_typedef(declarator.name, type);
}

void declare(CheckContext& cx, const Specifiers& specifiers, const Declarator& declarator, const Type* base) {
  bool any = false;
  Storage storage = storage_of(cx, specifiers, any);
  bool is_extern = any && storage == Storage::Extern;
  VariableDesc::Scope scope = !any || is_extern          ? VariableDesc::Scope::Global
                              : storage == Storage::Self ? VariableDesc::Scope::Self
                                                         : VariableDesc::Scope::This;
  declare_scoped(cx, scope, declarator, base, is_extern);
}

void declare_scoped(CheckContext& cx, VariableDesc::Scope scope, const Declarator& declarator, const Type* base,
                    bool is_extern) {
  const std::string& name = declarator.name;
  bool tuple = !declarator.derivations.empty() && declarator.derivations[0].kind == Derivation::Kind::Tuple;
  bool no_size = !declarator.derivations.empty() && declarator.derivations[0].kind == Derivation::Kind::Array &&
                 !declarator.derivations[0].size;
  if (no_size && is_extern) return;  // its definition has the size
  if (no_size)
    cx.fail("D_DECL_ARRNULL", declarator.where,
            "array declaration requires array dimension or tuple signature: " + name);
  const Type* type = derived_type(cx, base, declarator, tuple ? 1 : 0);
  const Type* real = type->canonical;
  if (real->kind == Type::Kind::Function) {
    // A prototype may have the name of a built-in function or variable, and has no effect on it.
    if (cx.world.function(name) || cx.world.aggregating_function(name) || cx.world.variable(name)) return;
    Symbol symbol;
    symbol.kind = Symbol::Kind::Prototype;
    symbol.type = type;
    cx.world.names.globals[name] = symbol;
    return;
  }
  if (real->kind == Type::Kind::Void)
    cx.fail("D_DECL_VOIDOBJ", declarator.where, "cannot declare void variable: " + name);
  if (!cx.world.foreign.complete(real))
    cx.fail("D_DECL_INCOMPLETE", declarator.where, "incomplete struct/union/enum " + type->name + ": " + name);
  if (real->kind == Type::Kind::Stack || real->kind == Type::Kind::Symbol)
    cx.fail("D_DECL_DYNOBJ", declarator.where, "cannot declare variable of dynamic type: " + name);
  if (tuple && scope == VariableDesc::Scope::This)
    cx.fail("D_DECL_LOCASSC", declarator.where, "associative arrays may not be declared as local variables: " + name);
  std::vector<const Type*> keys;
  if (tuple) keys = parameter_types(cx, declarator.derivations[0]);
  require_few_keys(cx, keys.size(), declarator.where);
  SymbolMap& map = cx.world.names.of(scope);
  auto known = map.find(name);
  if (known != map.end()) {
    bool same = (is_extern || known->second.is_extern) && known->second.type->canonical == real &&
                known->second.keys == keys && known->second.kind != Symbol::Kind::Inline;
    if (same) return;
    cx.fail(
        "D_DECL_IDRED", declarator.where,
        "identifier redeclared: " + name + "\n\t current: " + type->name + "\n\tprevious: " + known->second.type->name);
  }
  if (scope == VariableDesc::Scope::Global) require_new(cx, name, declarator.where);
  Symbol& made = tuple ? declare_array(cx, scope == VariableDesc::Scope::Self, name, std::move(keys), type)
                       : declare_variable(cx, scope, name, type);
  made.is_extern = is_extern;
  made.declared = true;
}

Storage storage_of(CheckContext& cx, const Specifiers& specifiers, bool& any) {
  any = !specifiers.storage.empty();
  if (specifiers.storage.size() > 1)
    cx.fail("D_DECL_CLASS", specifiers.where, "only one storage class allowed in a declaration");
  if (!any) return Storage::Extern;
  Storage storage = specifiers.storage[0];
  if (storage == Storage::Auto || storage == Storage::Register || storage == Storage::Static)
    cx.fail("D_DECL_BADCLASS", specifiers.where, "specified storage class not appropriate in D");
  return storage;
}

}  // namespace

void check_declaration(CheckContext& cx, DeclarationSyntax& syntax) {
  bool any = false;
  Storage storage = storage_of(cx, syntax.specifiers, any);
  const Type* base = specified_type(cx, syntax.specifiers);
  if (syntax.declarators.empty()) {
    bool declares =
        (syntax.specifiers.base == Specifiers::Base::Record || syntax.specifiers.base == Specifiers::Base::Enum) &&
        !any;
    if (!declares) cx.fail("D_DECL_USELESS", syntax.where, "useless declaration");
    const_cast<Type*>(base->canonical)->own = true;
  }
  for (const Declarator& declarator : syntax.declarators) {
    require_unscoped(cx, declarator.name, declarator.where);
    if (any && storage == Storage::Typedef)
      declare_typedef(cx, declarator, derived_type(cx, base, declarator));
    else
      declare(cx, syntax.specifiers, declarator, base);
  }
}

void require_unscoped(CheckContext& cx, const std::string& name, SourceRange where) {
  if (name.find('`') != std::string::npos)
    cx.fail("D_DECL_SCOPE", where, "D scoping operator may not be used in a declaration name (" + name + ")");
}

void require_new(CheckContext& cx, const std::string& name, SourceRange where) {
  bool constant = cx.library;
  if (!constant && cx.world.variable(name)) cx.fail("D_DECL_IDRED", where, "built-in identifier redeclared: " + name);
  if (cx.world.function(name) || cx.world.aggregating_function(name))
    cx.fail("D_DECL_IDRED", where, "built-in identifier redeclared: " + name);
  if (cx.world.global(name) || cx.world.types.find(name))
    cx.fail("D_DECL_IDRED", where, "identifier redeclared: " + name);
}

}  // namespace sonde
