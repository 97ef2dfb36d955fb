/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine: registers, system calls and function calls, under names that fit
 * every machine. No file outside of kmod/arch/ names a register.
 */
#ifndef SONDE_ARCH_H
#define SONDE_ARCH_H

#ifdef CONFIG_X86_64
#include "kmod/arch/x86_64/machine.h"
#else
#error "kmod/arch/ has no folder for this machine"
#endif

#endif
