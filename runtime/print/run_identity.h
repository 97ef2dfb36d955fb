// SPDX-License-Identifier: GPL-3.0-or-later
// What tells one run from all others, and its lines' times.
#pragma once

#include <cstdint>
#include <string>

namespace sonde {

/// 16 random hex digits.
std::string random_run_id();
/// "" where /proc does not say.
std::string boot_id();
std::string kernel_release();
/// How far the kernel's clock may be off, ns.
uint64_t clock_error();
/// CLOCK_REALTIME, ns.
uint64_t wall_clock();

}  // namespace sonde
