/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between kernel versions; nothing else in kmod/ looks at one.
 * Supported here: 6.1 and 6.12.
 */
#ifndef SONDE_COMPAT_H
#define SONDE_COMPAT_H

#include <linux/ftrace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 19, 0)
#error "sonde needs Linux 5.19 or newer"
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#error "sonde does not know the system call path of Linux 7 yet"
#endif

/* The registers that an ftrace handler sees: arguments, sp and ip. */
static __always_inline struct pt_regs *sonde_fregs(struct ftrace_regs *fregs)
{
#ifdef arch_ftrace_regs	/* 6.13, and later 6.12 */
	return &arch_ftrace_regs(fregs)->regs;
#else
	return &fregs->regs;
#endif
}

/* dequeue_signal() lost its task in 6.12; its mask moved to the front. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define SONDE_DEQUEUE_MASK(a) ((a)->di)
#define SONDE_DEQUEUE_INFO(a) ((a)->si)
#define SONDE_DEQUEUE_TYPE(a) ((a)->dx)
#else
#define SONDE_DEQUEUE_MASK(a) ((a)->si)
#define SONDE_DEQUEUE_INFO(a) ((a)->dx)
#define SONDE_DEQUEUE_TYPE(a) ((a)->cx)
#endif

static inline int sonde_dequeue_signal(sigset_t *mask, kernel_siginfo_t *info)
{
	enum pid_type type;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return dequeue_signal(mask, info, &type);
#else
	return dequeue_signal(current, mask, info, &type);
#endif
}

/* A stopped thread does not keep the machine from suspending (6.1). */
#ifdef TASK_FREEZABLE
#define SONDE_TASK_STOP (TASK_KILLABLE | TASK_FREEZABLE)
#else
#define SONDE_TASK_STOP TASK_KILLABLE
#endif

/* Threads that never return to user mode: nothing can be traced there. */
#ifdef PF_USER_WORKER
#define SONDE_PF_KERNEL (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define SONDE_PF_KERNEL (PF_KTHREAD | PF_IO_WORKER)
#endif

#endif
