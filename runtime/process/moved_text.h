// SPDX-License-Identifier: GPL-3.0-or-later
// Text that a program has moved to memory of its own
//
// For huge pages, node --use-largepages, PHP and databases copy their text, map anonymous memory in its place and copy
// it back. The text is no file's then, but it is where it was: in the hole between two mappings of its file.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/process/proc_maps.h"

namespace sonde {

/// The anonymous mappings among `maps`, those of `pid` by address, that lie in a hole of a file where that has text: as
/// if the file were mapped there.
std::vector<MapEntry> moved_texts(uint32_t pid, const std::vector<MapEntry>& maps);

}  // namespace sonde
