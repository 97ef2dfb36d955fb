// SPDX-License-Identifier: GPL-2.0
/*
 * The consumer's requests for held threads: SONDE_RELEASE, SONDE_ACKNOWLEDGE.
 * See hold.c.
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
 * Waits until the thread has stopped: a request to resume before that might be
 * overtaken by the stop. Return: 0; -ESRCH: it ends; -EINTR.
 */
static int release_await_stop(struct sonde_tracee *tracee, u32 tid, char *why)
{
	int err;

	for (;;) {
		err = sonde_tracee_control(tracee, UTRACE_STOP);
		if (err != -EINPROGRESS ||
		    sonde_tracee_resume(tracee) != UTRACE_STOP)
			break;
		schedule_timeout_killable(1);
		if (fatal_signal_pending(current)) {
			err = -EINTR;
			break;
		}
	}
	if (!err || err == -EINPROGRESS)
		return 0;
	return sonde_refuse(why, err, "thread %u ends", tid);
}

/* Lets a thread continue, with its waiting firings. */
static void release_go_on(struct sonde_tracee *tracee)
{
	if (sonde_tracee_resume(tracee) != UTRACE_STOP)
		sonde_tracee_control(tracee, UTRACE_REPORT);
}

static int release_held(struct sonde_tracee *tracee, u32 tid, u64 how,
			char *why)
{
	int signal = how == 1 ? SIGSTOP : how >= 2 ? how - 2 : 0;
	int err;

	if (!READ_ONCE(tracee->held))
		return sonde_refuse(why, -EINVAL, "thread %u is not held", tid);
	err = release_await_stop(tracee, tid, why);
	if (err)
		return err;
	err = signal ? kill_pid(task_tgid(tracee->task), signal, 0) : 0;
	if (err)
		return sonde_refuse(why, err,
				    "cannot send signal %d to process %u",
				    signal, tracee->tgid);
	sonde_tracee_hold(tracee, false);
	release_go_on(tracee);
	return 0;
}

/* Return: with a reference to its engine, or NULL. */
static struct sonde_tracee *release_get_tracee(struct sonde_session *session,
					       u32 tid, char *why)
{
	struct task_struct *task =
		tid && tid <= INT_MAX ? release_get_task(tid) : NULL;
	struct sonde_tracee *tracee = NULL;

	if (task && session->tracees)
		tracee = sonde_tracee_get(session->tracees, task);
	if (task)
		put_task_struct(task);
	if (!tracee)
		scnprintf(why, SONDE_WHY, "no thread %u is traced", tid);
	return tracee;
}

static int release_acknowledge(struct sonde_tracee *tracee, u32 tid, char *why)
{
	int err;

	if (!READ_ONCE(tracee->mapped))
		return sonde_refuse(why, -EINVAL, "thread %u does not wait",
				    tid);
	err = release_await_stop(tracee, tid, why);
	if (err)
		return err;
	sonde_tracee_acknowledged(tracee);
	release_go_on(tracee);
	return 0;
}

/**
 * sonde_hold_acknowledge() - the consumer has processed a file that a thread
 * has mapped
 * @session: its lock is held
 * @tid: the thread
 * @why: the message for the user on failure
 *
 * Context: Process context. Sleeps.
 * Return: 0; -ESRCH: no such thread is traced; -EINVAL: it does not wait;
 * -EINTR.
 */
int sonde_hold_acknowledge(struct sonde_session *session, u32 tid, char *why)
{
	struct sonde_tracee *tracee = release_get_tracee(session, tid, why);
	int err;

	lockdep_assert_held(&session->lock);
	if (!tracee)
		return -ESRCH;
	err = release_acknowledge(tracee, tid, why);
	utrace_engine_put(tracee->engine);
	return err;
}

/**
 * sonde_hold_release() - answer a record that is flagged HELD
 * @session: its lock is held
 * @tid: the thread
 * @how: 0: continue, 1: stop as by SIGSTOP, 2 + n: send signal n
 * @why: the message for the user on failure
 *
 * Context: Process context. Sleeps.
 * Return: 0; -ESRCH: no such thread is traced; -EINVAL: it is not held, or no
 * such signal; -EPERM; -EINTR.
 */
int sonde_hold_release(struct sonde_session *session, u32 tid, u64 how,
		       char *why)
{
	struct sonde_tracee *tracee;
	int err;

	lockdep_assert_held(&session->lock);
	if (how & (SONDE_RELEASE_RESULT | SONDE_RELEASE_TO_THREAD))
		return sonde_refuse(why, -EOPNOTSUPP,
				    "the kernel module makes every call");
	if (how > 2 + _NSIG)
		return sonde_refuse(why, -EINVAL, "no such signal");
	tracee = release_get_tracee(session, tid, why);
	if (!tracee)
		return -ESRCH;
	err = release_held(tracee, tid, how, why);
	utrace_engine_put(tracee->engine);
	return err;
}
