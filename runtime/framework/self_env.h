// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kmod/shared/dif.h"
#include "runtime/firing/firing_loop.h"

namespace sonde {

/// One local firing, for the env below.
struct SelfFiring : FiringState {
  bool user_mode = false;         ///< what dtps_usermode said; false without it
  mutable uint64_t cpu_time = 0;  ///< of the thread, once it was asked for: one firing sees one
};

/// DIF's view of sonde's own process and the thread that fires (`thread` is a SelfFiring). Of its memory the arguments and the
/// environment can be read, as the kernel laid them out at its start; its stack is refused where dtps_usermode says user mode,
/// else empty; its registers are 0. Neither locks nor allocates.
const sonde_dif_env& self_env();

/// Reads what does not change (pid, name, arguments) beforehand.
void prepare_self_env();

/// The name by which the command was called, as the kernel has it.
const char* self_execname();

uint32_t self_pid();
uint32_t self_tid();

}  // namespace sonde
