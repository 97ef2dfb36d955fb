// SPDX-License-Identifier: GPL-2.0
/*
 * System calls: what is hooked for their taps, and what a hook does
 *
 *   by name   the call's function, by an ftrace direct call. Who makes another call
 *             pays nothing.
 *   of all    that of all calls, where the kernel has it: one hook for every call,
 *             used when many are wanted at once
 *   tracepoint  sys_enter, which puts every task of the machine on the slow path:
 *             where a direct call cannot be had
 *   compat    that of all calls of 32-bit code, where the kernel has it: hooked while any call is wanted; 64-bit code does not come there
 *
 * A number that sessions want is hooked in one of these ways, by[number], and
 * stays so while it is wanted: so none fires twice, and none is missed while
 * other taps come and go. Numbers that are asked for together share one
 * ftrace_ops, a batch, which goes when none of them is wanted.
 *
 * The hooks are the module's, not a session's, as ftrace has one direct call a
 * function. They are not told whom to trace either, so the trampoline looks
 * first (tramp.S): SONDE_MARK in a thread's system call work says that some
 * session has it as a target. The kernel has no such bit: it neither looks at it
 * nor changes it, but copies it to children, which are targets as well.
 *
 * Returns. A wrapper around the call would leave our frames on the stack of a
 * thread that sleeps there. So the entry hook sets the thread's
 * SYSCALL_TRACEPOINT bit, which the kernel looks at when the call ends; the probe
 * on sys_exit that the core has anyway comes here, and takes the bit away. A
 * thread that is in a call when a return is armed has the bit set, too.
 *
 * 32-bit code numbers its calls otherwise (kmod/shared/compat_numbers.h). One
 * that 64-bit code has as well goes by its number there, another by its own and
 * SONDE_NATIVE_CALLS. A number that this kernel does not have is not hooked by
 * name; the other ways see it being tried.
 *
 * Locks: session->lock > calls_lock.
 */
#include <linux/bitmap.h>
#include <linux/ftrace.h>
#include <linux/moduleparam.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/thread_info.h>
#include <linux/tracepoint.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#include "kmod/arch.h"
#include "kmod/compat.h"
#include "kmod/compat_direct.h"
#include "kmod/core/hooks.h"
#include "kmod/core/internal.h"
#include "kmod/core/memory.h"
#include "kmod/device/calls.h"
#include "kmod/device/covers.h"
#include "kmod/device/device.h"
#include "kmod/device/fire.h"
#include "kmod/device/session.h"
#include "kmod/device/slow.h"
#include "kmod/device/tap.h"
#include "kmod/finder.h"

#define FEW 48u /* functions: more are hooked together where that can be had */
#define IS_EXEC(call) ((call) == __NR_execve || (call) == __NR_execveat)
#define SONDE_MARK_BIT 63 /* of thread_info.syscall_work */

/* How a number is hooked. */
enum way {
	WAY_NONE,
	WAY_NAME,
	WAY_ALL,
	WAY_TRACEPOINT,
	WAY_EXEC = 4, /* and it is one of the two that have taps of their own */
};

/* What one ftrace_ops hooks. */
struct batch {
	struct list_head node;
	struct ftrace_ops ops;
	DECLARE_BITMAP(numbers, SONDE_CALLS);
};

static bool direct_calls = true;
module_param(direct_calls, bool, 0644);
MODULE_PARM_DESC(direct_calls,
		 "hook system calls by ftrace direct calls; else by tracepoint");

/* Read by the hooks. */
static u8 by[SONDE_CALLS];
static LIST_HEAD(listed); /* RCU: sessions with taps on system calls */
static struct sonde_session __rcu *sole; /* where there is one */
long sonde_call_everyone; /* negative: some of them trace every task */

static DEFINE_MUTEX(calls_lock); /* of the following */
static u32 users[SONDE_CALLS]; /* sessions that want the number */
static LIST_HEAD(batches);
static struct batch *all __maybe_unused; /* the one on all_calls */
static struct batch *compat __maybe_unused; /* the one on compat_entry */
static bool compat_hooked; /* read by the hooks */
static bool on_tracepoint;
static u32 marking; /* sessions that have marked threads */

static unsigned long *call_table __ro_after_init; /* the kernel's */
/* What is there for numbers without a call. */
static unsigned long no_call __ro_after_init;
/* SONDE_NAME_ALL_CALLS, SONDE_NAME_COMPAT_CALLS; 0: the kernel has none. */
static unsigned long all_calls __ro_after_init;
static unsigned long compat_entry __ro_after_init;
static struct tracepoint *enter_point __ro_after_init;

static const struct {
	u16 number, call;
} compat_numbers[] = {
#include "kmod/shared/compat_numbers.h"
};

/* By 32-bit code's number. */
static u16 compat_calls[SONDE_NATIVE_CALLS] __ro_after_init;

/* SONDE_CALLS: there is none. */
static unsigned long call_of_compat(unsigned long number)
{
	if (number >= SONDE_NATIVE_CALLS)
		return SONDE_CALLS;
	return compat_calls[array_index_nospec(number, SONDE_NATIVE_CALLS)];
}

static __always_inline void call_begin(struct sonde_firing *firing,
				       struct sonde_session *session,
				       struct pt_regs *regs, long call,
				       union sonde_firing_start start)
{
	firing->session = session;
	firing->task = current;
	firing->regs = regs;
	firing->call = call;
	firing->start.word = start.word;
}

static __always_inline bool call_fire_site(struct sonde_firing *firing,
					   const struct sonde_site *site)
{
	if (likely(site->only))
		return sonde_fire_now(firing, site->only);
	return sonde_fire_site(firing, site);
}

static noinline bool call_enter_exec(struct sonde_session *session,
				     struct pt_regs *regs, long call)
{
	const struct sonde_site *site =
		rcu_dereference_sched(session->kinds[SONDE_TAP_EXEC]);
	struct sonde_firing firing SONDE_UNINITIALIZED;

	if (!site)
		return false;
	call_begin(&firing, session, regs, call,
		   (union sonde_firing_start){ .has_text = true });
	memset(firing.args, 0, sizeof(firing.args));
	firing.text_address = sonde_call_path(regs, call == __NR_execveat);
	return sonde_fire_site(&firing, site);
}

static __always_inline void call_want_return(void)
{
	if (!test_syscall_work(SYSCALL_TRACEPOINT))
		set_syscall_work(SYSCALL_TRACEPOINT);
}

/* Return: as sonde_fire_now(). */
static __always_inline bool call_enter_session(struct sonde_session *session,
					       struct pt_regs *regs, long call,
					       enum sonde_args_source source)
{
	const struct sonde_site *site =
		rcu_dereference_sched(session->entries[call]);
	const struct sonde_site *back =
		rcu_access_pointer(session->returns[call]);
	struct sonde_firing firing SONDE_UNINITIALIZED;

	if ((!site && !back) || !sonde_covers(session, current))
		return false;
	if (back)
		call_want_return();
	if (!site)
		return false;
	call_begin(&firing, session, regs, call,
		   (union sonde_firing_start){ .args_source = source });
	return call_fire_site(&firing, site);
}

static noinline bool call_enter_execs(struct pt_regs *regs, long call,
				      enum sonde_args_source source)
{
	struct sonde_session *session;
	bool late = false;

	list_for_each_entry_rcu(session, &listed, calls_node) {
		late |= call_enter_session(session, regs, call, source);
		if (!sonde_covers(session, current))
			continue;
		if (rcu_access_pointer(session->kinds[SONDE_TAP_EXEC_FAILURE]))
			call_want_return();
		late |= call_enter_exec(session, regs, call);
	}
	return late;
}

/* Not this hook's, or an exec. */
static noinline void call_enter_other(struct pt_regs *regs, unsigned long call,
				      enum way way)
{
	bool late;

	if (READ_ONCE(by[call]) != (way | WAY_EXEC))
		return;
	preempt_disable_notrace();
	late = call_enter_execs(regs, call, SONDE_ARGS_CALL);
	preempt_enable_notrace();
	if (unlikely(late) && preemptible())
		sonde_run_late();
}

static noinline bool call_enter_listed(struct pt_regs *regs, long call,
				       enum sonde_args_source source)
{
	struct sonde_session *session;
	bool late = false;

	list_for_each_entry_rcu(session, &listed, calls_node)
		late |= call_enter_session(session, regs, call, source);
	return late;
}

static __always_inline void call_enter(struct pt_regs *regs, unsigned long call,
				       enum way way)
{
	struct sonde_session *session;
	bool late;

	if (unlikely(call >= SONDE_CALLS))
		return;
	call = array_index_nospec(call, SONDE_CALLS);
	if (unlikely(READ_ONCE(by[call]) != way)) {
		call_enter_other(regs, call, way);
		return;
	}
	preempt_disable_notrace();
	session = rcu_dereference_sched(sole);
	late = likely(session) ? call_enter_session(session, regs, call,
						    SONDE_ARGS_CALL) :
				 call_enter_listed(regs, call, SONDE_ARGS_CALL);
	if (unlikely(late)) {
		preempt_enable_notrace();
		if (preemptible())
			sonde_run_late(); /* before the call is made */
		return;
	}
	preempt_enable_notrace();
}

/* Of tramp.S: at the beginning of a call's function. */
void sonde_call_by_name(struct pt_regs *regs)
{
	call_enter(regs, sonde_call_number(regs), WAY_NAME);
}

/* Of tramp.S: at the beginning of SONDE_NAME_ALL_CALLS. */
void sonde_call_of_all(struct pt_regs *regs)
{
	call_enter(regs, sonde_call_number(regs), WAY_ALL);
}

static void call_enter_compat(struct pt_regs *regs, unsigned long number)
{
	unsigned long call = call_of_compat(number);
	bool late;

	if (call >= SONDE_CALLS)
		return;
	preempt_disable_notrace();
	late = IS_EXEC(call) ? call_enter_execs(regs, call, SONDE_ARGS_COMPAT) :
			       call_enter_listed(regs, call, SONDE_ARGS_COMPAT);
	preempt_enable_notrace();
	if (unlikely(late) && preemptible())
		sonde_run_late();
}

/* Of tramp.S: at the beginning of SONDE_NAME_COMPAT_CALLS. */
void sonde_call_of_compat(struct pt_regs *regs)
{
	call_enter_compat(regs, sonde_call_number(regs));
}

static void call_probe_sys_enter(void *data, struct pt_regs *regs, long call)
{
	if (!sonde_call_is_compat())
		call_enter(regs, call, WAY_TRACEPOINT);
	else if (!READ_ONCE(compat_hooked))
		call_enter_compat(regs, call);
}

static noinline void call_leave_exec(struct sonde_session *session,
				     struct pt_regs *regs, long call, int error)
{
	const struct sonde_site *site =
		rcu_dereference_sched(session->kinds[SONDE_TAP_EXEC_FAILURE]);
	struct sonde_firing firing SONDE_UNINITIALIZED;

	if (!site)
		return;
	call_begin(&firing, session, regs, call,
		   (union sonde_firing_start){ .error = error });
	memset(firing.args, 0, sizeof(firing.args));
	firing.args[SONDE_ARG_EXEC_FAILURE_ERROR] = error;
	sonde_fire_site(&firing, site);
}

static const long clones[] = { __NR_clone, __NR_fork, __NR_vfork, __NR_clone3 };

/* In the new task, and only there, they return 0. */
static bool call_is_clone(long call)
{
	u32 n;

	for (n = 0; n < ARRAY_SIZE(clones); n++)
		if (clones[n] == call)
			return true;
	return false;
}

static __always_inline void call_leave_session(struct sonde_session *session,
					       struct pt_regs *regs, long call,
					       long result)
{
	const struct sonde_site *site =
		rcu_dereference_sched(session->returns[call]);
	struct sonde_firing firing SONDE_UNINITIALIZED;
	int error = 0;

	if ((!site && likely(!IS_EXEC(call))) ||
	    !sonde_covers(session, current))
		return;
	if (result < 0 && result >= -MAX_ERRNO && call != __NR_rt_sigreturn)
		error = -result;
	if (unlikely(IS_EXEC(call)) && error)
		call_leave_exec(session, regs, call, error);
	if (!site)
		return;
	call_begin(&firing, session, regs, call,
		   (union sonde_firing_start){
			   .error = error, .args_source = SONDE_ARGS_RESULT });
	firing.result = error ? -1 : result;
	call_fire_site(&firing, site);
}

/**
 * sonde_calls_want_newborns() - shall new tasks be seen to return from clone?
 * @session: any
 *
 * Context: Any.
 */
bool sonde_calls_want_newborns(struct sonde_session *session)
{
	u32 n;

	for (n = 0; n < ARRAY_SIZE(clones); n++)
		if (rcu_access_pointer(session->returns[clones[n]]))
			return true;
	return false;
}

/* The call that makes the current task's child, or has made the current task. */
static long call_clone_call(struct pt_regs *regs)
{
	long call = syscall_get_nr(current, regs);

	if (sonde_call_is_compat())
		call = call_of_compat(call);
	return call_is_clone(call) ? call : -1;
}

/**
 * sonde_call_newborn() - the current task returns from the clone that made it
 * @session: any
 *
 * Its START has fired: this comes after it, and so not from sys_exit.
 *
 * Context: Preemption is off.
 */
void sonde_call_newborn(struct sonde_session *session)
{
	struct pt_regs *regs = task_pt_regs(current);
	long call = call_clone_call(regs);

	lockdep_assert_preemption_disabled();
	if (call >= 0)
		call_leave_session(session, regs, call, 0);
}

/**
 * sonde_calls_lose_newborn() - there will be no sonde_call_newborn()
 * @session: any
 * @task: the new task
 *
 * Context: The clone; preemption is off.
 */
void sonde_calls_lose_newborn(struct sonde_session *session,
			      struct task_struct *task)
{
	long call = call_clone_call(task_pt_regs(current));
	const struct sonde_site *site = NULL;

	lockdep_assert_preemption_disabled();
	if (call >= 0)
		site = rcu_dereference_sched(session->returns[call]);
	if (site)
		sonde_lose_site(session, site, task);
}

static noinline void call_leave_listed(struct pt_regs *regs, long call,
				       long result)
{
	struct sonde_session *session;

	list_for_each_entry_rcu(session, &listed, calls_node)
		call_leave_session(session, regs, call, result);
}

/**
 * sonde_call_exit() - a system call has ended, and the thread had the work bit
 * @regs: the user's
 * @result: of the call
 *
 * Context: Probe of sys_exit.
 */
void sonde_call_exit(struct pt_regs *regs, long result)
{
	long call = syscall_get_nr(current, regs);
	struct sonde_session *session;

	if (list_empty(&listed))
		return;
	if (unlikely(sonde_call_is_compat())) {
		call = call_of_compat(call);
		result = (s32)result;
	} else if (call == -1) {
		call = __NR_rt_sigreturn; /* only that leaves without it */
	}
	if ((unsigned long)call >= SONDE_CALLS)
		return;
	call = array_index_nospec(call, SONDE_CALLS);
	if (!result && unlikely(call_is_clone(call)))
		return; /* see sonde_call_newborn() */
	preempt_disable_notrace(); /* 6.13 and later call us with it on */
	session = rcu_dereference_sched(sole);
	if (likely(session))
		call_leave_session(session, regs, call, result);
	else
		call_leave_listed(regs, call, result);
	preempt_enable_notrace();
}

/* Hooking and unhooking */

#ifdef SONDE_DIRECT_CALLS

static unsigned long call_trampoline_of(const struct batch *batch)
{
	return (unsigned long)(batch == all ? sonde_tramp_call_of_all :
			       batch == compat ? sonde_tramp_call_of_compat :
						 sonde_tramp_call_by_name);
}

/* 0: the kernel has no such call. */
static unsigned long call_location_of_call(u32 number)
{
	if (number >= NR_syscalls || number >= SONDE_NATIVE_CALLS ||
	    call_table[number] == no_call)
		return 0;
	return sonde_location(call_table[number]);
}

static int call_start(struct batch *batch)
{
	int err = sonde_direct_register(&batch->ops, call_trampoline_of(batch));

	if (!err)
		list_add(&batch->node, &batches);
	return err;
}

static void call_drop(struct batch *batch)
{
	ftrace_free_filter(&batch->ops);
	sonde_free(batch);
}

static void call_stop(struct batch *batch)
{
	sonde_direct_unregister(&batch->ops, call_trampoline_of(batch));
	list_del(&batch->node);
	if (batch == all)
		all = NULL;
	sonde_free(batch);
}

/*
 * All calls of 32-bit code, or none: who has no such program pays nothing. Where
 * it fails they are not seen, as on kernels without that function.
 */
static void call_hook_compat(bool wanted)
{
	int err;

	if (!compat_entry || wanted == compat_hooked)
		return;
	if (!wanted) {
		WRITE_ONCE(compat_hooked, false);
		sonde_direct_unregister(&compat->ops,
					call_trampoline_of(compat));
		sonde_free(compat);
		compat = NULL;
		return;
	}
	if (!READ_ONCE(direct_calls))
		return; /* for tests: by the tracepoint, if that is on */
	compat = sonde_alloc(SONDE_MEMORY_HOOKS, sizeof(*compat));
	if (!compat)
		return;
	err = ftrace_set_filter_ip(&compat->ops, compat_entry, 0, 0);
	if (!err)
		err = sonde_direct_register(&compat->ops,
					    call_trampoline_of(compat));
	if (err) {
		call_drop(compat);
		compat = NULL;
	}
	WRITE_ONCE(compat_hooked, !err);
}

static int call_hook_all(void)
{
	int err;

	if (all)
		return 0;
	all = sonde_alloc(SONDE_MEMORY_HOOKS, sizeof(*all));
	if (!all)
		return -ENOMEM;
	err = ftrace_set_filter_ip(&all->ops, all_calls, 0, 0);
	if (!err)
		err = call_start(all);
	if (err) {
		call_drop(all);
		all = NULL;
	}
	return err;
}

static int call_hook_by_name(const unsigned long *numbers)
{
	unsigned int number;
	struct batch *batch;
	bool any = false;
	int err = 0;

	if (!call_table)
		return -EOPNOTSUPP;
	batch = sonde_alloc(SONDE_MEMORY_HOOKS, sizeof(*batch));
	if (!batch)
		return -ENOMEM;
	for_each_set_bit(number, numbers, SONDE_CALLS) {
		unsigned long ip = call_location_of_call(number);

		if (!ip)
			continue;
		any = true;
		err = ftrace_set_filter_ip(&batch->ops, ip, 0, 0);
		if (err)
			break;
	}
	bitmap_copy(batch->numbers, numbers, SONDE_CALLS);
	if (any && !err)
		err = call_start(batch);
	if (err || !any)
		call_drop(batch);
	return err;
}

static void call_stop_idle(void)
{
	struct batch *batch, *next;
	unsigned int number;

	list_for_each_entry_safe(batch, next, &batches, node) {
		bool idle = true;

		for_each_set_bit(number, batch->numbers, SONDE_CALLS)
			idle &= !users[number];
		if (!idle)
			continue;
		for_each_set_bit(number, batch->numbers, SONDE_CALLS)
			WRITE_ONCE(by[number], WAY_NONE);
		call_stop(batch);
	}
}

static int call_hook_directly(unsigned long *numbers, enum way *way)
{
	int err;

	if (!READ_ONCE(direct_calls))
		return -EOPNOTSUPP;
	*way = WAY_ALL;
	if (all_calls && (all || bitmap_weight(numbers, SONDE_CALLS) > FEW)) {
		err = call_hook_all();
		if (err != -EBUSY)
			return err;
	}
	*way = WAY_NAME;
	return call_hook_by_name(numbers);
}

static void call_own(const unsigned long *numbers)
{
	if (all)
		bitmap_or(all->numbers, all->numbers, numbers, SONDE_CALLS);
}

#else /* no direct calls */

static void call_hook_compat(bool wanted)
{
}

static void call_stop_idle(void)
{
}

static int call_hook_directly(unsigned long *numbers, enum way *way)
{
	return -EOPNOTSUPP;
}

static void call_own(const unsigned long *numbers)
{
}

#endif

static int call_hook_tracepoint(void)
{
	int err = -EOPNOTSUPP;

	if (on_tracepoint)
		return 0;
	if (enter_point)
		err = tracepoint_probe_register(enter_point,
						call_probe_sys_enter, NULL);
	on_tracepoint = !err;
	return err;
}

static void call_stop_idle_tracepoint(void)
{
	bool wanted = false;
	u32 number;

	for (number = 0; number < SONDE_CALLS; number++) {
		if ((by[number] & ~WAY_EXEC) != WAY_TRACEPOINT)
			continue;
		if (users[number])
			wanted = true;
		else
			WRITE_ONCE(by[number], WAY_NONE);
	}
	if (wanted || !on_tracepoint)
		return;
	tracepoint_probe_unregister(enter_point, call_probe_sys_enter, NULL);
	on_tracepoint = false;
}

/* Numbers that are wanted and are not hooked. */
static int call_hook(unsigned long *numbers)
{
	enum way way = WAY_NONE;
	unsigned int number;
	int err;

	for_each_set_bit(number, numbers, SONDE_CALLS)
		if (by[number] != WAY_NONE)
			__clear_bit(number, numbers);
	if (bitmap_empty(numbers, SONDE_CALLS))
		return 0;
	err = call_hook_directly(numbers, &way);
	if (err && err != -ENOMEM) {
		way = WAY_TRACEPOINT;
		err = call_hook_tracepoint();
	}
	if (err)
		return err;
	if (way == WAY_ALL)
		call_own(numbers);
	for_each_set_bit(number, numbers, SONDE_CALLS)
		WRITE_ONCE(by[number],
			   IS_EXEC(number) ? way | WAY_EXEC : way);
	return 0;
}

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

	list_for_each_entry(session, &listed, calls_node)
		if (session->privileged && !READ_ONCE(session->targeted))
			everyone = LONG_MIN;
	WRITE_ONCE(sonde_call_everyone, everyone);
}

/*
 * Has the hooks look at @session, or look at it no more: who does so still is
 * waited for before it may be listed again.
 */
static void call_list(struct sonde_session *session, bool on)
{
	struct sonde_session *only = NULL;

	lockdep_assert_held(&calls_lock);
	if (on && !session->calls_listed)
		list_add_tail_rcu(&session->calls_node, &listed);
	else if (!on && session->calls_listed)
		list_del_rcu(&session->calls_node);
	call_trace_everyone();
	if (list_is_singular(&listed))
		only = list_first_entry(&listed, struct sonde_session,
					calls_node);
	rcu_assign_pointer(sole, only);
	if (!on && session->calls_listed)
		synchronize_rcu();
	session->calls_listed = on;
}

static void call_unhook_idle(void)
{
	call_stop_idle();
	call_stop_idle_tracepoint();
}

static int call_take(struct sonde_session *session, const unsigned long *wanted)
{
	DECLARE_BITMAP(fresh, SONDE_CALLS);
	unsigned int number;
	int err;

	bitmap_andnot(fresh, wanted, session->calls, SONDE_CALLS);
	err = call_hook(fresh);
	if (err)
		return err;
	bitmap_andnot(fresh, wanted, session->calls, SONDE_CALLS);
	for_each_set_bit(number, fresh, SONDE_CALLS)
		users[number]++;
	bitmap_or(session->calls, session->calls, fresh, SONDE_CALLS);
	return 0;
}

static void call_give_back(struct sonde_session *session,
			   const unsigned long *wanted)
{
	DECLARE_BITMAP(gone, SONDE_CALLS);
	unsigned int number;

	bitmap_andnot(gone, session->calls, wanted, SONDE_CALLS);
	for_each_set_bit(number, gone, SONDE_CALLS)
		users[number]--;
	bitmap_and(session->calls, session->calls, wanted, SONDE_CALLS);
	if (!bitmap_empty(gone, SONDE_CALLS))
		call_unhook_idle();
}

static void call_see_return(struct task_struct *task)
{
	if (!(task->flags & SONDE_PF_KERNEL))
		set_task_syscall_work(task, SYSCALL_TRACEPOINT);
}

/* A thread that is made meanwhile is in no call. Context: RCU. */
static void call_see_returns_of(void *unused, pid_t pid)
{
	struct task_struct *leader = pid_task(find_pid_ns(pid, &init_pid_ns),
					      PIDTYPE_TGID);
	struct task_struct *task;

	if (!leader)
		return;
	for_each_thread(leader, task)
		call_see_return(task);
}

/* The calls that are under way end under our eyes. */
static void call_see_returns(struct sonde_session *session)
{
	struct task_struct *process, *task;

	if (session->targeted) {
		sonde_finder_walk(session->finder, call_see_returns_of, NULL);
		return;
	}
	if (!session->privileged)
		return; /* it traces nobody yet */
	read_lock(sonde_kernel.tasklist_lock);
	for_each_process_thread(process, task)
		call_see_return(task);
	read_unlock(sonde_kernel.tasklist_lock);
}

/* Taps or whom the session traces have changed. Return: as sonde_taps_update(). */
static int call_update(struct sonde_session *session, char *why)
{
	DECLARE_BITMAP(wanted, SONDE_CALLS);
	u32 returns = session->tap_count[SONDE_TAP_SYSCALL_RETURN] +
		      session->tap_count[SONDE_TAP_EXEC_FAILURE];
	int err;

	lockdep_assert_held(&session->lock);
	mutex_lock(&calls_lock);
	call_put_wanted(session, wanted);
	err = call_take(session, wanted);
	if (err)
		scnprintf(why, SONDE_WHY, "cannot hook system calls");
	call_give_back(session, wanted);
	if (session->calls_listed || !bitmap_empty(session->calls, SONDE_CALLS))
		call_list(session, !bitmap_empty(session->calls, SONDE_CALLS));
	call_hook_compat(!list_empty(&listed));
	if (returns > session->return_taps)
		call_see_returns(session);
	session->return_taps = returns;
	mutex_unlock(&calls_lock);
	return err;
}

/**
 * sonde_calls_show() - a line that says who pays for hooks of system calls
 * @to: /proc/sonde
 *
 * Context: Process context. May sleep.
 */
void sonde_calls_show(struct seq_file *to)
{
	might_sleep();
	mutex_lock(&calls_lock);
	seq_printf(to, "calls: %s\n",
		   list_empty(&listed) ? "not hooked" :
		   on_tracepoint || sonde_call_everyone ?
					 "hooked for every task" :
					 "hooked for targets");
	mutex_unlock(&calls_lock);
}

/**
 * sonde_calls_mark() - have the hooks look at a thread
 * @task: a new thread of a target, which has not run
 *
 * Context: Any.
 */
void sonde_calls_mark(struct task_struct *task)
{
	set_bit(SONDE_MARK_BIT, SONDE_WORK_WORD(task));
}

/**
 * sonde_calls_mark_process() - have the hooks look at a target
 * @session: its lock is held; it follows the target's clones
 * @leader: the target
 *
 * Calls that are under way are seen to return.
 *
 * Context: Process context. May sleep.
 */
void sonde_calls_mark_process(struct sonde_session *session,
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
		sonde_calls_mark(task);
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
	call_hook_compat(!list_empty(&listed));
	call_give_back(session, none);
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

	if (numbered && tap->number >= SONDE_CALLS) {
		scnprintf(why, SONDE_WHY, "tap %u: no such system call",
			  tap->id);
		return -EINVAL;
	}
	if (missing) {
		scnprintf(why, SONDE_WHY,
			  "the return of system calls: this kernel's %s is not the one that sonde knows (dmesg says more); -x source=ptrace does without",
			  missing);
		return -EOPNOTSUPP;
	}
	return sonde_site_check(session, tap, why);
}

static bool call_takes(enum sonde_tap_kind kind)
{
	return kind == SONDE_TAP_SYSCALL_ENTRY ||
	       kind == SONDE_TAP_SYSCALL_RETURN || kind == SONDE_TAP_EXEC ||
	       kind == SONDE_TAP_EXEC_FAILURE;
}

const struct sonde_tap_ops sonde_call_taps = {
	.takes = call_takes,
	.check = call_check,
	.arm = sonde_site_arm,
	.disarm = sonde_site_disarm,
	.hold = sonde_site_hold,
	.update = call_update,
	.close = call_close,
};

/**
 * sonde_calls_init() - find what system calls are hooked by
 *
 * Context: Process context, module load.
 */
void sonde_calls_init(void)
{
	static const char all_type[] = "long int(struct pt_regs *, unsigned int)";
	unsigned long address = sonde_function(SONDE_NAME_ALL_CALLS, all_type);
	u32 n;

#ifdef SONDE_DIRECT_CALLS
	BUILD_BUG_ON(offsetof(struct task_struct, thread_info.syscall_work) !=
		     SONDE_TASK_SYSCALL_WORK);
#endif
	enter_point = sonde_tracepoint("sys_enter");
	/* all calls are of one type */
	if (sonde_function(SONDE_NAME_OF_CALL("read"),
			   "long int(struct pt_regs *)"))
		call_table = (unsigned long *)sonde_lookup("sys_call_table");
	no_call = sonde_lookup(SONDE_NAME_OF_CALL("ni_syscall"));
	all_calls = address ? sonde_location(address) : 0;
	address = sonde_function(SONDE_NAME_COMPAT_CALLS, all_type);
	compat_entry = address ? sonde_location(address) : 0;
	for (n = 0; n < ARRAY_SIZE(compat_calls); n++)
		compat_calls[n] = SONDE_CALLS;
	for (n = 0; n < ARRAY_SIZE(compat_numbers); n++)
		compat_calls[compat_numbers[n].number] = compat_numbers[n].call;
}

/**
 * sonde_calls_see_compat() - are the calls of 32-bit code seen?
 *
 * Context: Any.
 */
bool sonde_calls_see_compat(void)
{
#ifdef SONDE_DIRECT_CALLS
	return IS_ENABLED(CONFIG_IA32_EMULATION) && compat_entry;
#else
	return IS_ENABLED(CONFIG_IA32_EMULATION);
#endif
}
