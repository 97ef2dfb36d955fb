// SPDX-License-Identifier: GPL-3.0-or-later
// Where the C libraries keep what they know of a thread, from the thread's control block (the value of %fs) on: glibc since
// 2.3, musl since 1.1.20. Whoever reads it checks that the block's pointer to itself leads back.
#pragma once

#include <cstdint>

namespace sonde::machine {

inline constexpr uint64_t kOwnAddress = 16, kThreadNumber = 720;
inline constexpr uint64_t kMuslOwnAddress = 0, kMuslThreadNumber = 48, kMuslDetachState = 56;

}  // namespace sonde::machine
