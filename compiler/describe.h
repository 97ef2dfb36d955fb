// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "compiler/split/split_clause.h"

namespace sonde {

/// A split clause as the consumer wants to know it; `text` is the source text that it stands in.
ClauseDesc describe(const SplitClause& split, const std::shared_ptr<const std::string>& text, BodyFunction body);

}  // namespace sonde
