// SPDX-License-Identifier: GPL-3.0-or-later
// Constants for reading files and tables of the machine that this is built for
#pragma once

#if defined(__x86_64__)
#include "runtime/process/arch/x86_64/elf.h"
#define SONDE_ARCH_SYSCALLS "runtime/process/arch/x86_64/syscalls.inc"
#define SONDE_ARCH_COMPAT_CALLS "runtime/process/arch/x86_64/compat_calls.inc"
#else
#error "no tables for this machine: see runtime/process/generate.py"
#endif
