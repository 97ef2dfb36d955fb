// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#if defined(__x86_64__)
#include "runtime/waits/arch/x86_64/libc.h"
#else
#error "no layouts of the C library for this machine"
#endif
