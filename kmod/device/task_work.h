/* SPDX-License-Identifier: GPL-2.0 */
/* task_work.c: work that threads do before they return to user mode */
#ifndef SONDE_TASK_WORK_H
#define SONDE_TASK_WORK_H

#include <linux/task_work.h>

#include "kmod/device/session.h"

struct seq_file;

/* A task work. */
struct sonde_task_work {
	struct callback_head head;
	struct list_head node; /* list of the queued works of the session */
	struct task_struct *task; /* valid while it is on that list */
	struct sonde_session *session;
	void (*run)(struct sonde_task_work *work, bool over);
};

/* A thread that waits for memory which another process must supply. */
struct sonde_pause {
	struct list_head node; /* list of all such threads */
	u32 pid;
};

void sonde_session_put(struct sonde_session *session);
int sonde_task_work_queue(struct sonde_task_work *work,
			  struct sonde_session *session,
			  struct task_struct *task);
struct sonde_task_work *
sonde_task_work_take(struct sonde_session *session,
		     void (*run)(struct sonde_task_work *, bool));
void sonde_pause_begin(struct sonde_pause *pause);
void sonde_pause_end(struct sonde_pause *pause);
void sonde_task_work_pauses(struct sonde_pause *pause,
			    struct sonde_session *session);
bool sonde_task_work_resumes(struct sonde_pause *pause,
			     struct sonde_session *session);
void sonde_pauses_show(struct seq_file *to);
void sonde_task_work_run(void (*run)(struct sonde_task_work *work, bool over));
void sonde_task_work_end(struct sonde_session *session);

#endif
