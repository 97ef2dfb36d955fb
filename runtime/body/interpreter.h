// SPDX-License-Identifier: GPL-3.0-or-later
// The interpreter of body code
#pragma once

#include <vector>

#include "runtime/body/context.h"
#include "runtime/program/body_code.h"

namespace sonde {

/// The registers and words of a code, between runs.
std::vector<uint64_t> new_frame(const BodyCode& code);

/// Runs `code` once, as a BodyFunction. `frame` is its own: new_frame() made it.
int32_t interpret(const BodyCode& code, std::vector<uint64_t>& frame, BodyContext& context);

}  // namespace sonde
