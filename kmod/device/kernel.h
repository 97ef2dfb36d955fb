/* SPDX-License-Identifier: GPL-2.0 */
/* kernel.c: kernel memory and stacks */
#ifndef SONDE_KERNEL_H
#define SONDE_KERNEL_H

#include "kmod/device/session.h"

void sonde_kernel_init(void);
int sonde_kernel_check(struct sonde_session *session, char *why);
int sonde_read_kernel(u64 address, void *to, u32 length);
int sonde_read_kernel_text(u64 address, char *to, u32 max);
u32 sonde_walk_kernel(struct sonde_firing *firing, struct pt_regs *from,
		      u64 *to, u32 max);
u64 sonde_kernel_caller(struct sonde_firing *firing, struct pt_regs *from);
u64 sonde_kernel_depth(struct sonde_firing *firing, struct pt_regs *from);

#endif
