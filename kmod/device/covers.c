// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a session traces a task: checked by every firing. targets.c describes
 * how it works.
 */
#include <linux/cred.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>

#include "kmod/compat.h"
#include "kmod/device/covers.h"
#include "kmod/device/session.h"
#include "kmod/finder.h"

/**
 * sonde_has_target() - whether a process is a target
 * @session: any
 * @pid: a process
 *
 * Context: Any.
 */
bool sonde_has_target(struct sonde_session *session, u32 pid)
{
	return sonde_finder_has(session->finder, pid);
}

/**
 * sonde_same_user() - whether credentials have our ids and no more capabilities
 * @ours: of the session's opener
 * @theirs: the credentials to check
 *
 * Context: Any.
 */
bool sonde_same_user(const struct cred *ours, const struct cred *theirs)
{
	return uid_eq(ours->uid, theirs->euid) &&
	       uid_eq(ours->uid, theirs->suid) &&
	       uid_eq(ours->uid, theirs->uid) &&
	       gid_eq(ours->gid, theirs->egid) &&
	       gid_eq(ours->gid, theirs->sgid) &&
	       gid_eq(ours->gid, theirs->gid) &&
	       ours->user_ns == theirs->user_ns &&
	       cap_issubset(theirs->cap_permitted, ours->cap_permitted);
}

static bool covers_may_trace(struct sonde_session *session,
			     struct task_struct *task)
{
	struct mm_struct *mm = READ_ONCE(task->mm);
	bool may;

	rcu_read_lock();
	may = sonde_same_user(session->cred, __task_cred(task));
	rcu_read_unlock();
	/* only the mm of the current task can be accessed safely */
	if (may && mm && task == current)
		may = sonde_current_dumpable();
	return may;
}

/**
 * sonde_covers_target() - sonde_covers() if not every task is traced
 * @session: any
 * @task: the current task, or one that cannot be freed
 *
 * Context: Any; preemption is off.
 */
bool sonde_covers_target(struct sonde_session *session,
			 struct task_struct *task)
{
	lockdep_assert_preemption_disabled();
	if (!READ_ONCE(session->going))
		return false;
	if (!READ_ONCE(session->targeted))
		return session->privileged;
	return sonde_has_target(session, task->tgid) &&
	       (session->privileged || covers_may_trace(session, task));
}
