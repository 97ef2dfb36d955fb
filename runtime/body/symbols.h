// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

namespace sonde {

struct BodySymbol {
  std::string_view name;  ///< as generated code calls it: "sonde_fn_strlen"
  const void* address;
};

/// Every helper, subroutine (sonde_fn_*), action (sonde_act_*) and variable (sonde_var_*) that generated code may call.
std::span<const BodySymbol> body_symbols();

}  // namespace sonde
