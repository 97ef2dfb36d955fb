// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// Whether `expr` is self->x or this->x, and which.
bool is_scope(const Expr& expr, VariableDesc::Scope& scope);

/// For the base of an Index: its symbol, or null. `name` stays empty if the base is not a name.
const Symbol* symbol_of(CheckContext& cx, const Expr& base, VariableDesc::Scope& scope, std::string& name);

/// The variable self->x or this->x. `assigned`: the type of a new variable; null if it must exist.
ExprPtr scoped_variable(CheckContext& cx, ExprPtr expr, VariableDesc::Scope scope, const Type* assigned);

/// The variable as a place.
ExprPtr variable_of(const Symbol& symbol, SourceRange where);
Symbol& declare_variable(CheckContext& cx, VariableDesc::Scope scope, const std::string& name, const Type* type);
Symbol& declare_array(CheckContext& cx, bool thread_local_, const std::string& name, std::vector<const Type*> keys,
                      const Type* type);
void require_few_keys(CheckContext& cx, size_t count, SourceRange where);

/// The type of a key, taken from its first use. `what`: the kind of table; `number` counts from 1.
const Type* key_type(CheckContext& cx, const Expr& key, const std::string& what, size_t number);

}  // namespace sonde
