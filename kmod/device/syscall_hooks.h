/* SPDX-License-Identifier: GPL-2.0 */
/* What syscalls.c, syscall_hooks.c and syscall_taps.c share */
#ifndef SONDE_SYSCALL_HOOKS_H
#define SONDE_SYSCALL_HOOKS_H

#include <linux/list.h>
#include <asm/unistd.h>

#include "kmod/device/session.h"

#define SONDE_IS_EXEC(call) ((call) == __NR_execve || (call) == __NR_execveat)

/* How a system call number is hooked. */
enum sonde_syscall_hook {
	SONDE_SYSCALL_UNHOOKED,
	SONDE_SYSCALL_BY_NAME,
	SONDE_SYSCALL_OF_ALL,
	SONDE_SYSCALL_TRACEPOINT,
	SONDE_SYSCALL_EXEC = 4, /* flag: execve or execveat, which have more taps */
};

/* syscalls.c: read by the hooks */
extern struct list_head sonde_syscall_sessions; /* RCU: sessions with such taps */
extern struct sonde_session __rcu *sonde_syscall_sole; /* the session, if there is only one */
void sonde_syscall_probe_enter(void *data, struct pt_regs *regs, long call);

/* syscall_hooks.c: read by the hooks */
extern u8 sonde_syscall_hook_of[SONDE_CALLS];
extern bool sonde_syscall_compat_hooked;

int sonde_syscall_hooks_take(struct sonde_session *session,
			     const unsigned long *wanted);
void sonde_syscall_hooks_give_back(struct sonde_session *session,
				   const unsigned long *wanted);
void sonde_syscall_hooks_compat(bool wanted);
bool sonde_syscall_hooks_slow_all(void);

#endif
