// SPDX-License-Identifier: GPL-3.0-or-later
// Identifies a run, and relates its times to those of others.
#pragma once

#include <cstdint>
#include <string>

namespace sonde {

/// 16 random hex digits.
std::string random_run_id();
/// "" if /proc does not have it.
std::string boot_id();
std::string kernel_release();
/// The kernel's estimate of its clock's error, ns.
uint64_t clock_error();
/// CLOCK_REALTIME, ns.
uint64_t wall_clock();

}  // namespace sonde
