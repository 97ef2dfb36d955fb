// SPDX-License-Identifier: GPL-3.0-or-later
// Which system call a thread makes, in D, as the machine that this is built for has it
#pragma once

#if defined(__x86_64__)
#include "providers/sysinfo/arch/x86_64/calls.h"
#else
#error "no calls for this machine: see arch/x86_64/calls.h"
#endif
