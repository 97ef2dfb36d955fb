// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Captures of stacks, and what is known by them
#pragma once

#include "runtime/bpf/fire_target.h"

namespace sonde::bpf {

// They may use all scratch.
void capture_user_stack(sonde_lowering* l, const sonde_dif_insn* in);
void capture_kernel_stack(sonde_lowering* l, const sonde_dif_insn* in);
/// R1 = the address in the kernel from which the function was called in which the probe fired; 0: none.
void load_kernel_caller(sonde_lowering* l);
/// R1 = the number of frames of the kernel's stack.
void load_kernel_depth(sonde_lowering* l);

}  // namespace sonde::bpf
