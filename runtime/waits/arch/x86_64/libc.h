// SPDX-License-Identifier: GPL-3.0-or-later
// Where glibc keeps what it knows of a thread, from the thread's control block (the value of %fs) on. It has been so since
// glibc 2.3; whoever reads it checks that the pointer at kOwnAddress leads back.
#pragma once

#include <cstdint>

namespace sonde::machine {

inline constexpr uint64_t kOwnAddress = 16, kThreadNumber = 720;

}  // namespace sonde::machine
