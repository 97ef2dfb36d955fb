// SPDX-License-Identifier: GPL-2.0
/*
 * Held taps
 *
 * If an ECB holds, the taps of its probe use engines of the utrace core instead
 * of tracepoints, because there the thread can stop. A thread that has an
 * engine of the session is a tracee:
 *
 *   event --> waiting: firing, firing, ... --> ECB, ECB (holds): STOP
 *                                                      |
 *   SONDE_RELEASE --> signal, REPORT --> the rest of the ECBs, then the next
 *                                        firing, in the thread again
 *
 * While an armed probe has such an ECB, each thread that the session traces is
 * a tracee: the session's finder reports existing and new threads. User taps
 * stay uprobes, but their handlers only queue the firing, because they hold a
 * kernel lock that others wait for. The firing runs, and the thread stops,
 * before the return to user mode. The sender of a signal, and a thread that a
 * timer interrupts, cannot be held.
 *
 * If a thread of a followed target (SONDE_FOLLOW) maps a file, the same engine
 * stops it. The process that opened the session is never held, because then
 * nobody could release it: held taps do not fire there.
 *
 * A program that holds may read absent memory that only another process can
 * supply (FUSE, userfaultfd). The end of the session does not wait for a thread
 * that waits for such memory: the tracee is marked as dropped, and does not
 * access the session any more.
 *
 * SIGKILL ends every stop: the core sees to that. The waiting firings of a
 * killed thread are dropped. In the report of a signal and in a vfork, what is
 * left after a release runs at the thread's next safe point.
 *
 * Locks: session->lock > tracees->lock > tracee->lock > the core's.
 */
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#include "kmod/arch.h"
#include "kmod/compat.h"
#include "kmod/core/hooks.h"
#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/covers.h"
#include "kmod/device/deferred.h"
#include "kmod/device/fire.h"
#include "kmod/device/hold.h"
#include "kmod/device/session.h"
#include "kmod/device/syscall_hooks.h"
#include "kmod/finder.h"
#include "kmod/shared/siginfo.h"

struct held_tap {
	u32 place; /* what fires it: see hold_place() */
	u32 id, pid, flags;
	bool gone; /* it does not fire here any more */
	struct sonde_probe *probe;
};

struct held_taps {
	u32 count;
	unsigned long events; /* the union of their events */
	struct held_tap taps[]; /* in the order of places, then ids */
};

static struct sonde_deferred *hold_first_waiting(struct sonde_tracee *tracee)
{
	return list_first_entry_or_null(&tracee->waiting, struct sonde_deferred,
					node);
}

static void hold_free_one(struct sonde_deferred *deferred)
{
	list_del(&deferred->node);
	sonde_free(deferred);
}

static void hold_free_waiting(struct sonde_tracee *tracee)
{
	struct sonde_deferred *deferred;

	while ((deferred = hold_first_waiting(tracee)))
		hold_free_one(deferred);
}

static void hold_forget_waiting(struct sonde_tracee *tracee)
{
	hold_free_waiting(tracee);
	sonde_tracee_hold(tracee, false);
}

/* Only the thread itself accesses its waiting firings. */
static void hold_run_waiting(struct sonde_tracee *tracee)
{
	struct sonde_deferred *deferred;

	while (!READ_ONCE(tracee->held) && !READ_ONCE(tracee->dropped) &&
	       (deferred = hold_first_waiting(tracee)) &&
	       !sonde_fire_deferred(deferred, tracee)) {
		hold_free_one(deferred);
		cond_resched();
	}
}

static void hold_add_waiting(struct sonde_tracee *tracee,
			     const struct sonde_firing *firing,
			     struct sonde_probe *probe,
			     const struct sonde_leave *leave)
{
	struct sonde_deferred *deferred =
		sonde_defer_make(firing, probe, leave, GFP_KERNEL);

	if (deferred)
		list_add_tail(&deferred->node, &tracee->waiting);
	else
		sonde_lose_probe(firing->session, probe);
}

static bool hold_is_covered(struct sonde_session *session)
{
	bool covered;

	preempt_disable_notrace();
	covered = sonde_covers(session, current);
	preempt_enable_notrace();
	return covered;
}

static bool hold_is_call(u32 kind)
{
	return kind == SONDE_TAP_SYSCALL_ENTRY ||
	       kind == SONDE_TAP_SYSCALL_RETURN;
}

/* What fires a tap: its kind, for calls also the number. */
static u32 hold_place(u32 kind, u32 number)
{
	return kind * SONDE_CALLS + (hold_is_call(kind) ? number : 0);
}

/* Whether a tap comes before the one with this place and id. */
static bool hold_comes_before(const struct held_tap *tap, u32 place, u64 id)
{
	return tap->place < place || (tap->place == place && tap->id < id);
}

/* The index of the first tap that does not come before that one. */
static u32 hold_search(const struct held_taps *taps, u32 place, u64 id)
{
	u32 low = 0, high = taps->count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (hold_comes_before(&taps->taps[middle], place, id))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The next tap of this place that traces the current task; @id: the first one
 * that may be it, then the one after it. So the list may be replaced between
 * two taps. Return: its probe, or NULL.
 */
static struct sonde_probe *hold_next_probe(struct sonde_tracees *tracees,
					   u32 place, u64 *id)
{
	struct sonde_probe *probe = NULL;
	const struct held_taps *taps;
	u32 n;

	rcu_read_lock();
	taps = rcu_dereference(tracees->taps);
	for (n = taps ? hold_search(taps, place, *id) : 0;
	     taps && n < taps->count && !probe; n++) {
		const struct held_tap *tap = &taps->taps[n];

		if (tap->place != place)
			break;
		*id = tap->id + 1ull;
		if (!READ_ONCE(tap->gone) &&
		    sonde_tap_names(tracees->session, tap->pid, tap->flags,
				    current->tgid))
			probe = tap->probe;
	}
	rcu_read_unlock();
	return probe;
}

/* SIGKILL has come, and the thread is not at its end yet: its firings there do count. */
static bool hold_is_killed(u32 kind)
{
	return kind != SONDE_TAP_LWP_EXIT && kind != SONDE_TAP_EXIT &&
	       fatal_signal_pending(current);
}

/* An event: queues its firings after the waiting ones, and runs them unless the thread is held. */
static void hold_report(struct sonde_tracee *tracee, u32 kind,
			const struct sonde_firing *firing)
{
	u32 place = hold_place(kind, firing->call);
	struct sonde_probe *probe;
	u64 id = 0;

	if (READ_ONCE(tracee->dropped) || !hold_is_covered(firing->session))
		return;
	while ((probe = hold_next_probe(tracee->tracees, place, &id))) {
		if (hold_is_killed(kind))
			sonde_lose_probe(firing->session, probe);
		else
			hold_add_waiting(tracee, firing, probe, NULL);
		cond_resched();
	}
	hold_run_waiting(tracee);
}

static void hold_begin(struct sonde_firing *firing, struct sonde_tracee *tracee,
		       long call)
{
	memset(firing, 0, sizeof(*firing));
	firing->session = tracee->tracees->session;
	firing->task = current;
	firing->regs = task_pt_regs(current);
	firing->call = call;
}

static u32 hold_answer(struct sonde_tracee *tracee, u32 action)
{
	return (action & ~UTRACE_RESUME_MASK) | sonde_tracee_resume(tracee);
}

static u32 hold_on_entry(u32 action, struct utrace_engine *engine,
			 struct pt_regs *regs)
{
	struct sonde_tracee *tracee = engine->data;
	long call = syscall_get_nr(current, regs);
	struct sonde_firing firing;

	if (action & UTRACE_SYSCALL_RESUMED) {
		hold_run_waiting(tracee);
		return hold_answer(tracee, action);
	}
	if (sonde_call_is_compat() || (unsigned long)call >= SONDE_CALLS)
		return hold_answer(tracee, action);
	hold_begin(&firing, tracee, call);
	if (SONDE_IS_EXEC(call)) {
		firing.text_address =
			sonde_call_path(regs, call == __NR_execveat);
		firing.start.has_text = true;
		hold_report(tracee, SONDE_TAP_EXEC, &firing);
		firing.start.has_text = false;
	}
	sonde_fetch_registers(regs, true, firing.args);
	hold_report(tracee, SONDE_TAP_SYSCALL_ENTRY, &firing);
	return hold_answer(tracee, action);
}

static u32 hold_on_return(u32 action, struct utrace_engine *engine,
			  struct pt_regs *regs)
{
	struct sonde_tracee *tracee = engine->data;
	long call = syscall_get_nr(current, regs);
	long error = syscall_get_error(current, regs);
	struct sonde_firing firing;

	if (call == -1)
		call = __NR_rt_sigreturn; /* only rt_sigreturn ends without a number */
	if (sonde_call_is_compat() || (unsigned long)call >= SONDE_CALLS)
		return hold_answer(tracee, action);
	hold_begin(&firing, tracee, call);
	if (call != __NR_rt_sigreturn)
		firing.start.error = -error;
	if (firing.start.error && SONDE_IS_EXEC(call)) {
		firing.args[SONDE_ARG_EXEC_FAILURE_ERROR] = firing.start.error;
		hold_report(tracee, SONDE_TAP_EXEC_FAILURE, &firing);
	}
	sonde_result_args(firing.args, firing.start.error,
			  sonde_call_result(regs));
	hold_report(tracee, SONDE_TAP_SYSCALL_RETURN, &firing);
	return hold_answer(tracee, action);
}

static u32 hold_on_clone(u32 action, struct utrace_engine *engine,
			 unsigned long flags, struct task_struct *child)
{
	struct sonde_tracee *tracee = engine->data;
	struct sonde_firing firing;
	bool thread = flags & CLONE_THREAD;

	hold_begin(&firing, tracee,
		   syscall_get_nr(current, task_pt_regs(current)));
	sonde_create_args(firing.args, child->pid, flags);
	hold_report(tracee, thread ? SONDE_TAP_LWP_CREATE : SONDE_TAP_CREATE,
		    &firing);
	return hold_answer(tracee, action);
}

static u32 hold_on_exec(u32 action, struct utrace_engine *engine,
			const struct linux_binfmt *fmt,
			const struct linux_binprm *bprm, struct pt_regs *regs)
{
	struct sonde_tracee *tracee = engine->data;
	struct sonde_firing firing;

	hold_begin(&firing, tracee, __NR_execve);
	hold_report(tracee, SONDE_TAP_EXEC_SUCCESS, &firing);
	return hold_answer(tracee, action);
}

static void hold_report_birth(struct sonde_tracee *tracee)
{
	struct sonde_firing firing;

	tracee->newborn = false;
	hold_begin(&firing, tracee, -1);
	if (thread_group_leader(current))
		hold_report(tracee, SONDE_TAP_START, &firing);
	hold_report(tracee, SONDE_TAP_LWP_START, &firing);
}

/*
 * A new thread's first event may be its return from clone(). Then no separate
 * report comes first, so its birth is reported here, before any event.
 */
static u32 hold_on_quiesce(u32 action, struct utrace_engine *engine,
			   unsigned long event)
{
	struct sonde_tracee *tracee = engine->data;

	if (tracee->newborn)
		hold_report_birth(tracee);
	if (!event)
		hold_run_waiting(tracee);
	return hold_answer(tracee, action);
}

static u32 hold_on_signal(u32 action, struct utrace_engine *engine,
			  struct pt_regs *regs, kernel_siginfo_t *info,
			  const struct k_sigaction *orig_ka,
			  struct k_sigaction *return_ka)
{
	struct sonde_tracee *tracee = engine->data;
	u32 verdict = utrace_signal_action(action);
	struct sonde_firing firing;

	if (verdict == UTRACE_SIGNAL_REPORT || verdict == UTRACE_SIGNAL_HANDLER)
		return hold_on_quiesce(action, engine, 0); /* this replaces report_quiesce */
	hold_begin(&firing, tracee, -1);
	sonde_siginfo_args(firing.args, info->si_signo, info->si_errno,
			   info->si_code, &info->_sifields);
	if (verdict == UTRACE_SIGNAL_IGN) {
		sonde_receiver_args(firing.args, current->tgid, current->pid);
		hold_report(tracee, SONDE_TAP_SIGNAL_DISCARD, &firing);
	} else {
		if (orig_ka)
			firing.args[SONDE_ARG_SIGNAL_DELIVER_HANDLER] =
				(unsigned long)orig_ka->sa.sa_handler;
		hold_report(tracee, SONDE_TAP_SIGNAL_DELIVER, &firing);
	}
	return hold_answer(tracee, action);
}

/*
 * The status that wait() will return, in the last thread. It has not begun to
 * end yet, so the kernel has not made its code that of the group.
 */
static int hold_exit_status(long code)
{
	struct signal_struct *signal = current->signal;

	if (signal->flags & SIGNAL_GROUP_EXIT)
		return signal->group_exit_code;
	if (SONDE_LAST_THREAD_DECIDES || thread_group_leader(current))
		return code;
	return current->group_leader->exit_code;
}

static u32 hold_on_exit(u32 action, struct utrace_engine *engine,
			long orig_code, long *code)
{
	struct sonde_tracee *tracee = engine->data;
	struct sonde_firing firing;

	hold_forget_waiting(tracee); /* the thread was killed while it was held */
	spin_lock(&tracee->lock);
	tracee->mapped = 0;
	spin_unlock(&tracee->lock);
	hold_begin(&firing, tracee, -1);
	sonde_end_args(firing.args, *code);
	hold_report(tracee, SONDE_TAP_LWP_EXIT, &firing);
	if (sonde_tracee_exits_last(tracee)) {
		sonde_end_args(firing.args, hold_exit_status(*code));
		hold_report(tracee, SONDE_TAP_EXIT, &firing);
	}
	return hold_answer(tracee, action);
}

static u32 hold_on_death(struct utrace_engine *engine, bool group_dead,
			 int signal)
{
	struct sonde_tracee *tracee = engine->data;

	hold_forget_waiting(tracee);
	if (sonde_tracee_unlink(tracee))
		utrace_engine_put(engine);
	return UTRACE_DETACH;
}

static void hold_on_release(void *data)
{
	struct sonde_tracee *tracee = data;
	struct sonde_tracees *tracees = tracee->engine ? tracee->tracees : NULL;

	hold_free_waiting(tracee);
	sonde_free(tracee);
	if (tracees)
		sonde_tracees_put(tracees);
}

/* The events for kinds of taps; 0: always requested, or not an event of engines. */
static const unsigned long hold_events[SONDE_TAP_KIND_COUNT] = {
	[SONDE_TAP_SYSCALL_ENTRY] = UTRACE_EVENT(SYSCALL_ENTRY),
	[SONDE_TAP_EXEC] = UTRACE_EVENT(SYSCALL_ENTRY),
	[SONDE_TAP_SYSCALL_RETURN] = UTRACE_EVENT(SYSCALL_EXIT),
	[SONDE_TAP_EXEC_FAILURE] = UTRACE_EVENT(SYSCALL_EXIT),
	[SONDE_TAP_EXEC_SUCCESS] = UTRACE_EVENT(EXEC),
	[SONDE_TAP_SIGNAL_DELIVER] = UTRACE_EVENT_SIGNAL_ALL,
	[SONDE_TAP_SIGNAL_DISCARD] = UTRACE_EVENT_SIGNAL_ALL,
};

/**
 * sonde_hold_check() - whether this kernel supports holding threads
 * @kind: of the tap; a kind without an event of its own checks the common part
 * @why: the message for the user if not
 *
 * Context: Any.
 * Return: 0 or -EOPNOTSUPP.
 */
int sonde_hold_check(u32 kind, char *why)
{
	const char *missing =
		sonde_lacks(SONDE_HOLD_EVENTS | hold_events[kind]);

	if (!missing)
		return 0;
	return sonde_refuse(why, -EOPNOTSUPP,
			    "no thread can be held there: this kernel's %s is not the one that sonde knows (dmesg says more); another source does it",
			    missing);
}

/* Calls @visit for each tap that is on the engines' list, in the order of ids. */
static void hold_each_tap(struct sonde_session *session,
			  void (*visit)(void *data, struct sonde_armed *armed),
			  void *data)
{
	struct sonde_armed *armed;
	unsigned long id;

	xa_for_each(&session->taps, id, armed) {
		if (armed->held || armed->leaving)
			visit(data, armed);
		cond_resched();
	}
}

#define PLACES (SONDE_TAP_KIND_COUNT * SONDE_CALLS)

/* A list that is being made: taps are put in order by counting those of each place. */
struct held_making {
	struct held_taps *taps;
	u32 places[PLACES]; /* number of taps there; then the index of the next one */
};

static void hold_count_tap(void *data, struct sonde_armed *armed)
{
	struct held_making *making = data;

	making->places[hold_place(armed->tap.kind, armed->tap.number)]++;
}

static void hold_put_tap(void *data, struct sonde_armed *armed)
{
	u32 place = hold_place(armed->tap.kind, armed->tap.number);
	struct held_making *making = data;
	struct held_taps *taps = making->taps;

	taps->events |= hold_events[armed->tap.kind];
	taps->taps[making->places[place]++] = (struct held_tap){
		.place = place,
		.id = armed->tap.id,
		.pid = armed->tap.pid,
		.flags = armed->tap.flags,
		.probe = armed->probe,
		.gone = !armed->held,
	};
}

/* Replaces the counts by indices. Return: their sum. */
static u32 hold_sum_up(struct held_making *making)
{
	u32 sum = 0, n, here;

	for (n = 0; n < PLACES; n++) {
		here = making->places[n];
		making->places[n] = sum;
		sum += here;
	}
	return sum;
}

static void hold_note_some(void *data, struct sonde_armed *armed)
{
	*(bool *)data = true;
}

/* Return: NULL if no tap is held, or -ENOMEM. */
static struct held_taps *hold_make_taps(struct sonde_session *session)
{
	struct held_making *making;
	struct held_taps *taps = NULL;
	bool some = false;
	u32 count;

	hold_each_tap(session, hold_note_some, &some);
	if (!some)
		return NULL;
	making = kvzalloc(sizeof(*making), GFP_KERNEL);
	if (!making)
		return ERR_PTR(-ENOMEM);
	hold_each_tap(session, hold_count_tap, making);
	count = hold_sum_up(making);
	taps = sonde_alloc_within(&session->account->requested,
				  SONDE_MEMORY_HELD,
				  struct_size(taps, taps, count), GFP_KERNEL);
	making->taps = taps;
	if (taps) {
		taps->count = count;
		hold_each_tap(session, hold_put_tap, making);
	}
	kvfree(making);
	return taps ?: ERR_PTR(-ENOMEM);
}

/**
 * sonde_holds_mark() - let only held taps on the engines' list fire
 * @session: its lock is held
 *
 * Context: Process context. Allocates nothing.
 */
void sonde_holds_mark(struct sonde_session *session)
{
	struct sonde_tracees *tracees = session->tracees;
	struct held_taps *taps = NULL;
	u32 n;

	if (tracees)
		taps = rcu_dereference_protected(tracees->taps, true);
	for (n = 0; taps && n < taps->count; n++) {
		struct sonde_armed *armed = xa_load(&session->taps,
						    taps->taps[n].id);

		WRITE_ONCE(taps->taps[n].gone,
			   !armed || !armed->held ||
				   armed->probe != taps->taps[n].probe);
		cond_resched();
	}
}

/**
 * sonde_holds_update() - attach the engines that held taps and targets need
 * @session: its lock is held; taps or targets have changed
 *
 * Context: Process context. May sleep.
 * Return: 0, -ENOMEM, or an error of sonde_finder_follow().
 */
int sonde_holds_update(struct sonde_session *session)
{
	struct held_taps *fresh = hold_make_taps(session), *old;
	struct sonde_tracees *tracees = session->tracees;

	lockdep_assert_held(&session->lock);
	if (IS_ERR(fresh)) {
		sonde_holds_mark(session);
		return -ENOMEM;
	}
	if (!fresh && !tracees)
		return 0;
	tracees = sonde_tracees_of(session);
	if (!tracees) {
		sonde_free(fresh);
		return -ENOMEM;
	}
	old = rcu_dereference_protected(tracees->taps, true);
	rcu_assign_pointer(tracees->taps, fresh);
	if (old) {
		synchronize_rcu();
		sonde_free(old);
	}
	WRITE_ONCE(tracees->events,
		   SONDE_HOLD_EVENTS | (fresh ? fresh->events : 0));
	sonde_tracees_set_events(tracees);
	if (!fresh)
		return 0;
	return sonde_finder_follow(session->finder) ?:
	       sonde_tracees_take(tracees);
}

/**
 * sonde_hold_user() - fire a user tap whose probe has ECBs that hold
 * @armed: the tap; the session traces the current task
 * @firing: with the registers
 * @leave: as for sonde_fire_after()
 *
 * Context: The handler of a uprobe. May sleep.
 */
void sonde_hold_user(struct sonde_armed *armed, struct sonde_firing *firing,
		     const struct sonde_leave *leave)
{
	struct sonde_tracee *tracee = sonde_tracee_own(armed->session->tracees);

	if (!tracee) {
		if (current->tgid != armed->session->opener)
			sonde_lose_probe(armed->session, armed->probe);
		return;
	}
	hold_add_waiting(tracee, firing, armed->probe, leave);
	sonde_tracee_control(tracee, UTRACE_REPORT);
	utrace_engine_put(tracee->engine);
}

const struct utrace_engine_ops sonde_hold_ops = {
	.report_quiesce = hold_on_quiesce,
	.report_syscall_entry = hold_on_entry,
	.report_syscall_exit = hold_on_return,
	.report_clone = hold_on_clone,
	.report_exec = hold_on_exec,
	.report_signal = hold_on_signal,
	.report_exit = hold_on_exit,
	.report_death = hold_on_death,
	.release = hold_on_release,
};
