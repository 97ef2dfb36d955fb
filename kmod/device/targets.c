// SPDX-License-Identifier: GPL-2.0
/*
 * Which tasks a session traces
 *
 * All of them, until the first target is named; then only the targets and the
 * processes that are born of them. A target is a process (a thread group),
 * known by its number in the first pid namespace: one that the session's finder
 * (kmod/core/finder.c) has found, at attach or at its parent's clone, before it can
 * run, until its last thread ends.
 *
 * Who may trace what. A session that root opened (CAP_SYS_PTRACE where the
 * system was started) traces every task. Any other, a member's, traces targets
 * alone. May it? That is decided when a process becomes a target: at ATTACH by
 * ptrace_may_access(), with exec kept out until it is one; at a clone by the
 * parent; and again at each exec, before the new program is there
 * (target_becomes()): one of another user, with more capabilities, or that may
 * not be read, is no target any more, nor are its children. So whoever asks "is
 * it a target?" has asked all. What a process does to itself (setresuid(),
 * prctl(PR_SET_DUMPABLE)) is looked at in each firing.
 *
 * `covered` spares most firings the look into the finder's table: a target of
 * root's session stands there when the session goes, unless one of the same place
 * does.
 */
#include <linux/binfmts.h>
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "kmod/compat.h"
#include "kmod/core/hooks.h"
#include "kmod/device/events.h"
#include "kmod/device/hold.h"
#include "kmod/device/mappings.h"
#include "kmod/device/session.h"
#include "kmod/device/syscalls.h"
#include "kmod/device/taps.h"
#include "kmod/device/targets.h"
#include "kmod/finder.h"

#define NOBODY U32_MAX /* in covered: no process has this number */

/* The finder has it, or has had it: who takes it out forgets it afterwards. */
static void target_know(void *data, pid_t pid)
{
	struct sonde_session *session = data;
	unsigned long flags;

	if (!session->privileged)
		return;
	spin_lock_irqsave(&session->covered_lock, flags);
	if (READ_ONCE(session->going) && sonde_has_target(session, pid))
		WRITE_ONCE(session->covered[(u32)pid % SONDE_COVERED], pid);
	spin_unlock_irqrestore(&session->covered_lock, flags);
}

static void target_forget(struct sonde_session *session, u32 pid)
{
	u32 *place = &session->covered[pid % SONDE_COVERED];
	unsigned long flags;

	spin_lock_irqsave(&session->covered_lock, flags);
	if (*place == pid)
		WRITE_ONCE(*place, NOBODY);
	spin_unlock_irqrestore(&session->covered_lock, flags);
}

/**
 * sonde_targets_changed() - whom a session traces, or whether it goes
 * @session: its lock is held
 *
 * Context: Process context.
 */
void sonde_targets_changed(struct sonde_session *session)
{
	lockdep_assert_held(&session->lock);
	WRITE_ONCE(session->sees_all,
		   session->going && session->privileged && !session->targeted);
	sonde_finder_walk(session->finder, target_know, session);
}

/*
 * What the finder tells
 */

/* A thread was cloned by the current task, and has not run. */
static void target_found(void *data, struct task_struct *task, bool process)
{
	struct sonde_session *session = data;

	if (sonde_has_target(session, task->tgid)) {
		if (process)
			target_know(session, task->tgid);
		sonde_syscalls_mark(task);
	}
	sonde_hold_newborn(session, task);
}

static void target_escaped(void *data, struct task_struct *task)
{
	sonde_event(data, SONDE_EVENT_NOTICE, task->tgid, 0);
}

static void target_execs(void *data)
{
	struct sonde_session *session = data;

	if (sonde_has_target(session, current->tgid))
		sonde_event(session, SONDE_EVENT_EXEC, current->tgid, 0);
}

static bool target_stays_ours(struct sonde_session *session,
			      const struct linux_binprm *program)
{
	return sonde_same_user(session->cred, program->cred) &&
	       !program->secureexec &&
	       !(program->interp_flags & BINPRM_FLAGS_ENFORCE_NONDUMP);
}

/* The current task is about to be another program, nothing of which is mapped. */
static bool target_becomes(void *data, const struct linux_binprm *program)
{
	struct sonde_session *session = data;
	const struct sonde_event notice = {
		.kind = SONDE_EVENT_NOTICE,
		.pid = current->tgid,
	};
	char text[SONDE_WHY];

	if (session->privileged || target_stays_ours(session, program))
		return true;
	scnprintf(text, sizeof(text),
		  "pid %d runs a program with privileges that you lack, or that you may not read: it is not traced any more",
		  current->tgid);
	sonde_event_text(session, &notice, text);
	return false;
}

/**
 * sonde_exit_status() - the status of the current process
 *
 * Context: Probe of sched_process_exit, in the last thread.
 * Return: as wait() will show it.
 */
int sonde_exit_status(void)
{
	struct signal_struct *signal = current->signal;

	return signal->flags & SIGNAL_GROUP_EXIT ?
		       signal->group_exit_code :
		       current->group_leader->exit_code;
}

static void target_notify_gone(struct sonde_session *session, u32 pid,
			       u64 status, unsigned int what)
{
	if (what & SONDE_GONE_CHOSEN)
		sonde_event(session, SONDE_EVENT_TARGET_GONE, pid, status);
	if (what & SONDE_GONE_LAST)
		sonde_event(session, SONDE_EVENT_ALL_GONE, 0, 0);
}

/* The current process has ended, or became what is not ours. */
static void target_gone(void *data, struct task_struct *task, unsigned int what)
{
	struct sonde_session *session = data;

	if (!(what & SONDE_GONE_PROCESS))
		return;
	target_forget(session, task->tgid);
	target_notify_gone(session, task->tgid,
			   task->flags & PF_EXITING ? sonde_exit_status() : 0,
			   what);
}

static const struct sonde_finder_ops finder_ops = {
	.found = target_found,
	.escaped = target_escaped,
	.becomes = target_becomes,
	.exec = target_execs,
	.gone = target_gone,
	.image = sonde_mappings_image,
	.ends = sonde_mappings_end,
	.missed = sonde_mappings_missed,
};

/**
 * sonde_targets_init() - no targets
 * @session: that is being made
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ENOMEM.
 */
int sonde_targets_init(struct sonde_session *session)
{
	might_sleep();
	spin_lock_init(&session->covered_lock);
	memset(session->covered, 0xff, sizeof(session->covered));
	session->finder = sonde_finder_make(&finder_ops, session,
					    &session->purse);
	return session->finder ? 0 : -ENOMEM;
}

/**
 * sonde_targets_end() - follow nobody any more
 * @session: that is being closed
 *
 * Context: Process context. Sleeps.
 */
void sonde_targets_end(struct sonde_session *session)
{
	might_sleep();
	sonde_finder_end(session->finder);
}

/**
 * sonde_targets_destroy() - forget all targets
 * @session: nothing of it fires any more
 *
 * Context: Process context.
 */
void sonde_targets_destroy(struct sonde_session *session)
{
	sonde_finder_free(session->finder);
}

/*
 * What the consumer asks for
 */

static bool (*may_access)(struct task_struct *task,
			  unsigned int mode) __ro_after_init;

/**
 * sonde_targets_find() - look up what is not exported
 *
 * Context: Process context, module load.
 */
void sonde_targets_find(void)
{
	may_access = sonde_function_call("ptrace_may_access",
					 "bool(struct task_struct *, unsigned int)");
}

static int target_check_task(struct task_struct *task, char *why)
{
	if (task->flags & SONDE_PF_KERNEL)
		return sonde_refuse(why, -EPERM, "it is a kernel thread");
	if (!may_access ||
	    !may_access(task, PTRACE_MODE_ATTACH_REALCREDS))
		return sonde_refuse(why, -EPERM,
				    "this process may not be traced by you");
	return 0;
}

static bool target_has_ended(struct task_struct *task)
{
	return atomic_read(&task->signal->live) == 0;
}

static int target_follow(struct sonde_session *session, char *why)
{
	const char *missing = sonde_finder_lacks();
	int err = sonde_finder_follow(session->finder);

	if (missing)
		scnprintf(why, SONDE_WHY,
			  "no process can be followed: this kernel's %s is not the one that sonde knows (dmesg says more); another source does it",
			  missing);
	else if (err)
		scnprintf(why, SONDE_WHY, "cannot use the tracepoint sched_process_exit");
	return err;
}

/*
 * Judges again, and adds, while no thread of the process can get past the point of
 * exec where @becomes is told: so an exec is before it, and the new program is
 * judged, or behind it, and finds the process in the table.
 */
static int target_admit(struct sonde_session *session,
			struct signal_struct *process, struct pid *pid,
			char *why)
{
	struct task_struct *leader;
	int err = down_read_interruptible(&process->exec_update_lock);

	/* an exec closes files under it, and may wait for a file's server */
	if (err) {
		scnprintf(why, SONDE_WHY,
			  "interrupted while the process became another program");
		return err;
	}
	/* not who it was before: a thread that execs becomes the leader */
	leader = get_pid_task(pid, PIDTYPE_TGID);
	err = leader ? target_check_task(leader, why) : -ESRCH;
	if (!err) {
		err = sonde_finder_add(session->finder, leader->tgid);
		if (!err)
			target_know(session, leader->tgid);
	}
	if (leader)
		put_task_struct(leader);
	up_read(&process->exec_update_lock);
	return err;
}

/**
 * sonde_target_add() - attach to a process
 * @session: its lock is held
 * @number: the process
 * @why: what to tell the user on failure
 *
 * Context: Process context. May sleep.
 * Return: 0, -ESRCH, -EPERM not yours, -EOPNOTSUPP, -ENOMEM, -EINTR a signal, those
 * of sonde_taps_retarget().
 */
int sonde_target_add(struct sonde_session *session, u64 number, char *why)
{
	struct pid *pid = number <= INT_MAX ? find_get_pid(number) : NULL;
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	unsigned int what;
	int err;

	lockdep_assert_held(&session->lock);
	if (!task) {
		put_pid(pid);
		return sonde_refuse(why, -ESRCH, "no such process");
	}
	err = target_check_task(task, why);
	if (!err)
		err = target_follow(session, why);
	if (err)
		goto out_put;
	WRITE_ONCE(session->targeted, true);
	sonde_targets_changed(session);
	err = sonde_taps_update(session, why);
	if (err)
		goto out_put;
	if (sonde_mappings_follow(session) && !session->privileged) {
		scnprintf(why, SONDE_WHY,
			  "this kernel does not tell what a program becomes: only CAP_SYS_PTRACE may trace it");
		err = -EOPNOTSUPP;
		goto out_put;
	}
	err = target_admit(session, task->signal, pid, why);
	if (err == -ESRCH)
		scnprintf(why, SONDE_WHY, "no such process");
	if (err)
		goto out_put;
	sonde_syscalls_mark_process(session, task);
	smp_mb(); /* in the table before we look; who ends looks after */
	err = sonde_taps_retarget(session, why);
	if (!err)
		err = sonde_holds_update(session);
	if (!err && target_has_ended(task)) {
		sonde_finder_remove(session->finder, task->tgid, &what);
		target_forget(session, task->tgid);
		scnprintf(why, SONDE_WHY, "no such process");
		err = -ESRCH;
	}

out_put:
	put_task_struct(task);
	put_pid(pid);
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
	unsigned int what;

	lockdep_assert_held(&session->lock);
	if (number > INT_MAX ||
	    !sonde_finder_remove(session->finder, number, &what))
		return sonde_refuse(why, -ESRCH, "no process %llu is traced",
				    number);
	target_forget(session, number);
	sonde_holds_forget(session, number);
	synchronize_rcu();
	target_notify_gone(session, number, 0, what & ~SONDE_GONE_CHOSEN);
	return 0;
}

/**
 * sonde_target_follow() - let threads that map files wait for SONDE_ACKNOWLEDGE
 * @session: its lock is held
 * @number: a target
 * @why: what to tell the user on failure
 *
 * Context: Process context. May sleep.
 * Return: 0, -ESRCH, -ENOMEM, those of sonde_hold_check().
 */
int sonde_target_follow(struct sonde_session *session, u64 number, char *why)
{
	int err = sonde_hold_check(SONDE_TAP_CREATE, why);

	lockdep_assert_held(&session->lock);
	if (err)
		return err;
	if (!sonde_tracees_of(session))
		return -ENOMEM;
	if (number <= INT_MAX && sonde_finder_mark(session->finder, number))
		return 0;
	return sonde_refuse(why, -ESRCH, "no process %llu is traced", number);
}
