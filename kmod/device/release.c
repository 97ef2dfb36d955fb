// SPDX-License-Identifier: GPL-2.0
/*
 * What the consumer says of held threads: SONDE_RELEASE, SONDE_SEEN,
 * SONDE_STOP_TARGET and SONDE_CONTINUE_TARGET. hold.c has the theory.
 */
#include <linux/jiffies.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "kmod/compat.h"
#include "kmod/device/covers.h"
#include "kmod/device/hold.h"
#include "kmod/device/session.h"

#define PAUSE_PATIENCE (2 * HZ)

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

static bool release_stands(struct sonde_grip *grip)
{
	if (sonde_grip_tell(grip, UTRACE_STOP) != -EINPROGRESS)
		return true;
	/* asleep in a call: it stops before it is back in user mode */
	return !task_is_running(grip->task);
}

/* Tells all threads of the process; whether all of them stand. */
static bool release_pause_all(struct sonde_grips *grips, u32 pid, bool pause)
{
	struct sonde_grip *grip;
	bool all = true;
	int bucket;

	spin_lock(&grips->lock);
	hash_for_each(grips->table, bucket, grip, node) {
		if (grip->tgid != pid || grip->exited)
			continue;
		spin_lock(&grip->lock);
		grip->paused = pause;
		spin_unlock(&grip->lock);
		if (pause)
			all &= release_stands(grip);
		else
			release_go_on(grip);
	}
	spin_unlock(&grips->lock);
	return all;
}

/**
 * sonde_hold_pause() - stop a target, or let it go on
 * @session: its lock is held
 * @pid: a target
 * @pause: which
 * @why: what to tell the user on failure
 *
 * Context: Process context. Sleeps until the threads stand, two seconds at
 * most; one that sleeps in a system call stops when that is over.
 * Return: 0, -ESRCH, -EDEADLK, -ENOMEM, those of sonde_hold_check().
 */
int sonde_hold_pause(struct sonde_session *session, u64 pid, bool pause,
		     char *why)
{
	unsigned long end = jiffies + PAUSE_PATIENCE;
	struct sonde_grips *grips;
	int err;

	lockdep_assert_held(&session->lock);
	if (!pid || pid > INT_MAX || !sonde_has_target(session, pid)) {
		scnprintf(why, SONDE_WHY, "no process %llu is traced", pid);
		return -ESRCH;
	}
	if (pid == session->opener) {
		scnprintf(why, SONDE_WHY, "process %llu would stop itself", pid);
		return -EDEADLK;
	}
	err = pause ? sonde_hold_check(SONDE_TAP_CREATE, why) : 0;
	if (err)
		return err;
	grips = sonde_grips_of(session);
	if (!grips || (pause && sonde_grips_take(grips, pid) < 0))
		return -ENOMEM;
	while (!release_pause_all(grips, pid, pause) &&
	       time_before(jiffies, end) && !fatal_signal_pending(current))
		schedule_timeout_killable(1);
	return 0;
}
