// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace sonde {

/// "role=db,dc=fra1", each a name and a value. Errors: EINVAL, a name that is none, or that engines need for themselves.
Result<std::vector<std::string>> parse_labels(std::string_view text);

}  // namespace sonde
