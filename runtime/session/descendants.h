// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace sonde {

/// The children of a process, and theirs, as /proc has them now; parents come first. Never the caller, nor what it has started.
std::vector<uint32_t> descendants_of(uint32_t pid);

}  // namespace sonde
