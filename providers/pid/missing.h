// SPDX-License-Identifier: GPL-3.0-or-later
// Why a description matches nothing in a process, in words
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "providers/pid/objects.h"
#include "runtime/framework/provider.h"

namespace sonde::pid {

/// For a description whose module or function `pid` does not have. `objects`: all that it has mapped. A line below the
/// first is a hint: the nearest name, the program's own name, and which modules there are. `near`: what find_sites()
/// suggests.
std::string why_not_there(uint32_t pid, const dtrace_probedesc_t& spec, const std::vector<Object>& objects,
                          const std::string& near);

}  // namespace sonde::pid
