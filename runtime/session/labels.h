// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace sonde {

/// Parses "role=db,dc=fra1" into names and values. Errors: EINVAL, a name is malformed, or metrics engines reserve it.
Result<std::vector<std::string>> parse_labels(std::string_view text);

}  // namespace sonde
