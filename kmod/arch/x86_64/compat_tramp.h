/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tramp.S: what differs between kernel versions
 */
#ifndef SONDE_X86_64_COMPAT_TRAMP_H
#define SONDE_X86_64_COMPAT_TRAMP_H

#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0) && \
	LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
#define SONDE_CURRENT PER_CPU_VAR(pcpu_hot)	/* its first field */
#else
#define SONDE_CURRENT PER_CPU_VAR(current_task)
#endif

#ifndef ENDBR			/* kernels without IBT */
#define ENDBR
#endif

#endif
