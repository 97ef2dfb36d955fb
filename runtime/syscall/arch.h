// SPDX-License-Identifier: GPL-3.0-or-later
// The tables that generate.py made for the machine that this is built for
#pragma once

#if defined(__x86_64__)
#define SONDE_ARCH_CONSTANTS "runtime/syscall/arch/x86_64/constants.inc"
#define SONDE_ARCH_SHAPES "runtime/syscall/arch/x86_64/shapes.inc"
#else
#error "no constants for this machine: see runtime/syscall/generate.py"
#endif
