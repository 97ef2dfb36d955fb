/* SPDX-License-Identifier: GPL-2.0 */
/* targets.c: which tasks a session traces */
#ifndef SONDE_TARGETS_H
#define SONDE_TARGETS_H

#include "kmod/device/session.h"

int sonde_targets_init(struct sonde_session *session);
int sonde_target_add(struct sonde_session *session, u64 pid, char *why);
int sonde_target_remove(struct sonde_session *session, u64 pid, char *why);
int sonde_target_follow(struct sonde_session *session, u64 pid, char *why);
bool sonde_target_followed(struct sonde_session *session, u32 pid);
bool sonde_covers_target(struct sonde_session *session,
			 struct task_struct *task);
bool sonde_has_target(struct sonde_session *session, u32 pid);
void sonde_targets_changed(struct sonde_session *session);
void sonde_targets_end(struct sonde_session *session);
void sonde_targets_destroy(struct sonde_session *session);

/*
 * Does the session trace this task now? Preemption is off; the task is the
 * current one, or cannot go away.
 */
static __always_inline bool sonde_covers(struct sonde_session *session,
					 struct task_struct *task)
{
	return likely(READ_ONCE(session->sees_all)) ||
	       READ_ONCE(session->covered[task->tgid % SONDE_COVERED]) ==
		       task->tgid ||
	       sonde_covers_target(session, task);
}

#endif
