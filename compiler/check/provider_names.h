// SPDX-License-Identifier: GPL-3.0-or-later
// What a provider declaration may name its provider and its probes.
#pragma once

#include <optional>

#include "compiler/ast/declarations.h"
#include "compiler/source/diagnostic.h"

namespace sonde {

/// What is wrong with the provider's own name.
std::optional<Diagnostic> wrong_name(const ProviderSyntax& provider);
std::optional<Diagnostic> wrong_name(const ProbeSyntax& probe);

}  // namespace sonde
