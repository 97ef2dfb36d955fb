// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Captures of paths: of directories and files that the thread has
#pragma once

#include "runtime/bpf/fire_target.h"

namespace sonde::bpf {

/// A CAPTEXT of a path. May use all scratch. False: it is none, or not to be had.
bool capture_path(sonde_lowering* l, const sonde_dif_insn* in);
/// Whether it is such a capture.
bool is_path(const sonde_dif_insn& in);

}  // namespace sonde::bpf
