// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// The type that the specifiers mean.
const Type* specified_type(CheckContext& cx, const Specifiers& s);

/// The type of a declarator; `keep` derivations nearest to the name are left out.
const Type* derived_type(CheckContext& cx, const Type* base, const Declarator& declarator, size_t keep = 0);

/// The types of the keys of a Tuple or of the parameters of a Function, and their names.
std::vector<const Type*> parameter_types(CheckContext& cx, const Derivation& derivation,
                                         std::vector<std::string>* names = nullptr);

/// The type of a cast, sizeof or their like.
const Type* named_type(CheckContext& cx, const TypeName& name);

}  // namespace sonde
