// SPDX-License-Identifier: GPL-3.0-or-later
// What the guard must know of the machine that this is built for: the instruction under a breakpoint, registers by their numbers
#pragma once

#if defined(__x86_64__)
#include "runtime/guard/arch/x86_64/frame.h"
#include "runtime/guard/arch/x86_64/instruction.h"
#else
#error "sonde cannot set breakpoints on this machine: runtime/guard/arch/ has no folder for it"
#endif
