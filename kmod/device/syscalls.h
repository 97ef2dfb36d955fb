/* SPDX-License-Identifier: GPL-2.0 */
/* System calls; and their interface with tramp.S */
#ifndef SONDE_SYSCALLS_H
#define SONDE_SYSCALLS_H

#include "kmod/device/session.h"

struct seq_file;

void sonde_syscalls_init(void);
bool sonde_syscalls_see_compat(void);
void sonde_syscalls_show(struct seq_file *to);
void sonde_syscalls_mark(struct task_struct *task);
bool sonde_syscalls_want_newborns(struct sonde_session *session);
void sonde_syscall_newborn(struct sonde_session *session);
void sonde_syscalls_lose_newborn(struct sonde_session *session,
				 struct task_struct *task);
void sonde_syscalls_mark_process(struct sonde_session *session,
				 struct task_struct *leader);

/* with tramp.S */
extern long sonde_syscall_everyone; /* negative: a session traces every task */
void sonde_tramp_syscall_by_name(void);
void sonde_tramp_syscall_of_all(void);
void sonde_tramp_syscall_of_compat(void);
void sonde_syscall_by_name(struct pt_regs *regs);
void sonde_syscall_of_all(struct pt_regs *regs);
void sonde_syscall_of_compat(struct pt_regs *regs);

#endif
