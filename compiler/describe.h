// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "compiler/split/split_clause.h"

namespace sonde {

/// Describes a split clause for the consumer; `text` is the source text that contains it.
ClauseDesc describe(const SplitClause& split, const std::shared_ptr<const std::string>& text,
                    std::shared_ptr<Body> body);

}  // namespace sonde
