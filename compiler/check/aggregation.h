// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// Where one is used as a value.
inline constexpr char kHintOnAggregation[] = "an aggregation is printed with printa()";

/// Whether `expr` is @name or @name[...].
bool is_aggregation(const Expr& expr);

/// The aggregation that an action has as an argument. The tags are for an argument that is not an aggregation, and for
/// an unknown one.
const AggregationSymbol& aggregation_named(CheckContext& cx, const Expr& expr, const std::string& function,
                                           size_t number, std::string_view argument_tag, std::string_view unknown_tag);

/// @name[keys] = function(...), which makes the aggregation if it is new.
ExprPtr check_aggregate(CheckContext& cx, ExprPtr expr);

}  // namespace sonde
