// SPDX-License-Identifier: GPL-2.0
/*
 * Taps on system calls, and the threads that the hooks serve
 *
 *   session: taps --> numbers that it needs --> hooked (syscall_hooks.c)
 *            listed for the hooks (syscalls.c)
 *            targets --> marked
 *
 * SONDE_MARK is a bit of a thread's system call work that the kernel does not
 * use. The kernel neither reads nor changes it, but copies it to children,
 * which are targets as well. When the last session that has marked threads
 * ends, all threads lose it.
 *
 * Locks: session->lock > calls_lock > tasklist lock.
 */
#include <linux/bitmap.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/thread_info.h>
#include <asm/unistd.h>

#include "kmod/arch.h"
#include "kmod/compat.h"
#include "kmod/core/hooks.h"
#include "kmod/core/internal.h"
#include "kmod/device/session.h"
#include "kmod/device/syscall_hooks.h"
#include "kmod/device/syscalls.h"
#include "kmod/device/tap.h"
#include "kmod/finder.h"

#define SONDE_MARK_BIT 63 /* of thread_info.syscall_work */

static DEFINE_MUTEX(calls_lock); /* protects what is hooked, listed and marked */
static u32 marking; /* number of sessions that have marked threads */

static void call_put_wanted(struct sonde_session *session,
			    unsigned long *numbers)
{
	u32 number;

	bitmap_zero(numbers, SONDE_CALLS);
	for (number = 0; number < SONDE_CALLS; number++)
		if (rcu_access_pointer(session->entries[number]) ||
		    rcu_access_pointer(session->returns[number]))
			__set_bit(number, numbers);
	if (rcu_access_pointer(session->kinds[SONDE_TAP_EXEC]) ||
	    rcu_access_pointer(session->kinds[SONDE_TAP_EXEC_FAILURE])) {
		__set_bit(__NR_execve, numbers);
		__set_bit(__NR_execveat, numbers);
	}
}

static void call_trace_everyone(void)
{
	struct sonde_session *session;
	long everyone = 0;

	list_for_each_entry(session, &sonde_syscall_sessions, calls_node)
		if (session->privileged && !READ_ONCE(session->targeted))
			everyone = LONG_MIN;
	WRITE_ONCE(sonde_syscall_everyone, everyone);
}

/*
 * Adds @session to the list of the hooks, or removes it. A removal waits for
 * the hooks that still use it, so that it may be added again.
 */
static void call_list(struct sonde_session *session, bool on)
{
	struct sonde_session *only = NULL;

	lockdep_assert_held(&calls_lock);
	if (on && !session->calls_listed)
		list_add_tail_rcu(&session->calls_node,
				  &sonde_syscall_sessions);
	else if (!on && session->calls_listed)
		list_del_rcu(&session->calls_node);
	call_trace_everyone();
	if (list_is_singular(&sonde_syscall_sessions))
		only = list_first_entry(&sonde_syscall_sessions,
					struct sonde_session, calls_node);
	rcu_assign_pointer(sonde_syscall_sole, only);
	if (!on && session->calls_listed)
		synchronize_rcu();
	session->calls_listed = on;
}

static void call_want_return_of(struct task_struct *task)
{
	if (!(task->flags & SONDE_PF_KERNEL))
		set_task_syscall_work(task, SYSCALL_TRACEPOINT);
}

/* A thread that is created meanwhile is in no call. Context: RCU. */
static void call_want_returns_of(void *unused, pid_t pid)
{
	struct task_struct *leader =
		pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_TGID);
	struct task_struct *task;

	if (!leader)
		return;
	for_each_thread(leader, task)
		call_want_return_of(task);
}

/* Also reports the return of calls that are in progress. */
static void call_want_returns(struct sonde_session *session)
{
	struct task_struct *process, *task;

	if (session->targeted) {
		sonde_finder_walk(session->finder, call_want_returns_of, NULL);
		return;
	}
	if (!session->privileged)
		return; /* it traces no task yet */
	read_lock(sonde_kernel.tasklist_lock);
	for_each_process_thread(process, task)
		call_want_return_of(task);
	read_unlock(sonde_kernel.tasklist_lock);
}

/* Taps or the set of traced tasks have changed. Return: as sonde_taps_update(). */
static int call_update(struct sonde_session *session, char *why)
{
	DECLARE_BITMAP(wanted, SONDE_CALLS);
	u32 returns = session->tap_count[SONDE_TAP_SYSCALL_RETURN] +
		      session->tap_count[SONDE_TAP_EXEC_FAILURE];
	int err;

	lockdep_assert_held(&session->lock);
	mutex_lock(&calls_lock);
	call_put_wanted(session, wanted);
	err = sonde_syscall_hooks_take(session, wanted);
	if (err)
		scnprintf(why, SONDE_WHY, "cannot hook system calls");
	sonde_syscall_hooks_give_back(session, wanted);
	if (session->calls_listed || !bitmap_empty(session->calls, SONDE_CALLS))
		call_list(session, !bitmap_empty(session->calls, SONDE_CALLS));
	sonde_syscall_hooks_compat(!list_empty(&sonde_syscall_sessions));
	if (returns > session->return_taps)
		call_want_returns(session);
	session->return_taps = returns;
	mutex_unlock(&calls_lock);
	return err;
}

/**
 * sonde_syscalls_show() - print a line that shows which tasks pay for hooks of
 * system calls
 * @to: /proc/sonde
 *
 * Context: Process context. May sleep.
 */
void sonde_syscalls_show(struct seq_file *to)
{
	might_sleep();
	mutex_lock(&calls_lock);
	seq_printf(to, "calls: %s\n",
		   list_empty(&sonde_syscall_sessions) ?
			   "not hooked" :
		   sonde_syscall_hooks_slow_all() || sonde_syscall_everyone ?
			   "hooked for every task" :
			   "hooked for targets");
	mutex_unlock(&calls_lock);
}

/**
 * sonde_syscalls_mark() - mark a thread for the hooks
 * @task: a new thread of a target, which has not run
 *
 * Context: Any.
 */
void sonde_syscalls_mark(struct task_struct *task)
{
	set_bit(SONDE_MARK_BIT, SONDE_WORK_WORD(task));
}

/**
 * sonde_syscalls_mark_process() - mark a target for the hooks
 * @session: its lock is held; it follows the target's clones
 * @leader: the target
 *
 * The return of calls that are in progress is seen, too.
 *
 * Context: Process context. May sleep.
 */
void sonde_syscalls_mark_process(struct sonde_session *session,
				 struct task_struct *leader)
{
	struct task_struct *task;

	lockdep_assert_held(&session->lock);
	mutex_lock(&calls_lock);
	if (!session->marks)
		marking++;
	session->marks = true;
	read_lock(sonde_kernel.tasklist_lock);
	for_each_thread(leader, task) {
		sonde_syscalls_mark(task);
		if (session->return_taps)
			set_task_syscall_work(task, SYSCALL_TRACEPOINT);
	}
	read_unlock(sonde_kernel.tasklist_lock);
	mutex_unlock(&calls_lock);
}

static void call_unmark_all(void)
{
	struct task_struct *process, *task;

	read_lock(sonde_kernel.tasklist_lock);
	for_each_process_thread(process, task)
		clear_bit(SONDE_MARK_BIT, SONDE_WORK_WORD(task));
	read_unlock(sonde_kernel.tasklist_lock);
}

/* The caller waits for RCU before it frees the session. */
static void call_close(struct sonde_session *session)
{
	DECLARE_BITMAP(none, SONDE_CALLS) = {};

	lockdep_assert_held(&session->lock);
	mutex_lock(&calls_lock);
	if (session->calls_listed)
		call_list(session, false);
	sonde_syscall_hooks_compat(!list_empty(&sonde_syscall_sessions));
	sonde_syscall_hooks_give_back(session, none);
	if (session->marks && !--marking)
		call_unmark_all();
	session->marks = false;
	mutex_unlock(&calls_lock);
}

static int call_check(struct sonde_session *session,
		      const struct sonde_tap *tap, char *why)
{
	bool numbered = tap->kind == SONDE_TAP_SYSCALL_ENTRY ||
			tap->kind == SONDE_TAP_SYSCALL_RETURN;
	bool returns = tap->kind == SONDE_TAP_SYSCALL_RETURN ||
		       tap->kind == SONDE_TAP_EXEC_FAILURE;
	const char *missing = returns ? sonde_lacks(SONDE_CAN_SHARE) : NULL;

	if (numbered && tap->number >= SONDE_CALLS)
		return sonde_refuse(why, -EINVAL, "tap %u: no such system call",
				    tap->id);
	if (missing)
		return sonde_refuse(why, -EOPNOTSUPP,
				    "the return of system calls: this kernel's %s is not the one that sonde knows (dmesg says more); another source does without",
				    missing);
	return sonde_site_check(session, tap, why);
}

const struct sonde_tap_ops sonde_syscall_taps = {
	.kinds = BIT(SONDE_TAP_SYSCALL_ENTRY) | BIT(SONDE_TAP_SYSCALL_RETURN) |
		 BIT(SONDE_TAP_EXEC) | BIT(SONDE_TAP_EXEC_FAILURE),
	.check = call_check,
	.arm = sonde_site_arm,
	.disarm = sonde_site_disarm,
	.hold = sonde_site_hold,
	.update = call_update,
	.close = call_close,
};
