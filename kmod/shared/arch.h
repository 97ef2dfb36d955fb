/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The machine, for unwinding: registers by number, and rows that are not in any table */
#ifndef SONDE_SHARED_ARCH_H
#define SONDE_SHARED_ARCH_H

#if defined(__x86_64__)
#include "kmod/shared/arch/x86_64/frame.h"
#else
#error "kmod/shared/arch/ has no folder for this machine"
#endif

#endif
