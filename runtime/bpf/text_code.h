// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Captures of texts about the thread and the event: enum sonde_dif_text
#pragma once

#include "runtime/bpf/fire_target.h"

namespace sonde::bpf {

/// A CAPTEXT of any text but execname. May use all scratch. False: that text is not to be had.
bool capture_thread_text(sonde_lowering* l, const sonde_dif_insn* in);

}  // namespace sonde::bpf
