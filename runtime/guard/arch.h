// SPDX-License-Identifier: GPL-3.0-or-later
// What the guard needs to know about the machine it is built for: the instruction under a breakpoint, register numbers
#pragma once

#if defined(__x86_64__)
#include "runtime/guard/arch/x86_64/clone_calls.h"
#include "runtime/guard/arch/x86_64/frame.h"
#include "runtime/guard/arch/x86_64/instruction.h"
#include "runtime/guard/arch/x86_64/perf_registers.h"
#else
#error "sonde cannot set breakpoints on this machine: runtime/guard/arch/ has no folder for it"
#endif
