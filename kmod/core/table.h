/* SPDX-License-Identifier: GPL-2.0 */
/* What the API calls (control.c) use of the state table (utrace.c). */
#ifndef SONDE_TABLE_H
#define SONDE_TABLE_H

struct task_struct;
struct utrace;

int sonde_with_state(struct task_struct *task, bool create,
		     int (*add)(struct utrace *u, void *data), void *data);
void sonde_wake(struct utrace *u);

#endif
