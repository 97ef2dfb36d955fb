// SPDX-License-Identifier: GPL-2.0
/*
 * Which tasks a session traces
 *
 * All of them, until the first target is named; then only the targets and the
 * processes that are born of them. A target is a process (a thread group),
 * known by its number in the first pid namespace: it enters the table at attach
 * or at its parent's clone, before it can run, and leaves it when its last
 * thread ends.
 *
 * Who may trace what. A session that root opened (CAP_SYS_PTRACE where the
 * system was started) traces every task. Any other, a member's, traces targets
 * alone. May it? That is decided when a process becomes a target: at ATTACH by
 * ptrace_may_access(), at a clone by the parent, and again at each exec, before
 * the new program is there (sonde_target_becomes()): one of another user, with
 * more capabilities, or that may not be read, is no target any more, nor are its
 * children. So whoever asks "is it a target?" has asked all. What a process does
 * to itself (setresuid(), prctl(PR_SET_DUMPABLE)) is looked at in each firing.
 *
 * `covered` spares most firings the look into the table: a target of root's
 * session stands there when the session goes, unless one of the same place does.
 */
#include <linux/binfmts.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "kmod/compat.h"
#include "kmod/device/hold.h"

#define NOBODY U32_MAX /* in covered: no process has this number */

static struct sonde_target *find_target(struct sonde_session *session, u32 pid)
{
	struct sonde_target *target;

	hash_for_each_possible_rcu(session->targets, target, node, pid)
		if (target->pid == pid)
			return target;
	return NULL;
}

/**
 * sonde_has_target() - is this process one of the targets?
 * @session: any
 * @pid: a process
 *
 * Context: Any.
 */
bool sonde_has_target(struct sonde_session *session, u32 pid)
{
	bool found;

	rcu_read_lock();
	found = find_target(session, pid);
	rcu_read_unlock();
	return found;
}

static bool same_user(const struct cred *ours, const struct cred *theirs)
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

static bool may_trace(struct sonde_session *session, struct task_struct *task)
{
	struct mm_struct *mm = READ_ONCE(task->mm);
	bool may;

	rcu_read_lock();
	may = same_user(session->cred, __task_cred(task));
	rcu_read_unlock();
	/* mm is safe to look at in the current task only */
	if (may && mm && task == current)
		may = sonde_current_dumpable();
	return may;
}

/**
 * sonde_covers_target() - sonde_covers() where not every task is traced
 * @session: any
 * @task: the current task, or one that cannot go away
 *
 * Context: Any; preemption is off.
 */
bool sonde_covers_target(struct sonde_session *session,
			 struct task_struct *task)
{
	if (!READ_ONCE(session->going))
		return false;
	if (!READ_ONCE(session->targeted))
		return session->privileged;
	return find_target(session, task->tgid) &&
	       (session->privileged || may_trace(session, task));
}

static void know(struct sonde_session *session, u32 pid)
{
	lockdep_assert_held(&session->targets_lock);
	if (session->going && session->privileged)
		WRITE_ONCE(session->covered[pid % SONDE_COVERED], pid);
}

static void forget(struct sonde_session *session, u32 pid)
{
	u32 *place = &session->covered[pid % SONDE_COVERED];

	lockdep_assert_held(&session->targets_lock);
	if (*place == pid)
		WRITE_ONCE(*place, NOBODY);
}

/**
 * sonde_targets_init() - no targets
 * @session: that is being made
 *
 * Context: Process context.
 */
void sonde_targets_init(struct sonde_session *session)
{
	spin_lock_init(&session->targets_lock);
	hash_init(session->targets);
	memset(session->covered, 0xff, sizeof(session->covered));
}

/**
 * sonde_targets_changed() - whom a session traces, or whether it goes
 * @session: its lock is held
 *
 * Context: Process context.
 */
void sonde_targets_changed(struct sonde_session *session)
{
	struct sonde_target *target;
	unsigned long flags;
	int bucket;

	lockdep_assert_held(&session->lock);
	WRITE_ONCE(session->sees_all,
		   session->going && session->privileged && !session->targeted);
	spin_lock_irqsave(&session->targets_lock, flags);
	hash_for_each(session->targets, bucket, target, node)
		know(session, target->pid);
	spin_unlock_irqrestore(&session->targets_lock, flags);
}

static struct sonde_target *insert(struct sonde_session *session, u32 pid,
				   bool requested, gfp_t gfp)
{
	struct sonde_target *target, *found;
	unsigned long flags;

	target = sonde_alloc_within(&session->purse, SONDE_MEMORY_TARGETS,
				    sizeof(*target), gfp);
	if (!target)
		return NULL;
	target->pid = pid;
	target->requested = requested;
	spin_lock_irqsave(&session->targets_lock, flags);
	found = find_target(session, pid);
	if (found) {
		found->requested |= requested;
	} else {
		hash_add_rcu(session->targets, &target->node, pid);
		session->target_count++;
		know(session, pid);
	}
	spin_unlock_irqrestore(&session->targets_lock, flags);
	if (!found)
		return target;
	sonde_free(target);
	return found;
}

/* Whether it was there; then, *requested and *last are what it was. */
static bool take_out(struct sonde_session *session, u32 pid, bool *requested,
		     bool *last)
{
	struct sonde_target *target;
	unsigned long flags;

	spin_lock_irqsave(&session->targets_lock, flags);
	target = find_target(session, pid);
	if (target) {
		hash_del_rcu(&target->node);
		forget(session, pid);
		*requested = target->requested;
		*last = --session->target_count == 0;
		sonde_free_rcu(target);
	}
	spin_unlock_irqrestore(&session->targets_lock, flags);
	return target;
}

static int check_task(struct task_struct *task, char *why)
{
	if (task->flags & SONDE_PF_KERNEL) {
		scnprintf(why, SONDE_WHY, "it is a kernel thread");
		return -EPERM;
	}
	if (!sonde_may_access(task)) {
		scnprintf(why, SONDE_WHY, "this process may not be traced by you");
		return -EPERM;
	}
	return 0;
}

static bool has_ended(struct task_struct *task)
{
	return atomic_read(&task->signal->live) == 0;
}

/**
 * sonde_target_add() - attach to a process
 * @session: its lock is held
 * @number: the process
 * @why: what to tell the user on failure
 *
 * Context: Process context. May sleep.
 * Return: 0, -ESRCH, -EPERM not yours, -ENOMEM, those of
 * sonde_uprobes_retarget().
 */
int sonde_target_add(struct sonde_session *session, u64 number, char *why)
{
	struct task_struct *task = NULL;
	bool requested, last;
	int err;

	if (number && number <= INT_MAX) {
		rcu_read_lock();
		task = get_pid_task(find_vpid(number), PIDTYPE_TGID);
		rcu_read_unlock();
	}
	if (!task) {
		scnprintf(why, SONDE_WHY, "no such process");
		return -ESRCH;
	}
	err = check_task(task, why);
	if (err)
		goto out_put;
	WRITE_ONCE(session->targeted, true);
	sonde_targets_changed(session);
	err = sonde_points_update(session, why);
	if (err)
		goto out_put;
	if (sonde_mappings_follow(session) && !session->privileged) {
		scnprintf(why, SONDE_WHY,
			  "this kernel does not tell what a program becomes: only CAP_SYS_PTRACE may trace it");
		err = -EOPNOTSUPP;
		goto out_put;
	}
	err = -ENOMEM;
	if (!insert(session, task->tgid, true, GFP_KERNEL))
		goto out_put;
	sonde_calls_mark_process(session, task);
	smp_mb(); /* in the table before we look; the exit probe looks after */
	err = sonde_uprobes_retarget(session, why);
	if (!err)
		err = sonde_holds_update(session);
	if (!err && has_ended(task)) {
		take_out(session, task->tgid, &requested, &last);
		scnprintf(why, SONDE_WHY, "no such process");
		err = -ESRCH;
	}

out_put:
	put_task_struct(task);
	return err;
}

/**
 * sonde_target_remove() - let a process go for good
 * @session: its lock is held
 * @number: a target
 * @why: what to tell the user on failure
 *
 * Its children that are targets stay. Nothing of it fires any more afterwards.
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ESRCH.
 */
int sonde_target_remove(struct sonde_session *session, u64 number, char *why)
{
	bool requested, last;

	if (number > INT_MAX ||
	    !take_out(session, number, &requested, &last)) {
		scnprintf(why, SONDE_WHY, "no process %llu is traced", number);
		return -ESRCH;
	}
	sonde_holds_forget(session, number);
	synchronize_rcu();
	if (last)
		sonde_event(session, SONDE_EVENT_ALL_GONE, 0, 0);
	return 0;
}

/**
 * sonde_target_follow() - have threads that map a file wait for SONDE_SEEN
 * @session: its lock is held
 * @number: a target
 * @why: what to tell the user on failure
 *
 * Context: Process context. May sleep.
 * Return: 0, -ESRCH, -ENOMEM, those of sonde_hold_check().
 */
int sonde_target_follow(struct sonde_session *session, u64 number, char *why)
{
	struct sonde_target *target = NULL;
	unsigned long flags;
	int err = sonde_hold_check(SONDE_TAP_CREATE, why);

	if (err)
		return err;
	if (!sonde_grips_of(session))
		return -ENOMEM;
	spin_lock_irqsave(&session->targets_lock, flags);
	if (number <= INT_MAX)
		target = find_target(session, number);
	if (target)
		WRITE_ONCE(target->followed, true);
	spin_unlock_irqrestore(&session->targets_lock, flags);
	if (target)
		return 0;
	scnprintf(why, SONDE_WHY, "no process %llu is traced", number);
	return -ESRCH;
}

/**
 * sonde_target_followed() - has somebody asked to follow this target?
 * @session: any
 * @pid: a process
 *
 * Context: Any.
 */
bool sonde_target_followed(struct sonde_session *session, u32 pid)
{
	struct sonde_target *target;
	bool followed;

	rcu_read_lock();
	target = find_target(session, pid);
	followed = target && READ_ONCE(target->followed);
	rcu_read_unlock();
	return followed;
}

/**
 * sonde_target_born() - a thread was cloned by the current task
 * @session: any
 * @task: the new one, which has not run
 *
 * Context: Any; preemption is off.
 */
void sonde_target_born(struct sonde_session *session, struct task_struct *task)
{
	unsigned long flags;
	u32 n;

	if (!thread_group_leader(task)) {
		if (READ_ONCE(session->targeted) &&
		    find_target(session, task->tgid))
			sonde_calls_mark(task);
		return;
	}
	spin_lock_irqsave(&session->targets_lock, flags);
	for (n = 0; n < SONDE_DEATHS; n++)
		if (session->deaths[n] == task->tgid)
			session->deaths[n] = 0;
	spin_unlock_irqrestore(&session->targets_lock, flags);
	if (!READ_ONCE(session->targeted) ||
	    !find_target(session, current->tgid))
		return;
	if (insert(session, task->tgid, false, GFP_NOWAIT))
		sonde_calls_mark(task);
	else
		sonde_event(session, SONDE_EVENT_NOTICE, task->tgid, 0);
}

/**
 * sonde_target_exec() - the current task runs another program
 * @session: any
 *
 * Context: Any; preemption is off.
 */
void sonde_target_exec(struct sonde_session *session)
{
	if (READ_ONCE(session->targeted) && find_target(session, current->tgid))
		sonde_event(session, SONDE_EVENT_EXEC, current->tgid, 0);
}

static bool stays_ours(struct sonde_session *session,
		       const struct linux_binprm *program)
{
	return same_user(session->cred, program->cred) &&
	       !program->secureexec &&
	       !(program->interp_flags & BINPRM_FLAGS_ENFORCE_NONDUMP);
}

/**
 * sonde_target_becomes() - the current task is about to be another program
 * @session: any
 * @program: that nothing is mapped of yet
 *
 * Context: Any; preemption is off.
 */
void sonde_target_becomes(struct sonde_session *session,
			  const struct linux_binprm *program)
{
	const struct sonde_event notice = {
		.kind = SONDE_EVENT_NOTICE,
		.pid = current->tgid,
	};
	char text[SONDE_WHY];

	if (session->privileged || !find_target(session, current->tgid) ||
	    stays_ours(session, program))
		return;
	scnprintf(text, sizeof(text),
		  "pid %d runs a program with privileges that you lack, or that you may not read: it is not traced any more",
		  current->tgid);
	sonde_event_text(session, &notice, text);
	sonde_target_gone(session, 0);
}

/**
 * sonde_last_thread() - does the current task end as its process's last?
 * @session: any
 *
 * Threads that end at once all see that no other lives. The first to ask is
 * the last. We remember the latest of such deaths; more than SONDE_DEATHS of
 * other processes between two threads' ends are not thought of.
 *
 * Context: Any; preemption is off.
 */
bool sonde_last_thread(struct sonde_session *session)
{
	bool first = true;
	unsigned long flags;
	u32 n;

	if (!has_ended(current))
		return false;
	spin_lock_irqsave(&session->targets_lock, flags);
	for (n = 0; n < SONDE_DEATHS; n++)
		if (session->deaths[n] == current->tgid)
			first = false;
	if (first && !thread_group_empty(current)) {
		session->deaths[session->next_death] = current->tgid;
		session->next_death = (session->next_death + 1) % SONDE_DEATHS;
	}
	spin_unlock_irqrestore(&session->targets_lock, flags);
	return first;
}

/**
 * sonde_target_gone() - the current task's process has ended
 * @session: any
 * @status: as wait() will show it
 *
 * Context: Any; preemption is off.
 */
void sonde_target_gone(struct sonde_session *session, u64 status)
{
	bool requested, last;

	if (!take_out(session, current->tgid, &requested, &last))
		return;
	if (requested)
		sonde_event(session, SONDE_EVENT_TARGET_GONE, current->tgid,
			    status);
	if (last)
		sonde_event(session, SONDE_EVENT_ALL_GONE, 0, 0);
}

/**
 * sonde_targets_destroy() - forget all targets
 * @session: nothing of it fires any more
 *
 * Context: Process context.
 */
void sonde_targets_destroy(struct sonde_session *session)
{
	struct sonde_target *target;
	struct hlist_node *next;
	int bucket;

	hash_for_each_safe(session->targets, bucket, next, target, node) {
		hash_del(&target->node);
		sonde_free(target);
	}
}
