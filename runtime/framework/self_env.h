// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "kmod/shared/dif.h"
#include "runtime/firing/firing_loop.h"

namespace sonde {

/// A firing in sonde itself, for the environment below.
struct SelfFiring : FiringState {
  std::span<const char* const> texts;  ///< by argument; null: the argument is no text
  bool user_mode = false;              ///< what dtps_usermode said; false without it
  mutable uint64_t cpu_time = 0;       ///< of the thread, read at the first use: constant within a firing
};

/// The environment in which DIF runs for probes that fire in sonde itself (`thread` is a SelfFiring). Of sonde's memory
/// a program can read the arguments and the environment, as the kernel laid them out at exec. The user stack is refused
/// when dtps_usermode reports user mode, and empty otherwise; registers are 0. Neither locks nor allocates.
const sonde_dif_env& self_env();

/// Reads in advance what does not change (pid, name, arguments).
void prepare_self_env();

/// The command's name, as the kernel has it.
const char* self_execname();

uint32_t self_pid();
uint32_t self_tid();

}  // namespace sonde
