// SPDX-License-Identifier: GPL-2.0
/*
 * System calls: the firings at entry and return
 *
 *   entry   hook (syscall_hooks.c) --> sessions --> their taps on the number
 *   return  sys_exit --> sessions --> their taps on the number
 *
 * The hooks belong to the module, not to a session, because ftrace allows one
 * direct call per function. They see all threads, so the trampoline checks
 * first (tramp.S): SONDE_MARK in a thread's system call work means that it is a
 * target of some session (syscall_taps.c).
 *
 * Returns. A wrapper around the call would leave our frames on the stack of a
 * thread that sleeps there. So the entry hook sets the thread's
 * SYSCALL_TRACEPOINT bit, which the kernel checks when the call ends; the probe
 * on sys_exit that the core has anyway calls this file, and clears the bit.
 * When a return tap is armed, the bit is also set for threads that are in a
 * call.
 *
 * A new task returns 0 from the call that created it. This does not fire from
 * sys_exit, but after its START: sonde_syscall_newborn().
 *
 * 32-bit code has other call numbers (kmod/shared/compat_numbers.h). A call
 * that 64-bit code has, too, gets the number it has there; any other gets its
 * own number plus SONDE_NATIVE_CALLS.
 */
#include <linux/nospec.h>
#include <linux/rculist.h>
#include <linux/sched/task_stack.h>
#include <linux/thread_info.h>
#include <asm/syscall.h>

#include "kmod/arch.h"
#include "kmod/compat.h"
#include "kmod/core/hooks.h"
#include "kmod/core/internal.h"
#include "kmod/device/covers.h"
#include "kmod/device/deferred.h"
#include "kmod/device/fire.h"
#include "kmod/device/session.h"
#include "kmod/device/syscall_hooks.h"
#include "kmod/device/syscalls.h"

LIST_HEAD(sonde_syscall_sessions);
struct sonde_session __rcu *sonde_syscall_sole;
long sonde_syscall_everyone;

/* By the number in 32-bit code. */
static const u16 compat_calls[] = {
#define NO_CALL SONDE_CALLS
#include "kmod/shared/compat_numbers.h"
#undef NO_CALL
};

/* Return: SONDE_CALLS if there is none. */
static unsigned long call_of_compat(unsigned long number)
{
	const unsigned long count = ARRAY_SIZE(compat_calls);

	if (number >= count)
		return SONDE_CALLS;
	return compat_calls[array_index_nospec(number, count)];
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
	struct sonde_firing firing;

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
	bool deferred = false;

	list_for_each_entry_rcu(session, &sonde_syscall_sessions, calls_node) {
		deferred |= call_enter_session(session, regs, call, source);
		if (!sonde_covers(session, current))
			continue;
		if (rcu_access_pointer(session->kinds[SONDE_TAP_EXEC_FAILURE]))
			call_want_return();
		deferred |= call_enter_exec(session, regs, call);
	}
	return deferred;
}

/* The number is not hooked by this hook, or it is an exec. */
static noinline void call_enter_other(struct pt_regs *regs, unsigned long call,
				      enum sonde_syscall_hook hook)
{
	bool deferred;

	if (READ_ONCE(sonde_syscall_hook_of[call]) !=
	    (hook | SONDE_SYSCALL_EXEC))
		return;
	preempt_disable_notrace();
	deferred = call_enter_execs(regs, call, SONDE_ARGS_CALL);
	preempt_enable_notrace();
	if (unlikely(deferred) && preemptible())
		sonde_run_deferred();
}

static noinline bool call_enter_listed(struct pt_regs *regs, long call,
				       enum sonde_args_source source)
{
	struct sonde_session *session;
	bool deferred = false;

	list_for_each_entry_rcu(session, &sonde_syscall_sessions, calls_node)
		deferred |= call_enter_session(session, regs, call, source);
	return deferred;
}

static __always_inline void call_enter(struct pt_regs *regs, unsigned long call,
				       enum sonde_syscall_hook hook)
{
	struct sonde_session *session;
	bool deferred;

	if (unlikely(call >= SONDE_CALLS))
		return;
	call = array_index_nospec(call, SONDE_CALLS);
	if (unlikely(READ_ONCE(sonde_syscall_hook_of[call]) != hook)) {
		call_enter_other(regs, call, hook);
		return;
	}
	preempt_disable_notrace();
	session = rcu_dereference_sched(sonde_syscall_sole);
	deferred = likely(session) ?
			   call_enter_session(session, regs, call,
					      SONDE_ARGS_CALL) :
			   call_enter_listed(regs, call, SONDE_ARGS_CALL);
	if (unlikely(deferred)) {
		preempt_enable_notrace();
		if (preemptible())
			sonde_run_deferred(); /* before the call is made */
		return;
	}
	preempt_enable_notrace();
}

/* Called by tramp.S at the start of a call's function. */
void sonde_syscall_by_name(struct pt_regs *regs)
{
	call_enter(regs, sonde_call_number(regs), SONDE_SYSCALL_BY_NAME);
}

/* Called by tramp.S at the start of SONDE_NAME_ALL_CALLS. */
void sonde_syscall_of_all(struct pt_regs *regs)
{
	call_enter(regs, sonde_call_number(regs), SONDE_SYSCALL_OF_ALL);
}

static void call_enter_compat(struct pt_regs *regs, unsigned long number)
{
	unsigned long call = call_of_compat(number);
	bool deferred;

	if (call >= SONDE_CALLS)
		return;
	preempt_disable_notrace();
	deferred = SONDE_IS_EXEC(call) ?
			   call_enter_execs(regs, call, SONDE_ARGS_COMPAT) :
			   call_enter_listed(regs, call, SONDE_ARGS_COMPAT);
	preempt_enable_notrace();
	if (unlikely(deferred) && preemptible())
		sonde_run_deferred();
}

/* Called by tramp.S at the start of SONDE_NAME_COMPAT_CALLS. */
void sonde_syscall_of_compat(struct pt_regs *regs)
{
	call_enter_compat(regs, sonde_call_number(regs));
}

void sonde_syscall_probe_enter(void *data, struct pt_regs *regs, long call)
{
	if (!sonde_call_is_compat())
		call_enter(regs, call, SONDE_SYSCALL_TRACEPOINT);
	else if (!READ_ONCE(sonde_syscall_compat_hooked))
		call_enter_compat(regs, call);
}

static noinline void call_leave_exec(struct sonde_session *session,
				     struct pt_regs *regs, long call, int error)
{
	const struct sonde_site *site =
		rcu_dereference_sched(session->kinds[SONDE_TAP_EXEC_FAILURE]);
	struct sonde_firing firing;

	if (!site)
		return;
	call_begin(&firing, session, regs, call,
		   (union sonde_firing_start){ .error = error });
	memset(firing.args, 0, sizeof(firing.args));
	firing.args[SONDE_ARG_EXEC_FAILURE_ERROR] = error;
	sonde_fire_site(&firing, site);
}

static const long clones[] = { __NR_clone, __NR_fork, __NR_vfork, __NR_clone3 };

/* These calls return 0 in the new task, and only there. */
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

	if ((!site && likely(!SONDE_IS_EXEC(call))) ||
	    !sonde_covers(session, current))
		return;
	if (result < 0 && result >= -MAX_ERRNO && call != __NR_rt_sigreturn)
		error = -result;
	if (unlikely(SONDE_IS_EXEC(call)) && error)
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
 * sonde_syscalls_want_newborns() - whether the return from clone in new tasks
 * is traced
 * @session: any
 *
 * Context: Any.
 */
bool sonde_syscalls_want_newborns(struct sonde_session *session)
{
	u32 n;

	for (n = 0; n < ARRAY_SIZE(clones); n++)
		if (rcu_access_pointer(session->returns[clones[n]]))
			return true;
	return false;
}

/* The call that creates a child of the current task, or that created the current task. */
static long call_clone_call(struct pt_regs *regs)
{
	long call = syscall_get_nr(current, regs);

	if (sonde_call_is_compat())
		call = call_of_compat(call);
	return call_is_clone(call) ? call : -1;
}

/**
 * sonde_syscall_newborn() - the current task returns from the clone that made it
 * @session: any
 *
 * This must come after its START, so it does not fire from sys_exit.
 *
 * Context: Preemption is off.
 */
void sonde_syscall_newborn(struct sonde_session *session)
{
	struct pt_regs *regs = task_pt_regs(current);
	long call = call_clone_call(regs);

	lockdep_assert_preemption_disabled();
	if (call >= 0)
		call_leave_session(session, regs, call, 0);
}

/**
 * sonde_syscalls_lose_newborn() - count the records of a
 * sonde_syscall_newborn() that will not run
 * @session: any
 * @task: the new task
 *
 * Context: The thread that calls clone; preemption is off.
 */
void sonde_syscalls_lose_newborn(struct sonde_session *session,
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

	list_for_each_entry_rcu(session, &sonde_syscall_sessions, calls_node)
		call_leave_session(session, regs, call, result);
}

/**
 * sonde_syscall_exit() - fire at the return of a system call
 * @regs: of user mode
 * @result: of the call
 *
 * Context: Probe of sys_exit.
 */
void sonde_syscall_exit(struct pt_regs *regs, long result)
{
	long call = syscall_get_nr(current, regs);
	struct sonde_session *session;

	if (list_empty(&sonde_syscall_sessions))
		return;
	if (unlikely(sonde_call_is_compat())) {
		call = call_of_compat(call);
		result = (s32)result;
	} else if (call == -1) {
		call = __NR_rt_sigreturn; /* only rt_sigreturn ends without a number */
	}
	if ((unsigned long)call >= SONDE_CALLS)
		return;
	call = array_index_nospec(call, SONDE_CALLS);
	if (!result && unlikely(call_is_clone(call)))
		return; /* see sonde_syscall_newborn() */
	preempt_disable_notrace(); /* since 6.13 we are called with preemption on */
	session = rcu_dereference_sched(sonde_syscall_sole);
	if (likely(session))
		call_leave_session(session, regs, call, result);
	else
		call_leave_listed(regs, call, result);
	preempt_enable_notrace();
}
