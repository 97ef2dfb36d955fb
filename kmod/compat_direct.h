/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ftrace direct calls: what differs between kernel versions. Included from C
 * and assembly.
 *
 * If SONDE_DIRECT_CALLS is not defined, system calls are tapped through their
 * tracepoints.
 */
#ifndef SONDE_COMPAT_DIRECT_H
#define SONDE_COMPAT_DIRECT_H

#include <linux/version.h>

#if defined(CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS) && \
	LINUX_VERSION_CODE >= KERNEL_VERSION(5, 19, 0)
#define SONDE_DIRECT_CALLS
#endif

/* Offset of thread_info.syscall_work in a task; syscalls.c checks it. */
#define SONDE_TASK_SYSCALL_WORK 8

#if defined(SONDE_DIRECT_CALLS) && !defined(__ASSEMBLY__)

#include <linux/ftrace.h>

static inline int sonde_direct_register(struct ftrace_ops *ops,
					unsigned long trampoline)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	return register_ftrace_direct(ops, trampoline);
#else
	return register_ftrace_direct_multi(ops, trampoline);
#endif
}

static inline void sonde_direct_unregister(struct ftrace_ops *ops,
					   unsigned long trampoline)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	unregister_ftrace_direct(ops, trampoline, true);
#else
	unregister_ftrace_direct_multi(ops, trampoline);
	ftrace_free_filter(ops);
#endif
}

#endif

#endif
