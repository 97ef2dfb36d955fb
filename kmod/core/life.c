// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a thread: clone, exec, exit, death, reap.
 *
 * Death is reported before reap: if a thread is reaped before its report_death
 * is over, the dying thread makes the reap reports itself (reap_wait). A thread
 * that reaps itself does so before its death hook; then the release hook makes
 * the death report first.
 */
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>

#include "kmod/arch.h"
#include "kmod/core/finder.h"
#include "kmod/core/internal.h"

static struct tracepoint *newtask_point, *exec_point;

/*
 * Clears what a child has inherited from a traced parent, even if the parent's
 * last engine was detached meanwhile. The child keeps the work bit until the
 * end of its first call. (real_blocked: a sender may have marked the parent
 * when it was copied; a thread in clone does not use it.)
 */
static void life_on_newtask(void *data, struct task_struct *child,
			    unsigned long clone_flags)
{
	struct utrace *u;

	sigemptyset(&child->real_blocked);
	rcu_read_lock();
	u = sonde_find(current);
	if (u)
		u->clone_flags = clone_flags;
	rcu_read_unlock();
}

static void life_on_exec(void *data, struct task_struct *task, pid_t old_pid,
			 struct linux_binprm *bprm)
{
	struct utrace *u;

	rcu_read_lock();
	u = sonde_find(current);
	if (u)
		u->bprm = bprm;
	rcu_read_unlock();
}

static void life_report_clone(struct utrace *u, struct task_struct *child)
{
	struct sonde_report r = {
		.event = UTRACE_EVENT(CLONE),
		.regs = task_pt_regs(current),
		.clone = { .flags = u->clone_flags, .child = child },
	};

	sonde_report(u, &r);
}

/*
 * Runs in the parent, before the child can run. A parent that shall stop does
 * so before it returns to user mode. In vfork it would first wait for the
 * child, so it starts the child here and then stops.
 */
unsigned long sonde_hook_new_task(struct sonde_args *args)
{
	unsigned long next = sonde_body(SONDE_HOOK_NEW_TASK);
	struct task_struct *child = (struct task_struct *)SONDE_ARG(args, 0);
	struct utrace *u = sonde_enter();

	if (READ_ONCE(sonde_finders))
		sonde_finder_born(child);
	if (u && (READ_ONCE(u->flags) & UTRACE_EVENT(CLONE)) &&
	    !(child->flags & SONDE_PF_KERNEL)) {
		life_report_clone(u, child);
		if ((u->clone_flags & CLONE_VFORK) && sonde_wants_stop(u)) {
			sonde_call_body(next, SONDE_ARG(args, 0));
			next = 0;
			sonde_stop(u);
		}
		sonde_queue_if_needed(u);
	}
	sonde_leave(u);
	return next;
}

/* Runs when a new program is in place; life_on_exec() has saved its bprm. */
unsigned long sonde_hook_exec(struct sonde_args *args)
{
	struct sonde_report r = {
		.event = UTRACE_EVENT(EXEC),
		.regs = task_pt_regs(current),
	};
	struct utrace *u = sonde_enter();

	if (READ_ONCE(sonde_finders))
		sonde_finder_exec();
	if (u) {
		r.bprm = u->bprm;
		u->bprm = NULL;
		if (r.bprm && (READ_ONCE(u->flags) & UTRACE_EVENT(EXEC))) {
			sonde_report(u, &r);
			sonde_queue_if_needed(u);
		}
	}
	sonde_leave(u);
	return sonde_body(SONDE_HOOK_EXEC);
}

/* wait() reports the exit code of the group, if there is one. */
static void life_change_group_code(long old, long new)
{
	struct signal_struct *signal = current->signal;

	spin_lock_irq(&sonde_sighand()->siglock);
	if ((signal->flags & SIGNAL_GROUP_EXIT) &&
	    signal->group_exit_code == old)
		signal->group_exit_code = new;
	spin_unlock_irq(&sonde_sighand()->siglock);
}

/*
 * After the check in the hook of get_signal(), SIGKILL may have come, or
 * another thread may have ended the process. Then get_signal() has taken the
 * signal, and nothing is left that could end a stop.
 */
static bool life_was_killed(long code)
{
	int signr = code & 0x7f;

	return (current->flags & PF_SIGNALED) && (signr == SIGKILL || !signr);
}

static void life_report_exit(struct utrace *u, unsigned long *argument)
{
	long code = *argument;
	struct sonde_report r = {
		.event = UTRACE_EVENT(EXIT),
		.regs = task_pt_regs(current),
		.exit = { .orig_code = code, .code = &code },
	};

	sonde_report(u, &r);
	if (code != r.exit.orig_code) {
		life_change_group_code(r.exit.orig_code, code);
		*argument = code;
	}
	/* A killed thread must not be held. */
	if (life_was_killed(r.exit.orig_code))
		WRITE_ONCE(u->killed, true); /* signal_break_stop() may set it meanwhile */
	while (!sonde_goes_to_die(u))
		/* no later place can make a report */
		if (!sonde_stop(u) && sonde_take_report(u))
			sonde_report_request(u);
}

unsigned long sonde_hook_exit(struct sonde_args *args)
{
	struct utrace *u;

	/* After an oops: in atomic context, or exiting already. */
	if (irqs_disabled() || in_atomic() || (current->flags & PF_EXITING))
		return sonde_body(SONDE_HOOK_EXIT);
	u = sonde_enter();
	if (u && (READ_ONCE(u->flags) & UTRACE_EVENT(EXIT)))
		life_report_exit(u, &SONDE_ARG(args, 0));
	else if (u)
		WRITE_ONCE(u->exiting, true);
	sonde_leave(u);
	return sonde_body(SONDE_HOOK_EXIT);
}

/* The signal for the parent, or -1 if it gets none. */
static int life_death_signal(void)
{
	if (current->exit_state == EXIT_DEAD)
		return -1;
	return thread_group_leader(current) ? current->exit_signal : -1;
}

static void life_report_death(struct utrace *u)
{
	struct sonde_report r = {
		.event = UTRACE_EVENT(DEATH),
		.death = {
			.group_dead = !atomic_read(&current->signal->live),
			.signal = life_death_signal(),
		},
	};
	bool reap;

	spin_lock_irq(&u->lock);
	if (u->dying || u->dead) {
		spin_unlock_irq(&u->lock);
		return;
	}
	u->dying = true;
	spin_unlock_irq(&u->lock);

	sonde_report(u, &r);

	spin_lock_irq(&u->lock);
	u->dying = false;
	u->dead = true;
	reap = u->reap_wait && !u->reaping;
	u->reaping |= reap;
	spin_unlock_irq(&u->lock);
	if (reap)
		sonde_reap(u);
}

unsigned long sonde_hook_death(struct sonde_args *args)
{
	struct utrace *u = sonde_enter();

	if (u)
		life_report_death(u);
	sonde_leave(u);
	return sonde_body(SONDE_HOOK_DEATH);
}

static void life_reaped(struct utrace *u)
{
	bool self = u->task == current;

	if (self)
		life_report_death(u);
	spin_lock_irq(&u->lock);
	if (u->reaping) {
		spin_unlock_irq(&u->lock);
		return;
	}
	if (!u->dead) {
		u->reap_wait = true;
		spin_unlock_irq(&u->lock);
		return;
	}
	u->reaping = true;
	spin_unlock_irq(&u->lock);
	if (self)
		sonde_reap(u);
	else
		sonde_reap_later(u);
}

/* Called in the ftrace handler. */
bool notrace sonde_wants_release(struct task_struct *task)
{
	return task != task->group_leader || sonde_find(task);
}

/*
 * The last thread of a group may also release its dead leader, without another
 * call of release_task(). An engine may be attached to the leader until then,
 * so its state is looked up afterwards.
 */
static void life_release_body(struct task_struct *task, unsigned long body)
{
	struct task_struct *leader = get_task_struct(task->group_leader);
	struct utrace *u;

	sonde_call_body(body, (unsigned long)task);
	u = sonde_find_get(leader);
	if (u) {
		if (READ_ONCE(leader->exit_state) == EXIT_DEAD &&
		    !READ_ONCE(leader->sighand))
			life_reaped(u);
		sonde_put(u);
	}
	put_task_struct(leader);
}

unsigned long sonde_hook_release(struct sonde_args *args)
{
	struct task_struct *task = (struct task_struct *)SONDE_ARG(args, 0);
	unsigned long next = sonde_body(SONDE_HOOK_RELEASE);
	struct utrace *u;

	sonde_hooks_enter();
	u = sonde_find_get(task);
	if (u) {
		life_reaped(u);
		sonde_put(u);
	}
	if (task != task->group_leader) {
		life_release_body(task, next);
		next = 0;
	}
	sonde_hooks_leave();
	return next;
}

int sonde_life_init(void)
{
	int err;

	newtask_point = sonde_tracepoint("task_newtask");
	exec_point = sonde_tracepoint("sched_process_exec");
	if (!newtask_point || !exec_point)
		return -ENOENT;
	sonde_finder_images_init();
	err = tracepoint_probe_register(newtask_point, life_on_newtask, NULL);
	if (err)
		return err;
	err = tracepoint_probe_register(exec_point, life_on_exec, NULL);
	if (err)
		tracepoint_probe_unregister(newtask_point, life_on_newtask,
					    NULL);
	return err;
}

void sonde_life_stop(void)
{
	tracepoint_probe_unregister(exec_point, life_on_exec, NULL);
	tracepoint_probe_unregister(newtask_point, life_on_newtask, NULL);
	tracepoint_synchronize_unregister();
}
