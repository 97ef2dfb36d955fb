// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kmod/shared/dif.h"
#include "runtime/base/ids.h"

namespace sonde {

/// Name of the program that fires local probes.
inline constexpr char kSelfExecname[] = "sonde";

/// One local firing, for the env below.
struct SelfThread {
  Nanoseconds timestamp;
  ProbeId probe;
  bool user_mode;  ///< what dtps_usermode said
};

/// DIF's view of sonde's own process and the thread that fires (`thread` is a SelfThread). Memory, stack and registers
/// of sonde are nobody's business: reading them is a fault. Neither locks nor allocates.
const sonde_dif_env& self_env();

/// Reads what does not change (pid, arguments) beforehand.
void prepare_self_env();

uint32_t self_pid();
uint32_t self_tid();

}  // namespace sonde
