// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/lang/options.h"

namespace sonde {

/// The number that a text means as the value of an option of D of this kind: 1 or 0, bytes, a count, ns. Nothing: it is
/// none. `kind` is none of Text and List.
std::optional<uint64_t> parse_number(OptionKind kind, std::string_view text);

}  // namespace sonde
