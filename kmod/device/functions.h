/* SPDX-License-Identifier: GPL-2.0 */
/* functions.c: taps on functions of the kernel; returns.c: their returns */
#ifndef SONDE_FUNCTIONS_H
#define SONDE_FUNCTIONS_H

#include <linux/percpu.h>
#include <linux/preempt.h>

#include "kmod/device/session.h"

struct pt_regs;
struct rethook;

/*
 * This CPU holds a lock that a firing in a function of the kernel may take, with
 * interrupts off: the functions that the lock itself calls do not fire.
 */
DECLARE_PER_CPU(u32, sonde_holding);

/* Locks @lock of a session, for what firings change. */
#define sonde_lock_irqsave(lock, flags)       \
	do {                                  \
		local_irq_save(flags);        \
		this_cpu_inc(sonde_holding);  \
		spin_lock(lock);              \
	} while (0)

#define sonde_unlock_irqrestore(lock, flags)  \
	do {                                  \
		spin_unlock(lock);            \
		this_cpu_dec(sonde_holding);  \
		local_irq_restore(flags);     \
	} while (0)

void sonde_function_returned(struct sonde_session *session, unsigned long ip,
			     struct pt_regs *regs);

void sonde_returns_init(void);
int sonde_returns_check(char *why);
bool sonde_returns_at(unsigned long ip);
struct rethook *sonde_returns_make(struct sonde_session *session);
void sonde_returns_end(struct rethook *returns);
bool sonde_returns_hook(struct rethook *returns, unsigned long ip,
			struct pt_regs *regs);

#endif
