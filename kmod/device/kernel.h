/* SPDX-License-Identifier: GPL-2.0 */
/* kernel.c: kernel memory and stacks */
#ifndef SONDE_KERNEL_H
#define SONDE_KERNEL_H

#include <linux/percpu.h>

#include "kmod/device/session.h"

/* Where the kernel stack of a firing begins, if not at the hook. */
struct sonde_origin {
	const struct sonde_firing *firing; /* the one; NULL: none */
	unsigned long function; /* that has returned to regs; 0: regs are in it */
	struct pt_regs *regs;
};

/* Of the innermost firing in a function of the kernel on this CPU. */
DECLARE_PER_CPU(struct sonde_origin, sonde_origin);

void sonde_kernel_init(void);
int sonde_kernel_check(struct sonde_session *session, char *why);
int sonde_read_kernel(u64 address, void *to, u32 length);
int sonde_read_kernel_text(u64 address, char *to, u32 max);
u32 sonde_walk_kernel(struct sonde_firing *firing, struct pt_regs *from,
		      u64 *to, u32 max);
u64 sonde_kernel_caller(struct sonde_firing *firing, struct pt_regs *from);
u64 sonde_kernel_depth(struct sonde_firing *firing, struct pt_regs *from);

#endif
