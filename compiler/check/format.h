// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// Parses a format into its conversions, and the text behind the last one.
std::vector<Conversion> read_format(CheckContext& cx, const std::string& function, const Expr& format);

/// Checks and converts the arguments: kids[1] and later. `first_number` is the number of kids[1] in the script's call.
void check_format(CheckContext& cx, const std::string& function, Expr& call, std::vector<Conversion>& conversions,
                  size_t first_number);

/// For printa: conversions consume the keys in order, those with @ the values.
void check_keys(CheckContext& cx, std::vector<Conversion>& format, const AggregationSymbol& aggregation,
                SourceRange where);

}  // namespace sonde
