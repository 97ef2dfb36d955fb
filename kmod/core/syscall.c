// SPDX-License-Identifier: GPL-2.0
/*
 * System calls: entry, exit, and the work bit that makes a thread pass there.
 *
 * SYSCALL_TRACEPOINT, a bit per thread, sends the thread through the slow path,
 * where our hook and our sys_exit probe are. The kernel sets it for all threads
 * while the system call tracepoints have users. So syscall_regfunc() and
 * syscall_unregfunc() are replaced: the kernel's counter counts only users
 * other than us, and the bit of a thread is set while there are such users or
 * its engines want system calls. Untraced threads stay on the fast path.
 *
 * The kernel calls those two only for the first and last probe of a tracepoint,
 * and our probe is always on sys_exit. So the functions that change its probes
 * are hooked as well, and the probes of others are counted after each change;
 * while the module is loaded, they are not in the kernel's counter.
 *
 * A tap on the return of a call (syscalls.c) uses the bit, too: the entry of
 * the call sets it.
 *
 * Whoever needs the bit sets it; only the thread itself clears it, in our probe
 * at the end of a call, when it is no longer needed. So it is never cleared
 * inside a call whose return is traced. A child that inherits it loses it at
 * its first call.
 *
 * Lock order: work bit lock > tasklist lock.
 */
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/thread_info.h>
#include <asm/syscall.h>

#include "kmod/arch.h"
#include "kmod/core/internal.h"

static DEFINE_SPINLOCK(work_lock);
static struct task_struct *registrar;	/* is registering or unregistering our probe */
static struct tracepoint *exit_point;
static int exit_others;		/* number of probes of others on it */
static bool asked;		/* the kernel called our hooks for the registrar */

static bool syscall_wants_bit(struct task_struct *task, const struct utrace *u)
{
	unsigned long flags;

	lockdep_assert_held(&work_lock);
	if (*sonde_kernel.sys_tracepoint_refcount || exit_others)
		return true;
	rcu_read_lock();
	flags = sonde_flags(task);
	rcu_read_unlock();
	if (u)
		flags |= READ_ONCE(u->flags);
	return flags & UTRACE_EVENT_SYSCALL;
}

/* Called after every change of an engine's events. Context: any. */
void sonde_update_syscall_work(struct utrace *u)
{
	unsigned long irq;

	spin_lock_irqsave(&work_lock, irq);
	if (syscall_wants_bit(u->task, u))
		set_task_syscall_work(u->task, SYSCALL_TRACEPOINT);
	spin_unlock_irqrestore(&work_lock, irq);
}

/* Sets the bit of all threads that need it; with @clears, clears it for others. */
static void syscall_update_all(bool clears)
{
	struct task_struct *process, *task;

	read_lock(sonde_kernel.tasklist_lock);
	for_each_process_thread(process, task)
		if (syscall_wants_bit(task, NULL))
			set_task_syscall_work(task, SYSCALL_TRACEPOINT);
		else if (clears)
			clear_task_syscall_work(task, SYSCALL_TRACEPOINT);
	read_unlock(sonde_kernel.tasklist_lock);
}

static void syscall_on_sys_exit(void *data, struct pt_regs *regs, long result);

/* Counts the probes of others on sys_exit. Context: work_lock is held. */
static void syscall_count_others(void)
{
	struct tracepoint_func *f;
	int n = 0, was = exit_others;

	lockdep_assert_held(&work_lock);
	rcu_read_lock_sched_notrace();
	f = rcu_dereference_raw(exit_point->funcs);
	for (; f && f->func; f++)
		n += f->func != (void *)syscall_on_sys_exit;
	rcu_read_unlock_sched_notrace();
	exit_others = n;
	if (n && !was)
		syscall_update_all(false);
}

bool notrace sonde_wants_probe(const struct tracepoint *tp)
{
	return tp == exit_point && READ_ONCE(registrar) != current;
}

static unsigned long syscall_change_probes(enum sonde_hook_index index,
					   struct sonde_args *args)
{
	sonde_hooks_enter();
	args->ret = sonde_call_body_of(sonde_body(index), args);
	spin_lock_irq(&work_lock);
	syscall_count_others();
	spin_unlock_irq(&work_lock);
	sonde_hooks_leave();
	return 0;
}

unsigned long sonde_hook_probe_add(struct sonde_args *args)
{
	return syscall_change_probes(SONDE_HOOK_PROBE_ADD, args);
}

unsigned long sonde_hook_probe_add_prio(struct sonde_args *args)
{
	return syscall_change_probes(SONDE_HOOK_PROBE_ADD_PRIO, args);
}

unsigned long sonde_hook_probe_add_again(struct sonde_args *args)
{
	return syscall_change_probes(SONDE_HOOK_PROBE_ADD_AGAIN, args);
}

unsigned long sonde_hook_probe_remove(struct sonde_args *args)
{
	return syscall_change_probes(SONDE_HOOK_PROBE_REMOVE, args);
}

/* Replaces syscall_regfunc() and syscall_unregfunc(). Each thread clears its own bit later. */
static unsigned long syscall_count_users(struct sonde_args *args, int change)
{
	int before;

	args->ret = 0;
	if (READ_ONCE(registrar) == current) {
		asked = true;
		return 0;
	}
	sonde_hooks_enter();
	spin_lock_irq(&work_lock);
	before = *sonde_kernel.sys_tracepoint_refcount;
	*sonde_kernel.sys_tracepoint_refcount = before + change;
	if (!before)
		syscall_update_all(false);
	spin_unlock_irq(&work_lock);
	sonde_hooks_leave();
	return 0;
}

unsigned long sonde_hook_regfunc(struct sonde_args *args)
{
	return syscall_count_users(args, 1);
}

unsigned long sonde_hook_unregfunc(struct sonde_args *args)
{
	return syscall_count_users(args, -1);
}

/*
 * Reports, stops, and reports again with RESUMED if an engine asked for a
 * report during the stop.
 * Return: whether the call shall be made.
 */
static bool syscall_report_entry(struct utrace *u)
{
	struct sonde_report r = {
		.event = UTRACE_EVENT(SYSCALL_ENTRY),
		.regs = task_pt_regs(current),
	};
	u32 resumed = 0;

	for (;;) {
		r.bits = UTRACE_SYSCALL_RUN | resumed;
		sonde_report(u, &r);
		if (!sonde_wants_stop(u))
			break;
		if (sonde_stop(u))
			return false;
		sonde_step(u);
		if (!sonde_take_report(u))
			break;
		resumed = UTRACE_SYSCALL_RESUMED;
	}
	sonde_queue_if_needed(u);
	return utrace_syscall_action(r.bits) != UTRACE_SYSCALL_ABORT;
}

/*
 * Skips the call that is about to be made. Return: the address to continue at.
 * If the body reads the number again, it is set to -1 until the exit.
 */
static unsigned long syscall_leave_out(struct utrace *u,
				       struct sonde_args *args)
{
	struct pt_regs *regs = task_pt_regs(current);

	if (!SONDE_EXIT_HOOKED) {
		args->ret = -1L;
		return 0;
	}
	u->left_out = sonde_call_number(regs);
	u->has_left_out = true;
	sonde_set_call_number(regs, -1L);
	return sonde_body(SONDE_HOOK_SYSCALL_ENTRY);
}

/* Before a system call; see compat.h for when exactly. */
unsigned long sonde_hook_syscall_entry(struct sonde_args *args)
{
	unsigned long next = sonde_body(SONDE_HOOK_SYSCALL_ENTRY);
	struct utrace *u = sonde_enter();

	if (u) {
		u->has_left_out = false;
		if (!syscall_report_entry(u))
			next = syscall_leave_out(u, args);
	}
	sonde_leave(u);
	return next;
}

static bool syscall_bit_is_wanted(void)
{
	return READ_ONCE(*sonde_kernel.sys_tracepoint_refcount) ||
	       READ_ONCE(exit_others) ||
	       (atomic_read(&sonde_states) &&
		(sonde_flags(current) & UTRACE_EVENT_SYSCALL));
}

/*
 * Clears the bit of the current thread if it is not needed. Users announce
 * their need before they set the bit, and we check again after clearing it, so
 * one of the two sees the other.
 */
static void syscall_drop_bit(void)
{
	if (syscall_bit_is_wanted())
		return;
	clear_task_syscall_work(current, SYSCALL_TRACEPOINT);
	/* Clears the bit before checking the need; the other side has the reverse order. */
	smp_mb__after_atomic();
	if (syscall_bit_is_wanted())
		set_task_syscall_work(current, SYSCALL_TRACEPOINT);
}

void sonde_report_syscall_exit(struct utrace *u)
{
	struct sonde_report r = {
		.event = UTRACE_EVENT(SYSCALL_EXIT),
		.regs = task_pt_regs(current),
	};

	sonde_report(u, &r);
}

/* After a system call, where the exit can be hooked: reports it here. */
unsigned long sonde_hook_syscall_exit(struct sonde_args *args)
{
	struct utrace *u = sonde_enter();

	if (u) {
		if (u->has_left_out)
			sonde_set_call_number(task_pt_regs(current),
					      u->left_out);
		u->has_left_out = false;
		if (READ_ONCE(u->flags) & UTRACE_EVENT(SYSCALL_EXIT)) {
			sonde_report_syscall_exit(u);
			sonde_queue_if_needed(u);
		}
	}
	sonde_leave(u);
	return sonde_body(SONDE_HOOK_SYSCALL_EXIT);
}

static void syscall_report_exit_later(void)
{
	struct utrace *u = sonde_find_get(current);

	if (!u)
		return;
	if (READ_ONCE(u->flags) & UTRACE_EVENT(SYSCALL_EXIT))
		sonde_defer_report(u, SONDE_DEFERRED_SYSCALL_EXIT);
	sonde_put(u);
}

/* Probe of sys_exit, with preemption off: defers the report to the safe point. */
static void syscall_on_sys_exit(void *data, struct pt_regs *regs, long result)
{
	if (!SONDE_EXIT_HOOKED && atomic_read(&sonde_states))
		syscall_report_exit_later();
	sonde_syscall_exit(regs, result);
	syscall_drop_bit();
}

int sonde_syscall_init(void)
{
	int err;

	if (sonde_lacks(SONDE_CAN_SHARE))
		return 0;
	exit_point = sonde_tracepoint("sys_exit");
	if (!exit_point)
		return -ENOENT;
	asked = false;
	WRITE_ONCE(registrar, current);
	err = tracepoint_probe_register(exit_point, syscall_on_sys_exit, NULL);
	WRITE_ONCE(registrar, NULL);
	if (err)
		return err;
	spin_lock_irq(&work_lock);
	syscall_count_others();
	/* Others were registered first: the kernel's counter has counted one for them. */
	if (!asked)
		(*sonde_kernel.sys_tracepoint_refcount)--;
	spin_unlock_irq(&work_lock);
	return 0;
}

void sonde_syscall_stop(void)
{
	if (!exit_point)
		return;
	asked = false;
	WRITE_ONCE(registrar, current);
	tracepoint_probe_unregister(exit_point, syscall_on_sys_exit, NULL);
	WRITE_ONCE(registrar, NULL);
	spin_lock_irq(&work_lock);
	/* Others stay: the kernel's counter must count one for them again. */
	if (!asked)
		(*sonde_kernel.sys_tracepoint_refcount)++;
	exit_others = 0;
	exit_point = NULL;
	syscall_update_all(true); /* instead of our probe, which is gone */
	spin_unlock_irq(&work_lock);
	tracepoint_synchronize_unregister();
}
