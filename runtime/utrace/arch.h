// SPDX-License-Identifier: GPL-3.0-or-later
// Includes namespace sonde::machine of the processor that this is built for
#pragma once

#if defined(__x86_64__)
#include "runtime/utrace/arch/x86_64/machine.h"
#else
#error "sonde cannot trace on this machine: runtime/utrace/arch/ has no folder for it"
#endif
