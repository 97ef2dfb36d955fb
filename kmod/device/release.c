// SPDX-License-Identifier: GPL-2.0
/*
 * What the consumer says of held threads: SONDE_RELEASE and SONDE_SEEN.
 * hold.c has the theory.
 */
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "kmod/compat.h"
#include "kmod/device/covers.h"
#include "kmod/device/hold.h"
#include "kmod/device/session.h"

static struct task_struct *release_get_task(u32 tid)
{
	struct task_struct *task;

	rcu_read_lock();
	task = get_pid_task(find_vpid(tid), PIDTYPE_PID);
	rcu_read_unlock();
	return task;
}

/*
 * Waits until the thread stands: only then is it asked to go on, or it might
 * go on to stop. Return: 0; -ESRCH it ends; -EINTR.
 */
static int release_await_stop(struct sonde_grip *grip)
{
	int err;

	for (;;) {
		err = sonde_grip_tell(grip, UTRACE_STOP);
		if (err != -EINPROGRESS ||
		    sonde_grip_resume(grip) != UTRACE_STOP)
			return err == -EINPROGRESS ? 0 : err;
		schedule_timeout_killable(1);
		if (fatal_signal_pending(current))
			return -EINTR;
	}
}

/* Lets a thread go on, through what waits. */
static void release_go_on(struct sonde_grip *grip)
{
	if (sonde_grip_resume(grip) != UTRACE_STOP)
		sonde_grip_tell(grip, UTRACE_REPORT);
}

static int release_held(struct sonde_grip *grip, u32 tid, u64 how, char *why)
{
	int signal = how == 1 ? SIGSTOP : how >= 2 ? how - 2 : 0;
	int err;

	if (!READ_ONCE(grip->held)) {
		scnprintf(why, SONDE_WHY, "thread %u is not held", tid);
		return -EINVAL;
	}
	err = release_await_stop(grip);
	if (err)
		scnprintf(why, SONDE_WHY, "thread %u ends", tid);
	if (!err && signal) {
		err = kill_pid(task_tgid(grip->task), signal, 0);
		if (err)
			scnprintf(why, SONDE_WHY, "cannot send signal %d to process %u",
				  signal, grip->tgid);
	}
	if (err)
		return err;
	sonde_grip_hold(grip, false);
	release_go_on(grip);
	return 0;
}

/* With a reference to its engine; NULL there is none. */
static struct sonde_grip *release_get_grip(struct sonde_session *session,
					   u32 tid, char *why)
{
	struct task_struct *task =
		tid && tid <= INT_MAX ? release_get_task(tid) : NULL;
	struct sonde_grip *grip = NULL;

	if (task && session->grips)
		grip = sonde_grip_get(session->grips, task);
	if (task)
		put_task_struct(task);
	if (!grip)
		scnprintf(why, SONDE_WHY, "no thread %u is traced", tid);
	return grip;
}

static int release_see(struct sonde_grip *grip, u32 tid, char *why)
{
	int err;

	if (!READ_ONCE(grip->mapped)) {
		scnprintf(why, SONDE_WHY, "thread %u does not wait", tid);
		return -EINVAL;
	}
	err = release_await_stop(grip);
	if (err) {
		scnprintf(why, SONDE_WHY, "thread %u ends", tid);
		return err;
	}
	sonde_grip_seen(grip);
	release_go_on(grip);
	return 0;
}

/**
 * sonde_hold_seen() - a file that a thread has mapped was looked at
 * @session: its lock is held
 * @tid: the thread
 * @why: what to tell the user on failure
 *
 * Context: Process context. Sleeps.
 * Return: 0; -ESRCH no such thread is traced; -EINVAL it does not wait; -EINTR.
 */
int sonde_hold_seen(struct sonde_session *session, u32 tid, char *why)
{
	struct sonde_grip *grip = release_get_grip(session, tid, why);
	int err;

	lockdep_assert_held(&session->lock);
	if (!grip)
		return -ESRCH;
	err = release_see(grip, tid, why);
	utrace_engine_put(grip->engine);
	return err;
}

/**
 * sonde_hold_release() - answer a record that is flagged HELD
 * @session: its lock is held
 * @tid: the thread
 * @how: 0 go on, 1 stop as by SIGSTOP, 2 + a signal
 * @why: what to tell the user on failure
 *
 * Context: Process context. Sleeps.
 * Return: 0; -ESRCH no such thread is traced; -EINVAL it is not held, or no
 * such signal; -EPERM; -EINTR.
 */
int sonde_hold_release(struct sonde_session *session, u32 tid, u64 how,
		       char *why)
{
	struct sonde_grip *grip;
	int err;

	lockdep_assert_held(&session->lock);
	if (how > 2 + _NSIG) {
		scnprintf(why, SONDE_WHY, "no such signal");
		return -EINVAL;
	}
	grip = release_get_grip(session, tid, why);
	if (!grip)
		return -ESRCH;
	err = release_held(grip, tid, how, why);
	utrace_engine_put(grip->engine);
	return err;
}
