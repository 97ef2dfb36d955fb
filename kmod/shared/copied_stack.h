/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * A user stack as a firing leaves it in a record that cannot walk it: to be walked by who reads the record
 *
 *   slot --> sonde_copied_stack: frames, registers | bytes of the stack, from the stack pointer (rounded down to 8) on
 *
 * Most programs have no frame pointers, and a firing may neither look up mappings nor wait for the tables by which a walk
 * finds callers without them: programs of a stock kernel never, the module's not in interrupts nor under the kernel's locks.
 * So it copies what a walk needs: the registers, and the stack up to where the program's arguments begin, an absent page,
 * or SONDE_STACK_BYTES. A record with such slots has the flag SONDE_RECORD_STACKS_COPIED.
 */
#ifndef SONDE_COPIED_STACK_H
#define SONDE_COPIED_STACK_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif
#include <asm/ptrace.h>

#define SONDE_STACK_BYTES 16384u /* of a stack that are copied, at most */

struct sonde_copied_stack {
	uint32_t frames; /* that are wanted, at most */
	uint32_t at_edge; /* 1: the return address is at the stack pointer */
	struct pt_regs registers;
};

#endif
