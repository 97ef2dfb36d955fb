/* SPDX-License-Identifier: GPL-2.0 */
/* calls.c: system calls; and tramp.S, to each other */
#ifndef SONDE_CALLS_H
#define SONDE_CALLS_H

#include "kmod/device/session.h"

struct seq_file;

void sonde_calls_init(void);
bool sonde_calls_see_compat(void);
void sonde_calls_show(struct seq_file *to);
void sonde_calls_mark(struct task_struct *task);
bool sonde_calls_want_newborns(struct sonde_session *session);
void sonde_call_newborn(struct sonde_session *session);
void sonde_calls_lose_newborn(struct sonde_session *session,
			      struct task_struct *task);
void sonde_calls_mark_process(struct sonde_session *session,
			      struct task_struct *leader);

/* with tramp.S */
extern long sonde_call_everyone;
void sonde_tramp_call_by_name(void);
void sonde_tramp_call_of_all(void);
void sonde_tramp_call_of_compat(void);
void sonde_call_by_name(struct pt_regs *regs);
void sonde_call_of_all(struct pt_regs *regs);
void sonde_call_of_compat(struct pt_regs *regs);

#endif
