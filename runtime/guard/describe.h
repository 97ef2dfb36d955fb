// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "runtime/abi/requests.h"

namespace sonde::guard {

/// How the guard gets a thread past the instruction under a user tap, and the cost, as a line for the listing: "push
/// %rbp: emulated". Empty for other taps.
std::string describe_site(const Tap& tap);

}  // namespace sonde::guard
