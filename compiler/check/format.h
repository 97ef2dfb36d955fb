// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// The conversions of a format, and the text behind the last.
std::vector<Conversion> read_format(CheckContext& cx, const std::string& function, const Expr& format);

/// Checks and converts the arguments: kids[1] and those behind it. `first_number` is that of kids[1] in the script's call.
void check_format(CheckContext& cx, const std::string& function, Expr& call, std::vector<Conversion>& conversions,
                  size_t first_number);

/// printa's: conversions take the keys in order, those with @ the values.
void check_keys(CheckContext& cx, std::vector<Conversion>& format, const AggregationSymbol& aggregation,
                SourceRange where);

}  // namespace sonde
