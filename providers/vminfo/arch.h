// SPDX-License-Identifier: GPL-3.0-or-later
// Page faults, in D, as the machine that this is built for tells them
#pragma once

#if defined(__x86_64__)
#include "providers/vminfo/arch/x86_64/faults.h"
#else
#error "no page faults for this machine: see arch/x86_64/faults.h"
#endif
