/* SPDX-License-Identifier: GPL-2.0 */
/* covers.c: whether a session traces a task */
#ifndef SONDE_COVERS_H
#define SONDE_COVERS_H

#include "kmod/device/session.h"
#include "kmod/finder.h"

bool sonde_same_user(const struct cred *ours, const struct cred *theirs);
bool sonde_has_target(struct sonde_session *session, u32 pid);
bool sonde_covers_target(struct sonde_session *session,
			 struct task_struct *task);

/*
 * Whether the session traces this task now. Preemption is off; the task is the
 * current one, or cannot be freed.
 */
static __always_inline bool sonde_covers(struct sonde_session *session,
					 struct task_struct *task)
{
	return likely(READ_ONCE(session->sees_all)) ||
	       READ_ONCE(session->covered[task->tgid % SONDE_COVERED]) ==
		       task->tgid ||
	       sonde_covers_target(session, task);
}

/* Whether a tap names this process: @pid, of @flags, as in struct sonde_tap. */
static __always_inline bool sonde_tap_names(struct sonde_session *session,
					    u32 pid, u32 flags, u32 process)
{
	return !pid || pid == process ||
	       ((flags & SONDE_TAP_FORKS) &&
		sonde_finder_origin(session->finder, process) == pid);
}

#endif
