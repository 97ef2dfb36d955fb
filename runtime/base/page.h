// SPDX-License-Identifier: GPL-3.0-or-later
// The size of a page
#pragma once

#include <cstdint>

namespace sonde {

constexpr uint64_t kPage = 4096;  ///< bytes, on each machine that sonde runs on
constexpr uint64_t kPageMask = ~(kPage - 1);

}  // namespace sonde
