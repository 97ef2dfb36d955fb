// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace sonde {

/// The descendants of a process that /proc lists now, parents first; without the caller and the caller's own children.
std::vector<uint32_t> descendants_of(uint32_t pid);

}  // namespace sonde
