// SPDX-License-Identifier: GPL-2.0
/*
 * Which tasks a session traces
 *
 * All of them, until the first target is named; then only the targets and their
 * descendants. A target is a process (a thread group), identified by its number
 * in the initial pid namespace. The session's finder (kmod/core/finder.c) finds
 * it, at attach or at its parent's clone, before it can run, and knows it until
 * its last thread ends.
 *
 * Permissions. A session that root opened (CAP_SYS_PTRACE in the initial user
 * namespace) traces every task. Any other session, a member's, traces only
 * targets. Permission is checked when a process becomes a target: at ATTACH by
 * ptrace_may_access(), while exec is locked out; at a clone the parent's
 * permission counts; and at each exec it is checked again, before the new
 * program is mapped (target_becomes()): a process of another user, with more
 * capabilities, or that may not be read, is no longer a target, nor are its
 * later children. So a process that is a target may be traced. Changes that a
 * process makes to itself (setresuid(), prctl(PR_SET_DUMPABLE)) are checked at
 * each firing.
 *
 * `covered` spares most firings the look-up in the finder's table: it has the
 * targets of root's session after SONDE_GO, unless another target has the same
 * place.
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
#include "kmod/device/account.h"
#include "kmod/device/events.h"
#include "kmod/device/hold.h"
#include "kmod/device/mappings.h"
#include "kmod/device/session.h"
#include "kmod/device/syscalls.h"
#include "kmod/device/taps.h"
#include "kmod/device/targets.h"
#include "kmod/finder.h"

#define NOBODY U32_MAX /* value in covered: no process has this number */

/* The finder has the process, or had it: a remover calls target_forget() afterwards. */
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
 * sonde_targets_changed() - update after a change of the targets, or of
 * session->going
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
 * Callbacks from the finder
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

/* The current task is about to run another program, which is not mapped yet. */
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
 * sonde_exit_status() - the exit status of the current process
 *
 * Context: The last thread ends: the hook on taskstats_exit(), or a probe of
 * sched_process_exit.
 * Return: the status that wait() will return.
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

/* The current process has ended, or may not be traced any more. */
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
	.had = sonde_mappings_had,
	.missed = sonde_mappings_missed,
};

/**
 * sonde_targets_init() - initialise without targets
 * @session: it is being made
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
					    &session->account->fired);
	return session->finder ? 0 : -ENOMEM;
}

/*
 * Requests of the consumer
 */

static bool (*may_access)(struct task_struct *task,
			  unsigned int mode) __ro_after_init;

/**
 * sonde_targets_find() - look up symbols that are not exported
 *
 * Context: Process context, module load.
 */
void sonde_targets_find(void)
{
	may_access = sonde_function_call("ptrace_may_access",
					 "bool(struct task_struct *, unsigned int)");
}

static int target_refuse(char *why)
{
	return sonde_refuse(why, -ESRCH, "no such process");
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
 * Checks the process again and adds it, while none of its threads can pass the
 * point of exec where @becomes is called. So either an exec comes before, and
 * the new program is checked here, or it comes after, and finds the process in
 * the table.
 */
static int target_admit(struct sonde_session *session,
			struct signal_struct *process, struct pid *pid,
			char *why)
{
	struct task_struct *leader;
	int err = down_read_interruptible(&process->exec_update_lock);

	/* an exec closes files under this lock, and may wait for a file server */
	if (err) {
		scnprintf(why, SONDE_WHY,
			  "interrupted while the process became another program");
		return err;
	}
	/* not the earlier leader: a thread that execs becomes the leader */
	leader = get_pid_task(pid, PIDTYPE_TGID);
	err = leader ? target_check_task(leader, why) : target_refuse(why);
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

/* Its children stay targets. Return: whether it was one; it does not fire any more. */
static bool target_drop(struct sonde_session *session, pid_t pid,
			unsigned int *what)
{
	if (!sonde_finder_remove(session->finder, pid, what))
		return false;
	target_forget(session, pid);
	sonde_holds_forget(session, pid);
	synchronize_rcu();
	return true;
}

/**
 * sonde_target_add() - attach to a process
 * @session: its lock is held
 * @number: the process
 * @why: the message for the user on failure
 *
 * On an error it is no target, unless it was one before.
 *
 * Context: Process context. May sleep.
 * Return: 0; -ESRCH; -EPERM: it may not be traced; -EOPNOTSUPP; -ENOMEM;
 * -EINTR: a signal came; or an error of sonde_taps_retarget().
 */
int sonde_target_add(struct sonde_session *session, u64 number, char *why)
{
	struct pid *pid = number <= INT_MAX ? find_get_pid(number) : NULL;
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	unsigned int what;
	bool known;
	int err;

	lockdep_assert_held(&session->lock);
	if (!task) {
		put_pid(pid);
		return target_refuse(why);
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
		err = sonde_refuse(why, -EOPNOTSUPP,
				   "this kernel does not report what a process executes (%s): only CAP_SYS_PTRACE may trace it",
				   sonde_finder_images_lack() ?: "perf_event_mmap");
		goto out_put;
	}
	known = sonde_has_target(session, task->tgid);
	err = target_admit(session, task->signal, pid, why);
	if (err)
		goto out_put;
	sonde_syscalls_mark_process(session, task);
	smp_mb(); /* orders the insertion before the check of live; an exit has the reverse order */
	err = sonde_taps_retarget(session, why);
	if (!err)
		err = sonde_holds_update(session);
	if (!err && target_has_ended(task))
		err = target_refuse(why);
	if (err && !known)
		target_drop(session, task->tgid, &what);

out_put:
	put_task_struct(task);
	put_pid(pid);
	return err;
}

/**
 * sonde_target_remove() - stop tracing a process
 * @session: its lock is held
 * @number: a target
 * @why: the message for the user on failure
 *
 * Its children stay targets. On return it does not fire any more.
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ESRCH.
 */
int sonde_target_remove(struct sonde_session *session, u64 number, char *why)
{
	unsigned int what;

	lockdep_assert_held(&session->lock);
	if (number > INT_MAX || !target_drop(session, number, &what))
		return sonde_refuse(why, -ESRCH, "no process %llu is traced",
				    number);
	target_notify_gone(session, number, 0, what & ~SONDE_GONE_CHOSEN);
	return 0;
}

static void target_removed(void *data, pid_t pid, unsigned int what)
{
	target_forget(data, pid);
	target_notify_gone(data, pid, 0, what & ~SONDE_GONE_CHOSEN);
}

/**
 * sonde_targets_remove() - stop tracing all targets and their descendants
 * @session: its lock is held
 * @count: receives how many processes there were
 * @why: the message for the user on failure
 *
 * On return none of them fires any more, also on an error. The session traces
 * nothing until it gets a new target; one that never had any still traces every
 * task.
 *
 * Context: Process context. May sleep.
 * Return: 0 or an error of sonde_taps_retarget(): breakpoints may be left.
 */
int sonde_targets_remove(struct sonde_session *session, u64 *count, char *why)
{
	lockdep_assert_held(&session->lock);
	*count = sonde_finder_clear(session->finder, target_removed, session);
	if (!*count)
		return 0;
	sonde_holds_forget(session, 0);
	synchronize_rcu();
	return sonde_taps_retarget(session, why);
}

/**
 * sonde_target_follow() - make threads that map files wait for
 * SONDE_ACKNOWLEDGE
 * @session: its lock is held
 * @number: a target
 * @forks: also those of the processes that have it as their origin
 * @why: the message for the user on failure
 *
 * Context: Process context. May sleep.
 * Return: 0, -ESRCH, -ENOMEM, or an error of sonde_hold_check().
 */
int sonde_target_follow(struct sonde_session *session, u64 number, bool forks,
			char *why)
{
	enum sonde_mark mark = forks ? SONDE_MARK_FORKS : SONDE_MARK_ONE;
	int err = sonde_hold_check(SONDE_TAP_CREATE, why);

	lockdep_assert_held(&session->lock);
	if (err)
		return err;
	if (!sonde_tracees_of(session))
		return -ENOMEM;
	if (number <= INT_MAX &&
	    sonde_finder_mark(session->finder, number, mark))
		return 0;
	return sonde_refuse(why, -ESRCH, "no process %llu is traced", number);
}
