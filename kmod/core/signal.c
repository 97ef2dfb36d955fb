// SPDX-License-Identifier: GPL-2.0
/*
 * Signals and job control.
 *
 * Sending: a signal that the thread ignores, or that would kill it, must be
 * queued like any other. The kernel queues signals that are in real_blocked, so
 * the bit is set there between prepare_signal() and the signal_generate
 * tracepoint. Every sender passes both, and holds siglock from one to the
 * other.
 *
 * Dequeueing: get_signal() calls dequeue_signal() with &current->blocked. That
 * call is replaced: we dequeue a signal with a copy of the mask, drop siglock,
 * let the engines decide, and return the signal, the next one, or none. Faults
 * and step traps, which get_signal() dequeues by other means, are dequeued in
 * its hook, before it. What get_signal() cannot do for us (another handler, an
 * exit with another signal) is kept for its next call, whose hook does it
 * instead.
 *
 * dequeue_signal() clears TIF_SIGPENDING, without which get_signal() returns at
 * once. So it is set when a signal is kept.
 */
#include <linux/percpu.h>
#include <linux/sched/task_stack.h>
#include <linux/signal.h>
#include <linux/uprobes.h>

#include "kmod/arch.h"
#include "kmod/core/internal.h"

#define SYNCHRONOUS_MASK \
	(sigmask(SIGSEGV) | sigmask(SIGBUS) | sigmask(SIGILL) | \
	 sigmask(SIGTRAP) | sigmask(SIGFPE) | sigmask(SIGSYS))

/* States whose threads have a bit set in real_blocked by this CPU. */
static DEFINE_PER_CPU(struct utrace *, marked);

static struct tracepoint *generate_point;

/* Keeps the signal (kept, signr, info, ka) until a hook can act on it. */
void sonde_keep_signal(struct utrace *u, enum sonde_kept kept, int signr)
{
	unsigned long irq;

	spin_lock_irqsave(&u->lock, irq);
	u->kept = kept;
	u->signr = signr;
	sonde_recalc(u);
	spin_unlock_irqrestore(&u->lock, irq);
	sonde_set_sigpending(u);
}

/* Makes the current thread call get_signal() again if a signal is kept. */
void sonde_set_sigpending(struct utrace *u)
{
	if (u->kept || u->held_signr)
		set_tsk_thread_flag(current, TIF_SIGPENDING);
}

/* UTRACE_SIGNAL_HOLD: the signal in u->info shall be reported again. */
static void signal_hold(struct utrace *u)
{
	unsigned long irq;

	if (u->info.si_signo < 1 || u->info.si_signo > _NSIG)
		return;
	spin_lock_irqsave(&u->lock, irq);
	u->held = u->info;
	u->held_signr = u->info.si_signo;
	sonde_recalc(u);
	spin_unlock_irqrestore(&u->lock, irq);
}

/* Moves the held signal to u->info. Return: its number, or 0. */
static int signal_take_held(struct utrace *u)
{
	unsigned long irq;
	int signr;

	spin_lock_irqsave(&u->lock, irq);
	signr = u->held_signr;
	if (signr) {
		u->info = u->held;
		u->held_signr = 0;
		sonde_recalc(u);
	}
	spin_unlock_irqrestore(&u->lock, irq);
	return signr;
}

/*
 * Sending
 */

/* The kernel drops SIGKILL to a thread of an exiting group, so wake it here. */
static void signal_break_stop(struct utrace *u)
{
	unsigned long irq;

	spin_lock_irqsave(&u->lock, irq);
	u->killed = true;
	if (u->stopped) {
		u->stopped = false;
		wake_up_process(u->task);
	}
	spin_unlock_irqrestore(&u->lock, irq);
}

static void notrace signal_mark(struct utrace *u, int signr)
{
	if (sigismember(&u->task->real_blocked, signr) ||
	    !refcount_inc_not_zero(&u->ref))
		return;
	sigaddset(&u->task->real_blocked, signr);
	u->real_blocked = signr;
	u->real_next = this_cpu_read(marked);
	this_cpu_write(marked, u);
}

/*
 * Called in the ftrace handler of prepare_signal(); siglock is held. Also marks
 * stopped threads, because only SIGKILL may end their stop.
 */
void notrace sonde_prepare_signal(int signr, struct task_struct *task)
{
	struct task_struct *thread;
	struct utrace *u;

	if (!sonde_group_is_traced(task))
		return;
	for_each_thread(task, thread) {
		u = sonde_find(thread);
		if (!u)
			continue;
		if (signr != SIGKILL) {
			if ((READ_ONCE(u->flags) & UTRACE_EVENT_SIGNAL_ALL) ||
			    READ_ONCE(u->stopped))
				signal_mark(u, signr);
		} else if (task->signal->flags & SIGNAL_GROUP_EXIT) {
			signal_break_stop(u);
		}
	}
}

/* Probe of signal_generate, the last step of every sender; siglock is still held. */
static void signal_on_generate(void *data, int signr,
			       struct kernel_siginfo *info,
			       struct task_struct *task, int group, int result)
{
	struct utrace *u;

	while ((u = this_cpu_read(marked))) {
		this_cpu_write(marked, u->real_next);
		sigdelset(&u->task->real_blocked, u->real_blocked);
		u->real_blocked = 0;
		u->real_next = NULL;
		sonde_put(u);
	}
}

/*
 * Dequeueing
 */

static bool signal_same_action(const struct k_sigaction *a,
			       const struct k_sigaction *b)
{
	return a->sa.sa_handler == b->sa.sa_handler &&
	       a->sa.sa_flags == b->sa.sa_flags &&
	       a->sa.sa_restorer == b->sa.sa_restorer &&
	       sigequalsets(&a->sa.sa_mask, &b->sa.sa_mask);
}

static void signal_read_action(int signr, struct k_sigaction *ka)
{
	spin_lock_irq(&sonde_sighand()->siglock);
	*ka = sonde_sighand()->action[signr - 1];
	spin_unlock_irq(&sonde_sighand()->siglock);
}

/* The default action of @signr. */
static u32 signal_default_action(int signr)
{
	if (sig_kernel_ignore(signr))
		return UTRACE_SIGNAL_IGN;
	if (signr == SIGSTOP)
		return UTRACE_SIGNAL_STOP;
	if (sig_kernel_stop(signr))
		return UTRACE_SIGNAL_TSTP;
	return sig_kernel_coredump(signr) ? UTRACE_SIGNAL_CORE :
					    UTRACE_SIGNAL_TERM;
}

static u32 signal_action_of(int signr, const struct k_sigaction *ka)
{
	if (ka->sa.sa_handler == SIG_IGN)
		return UTRACE_SIGNAL_IGN;
	if (ka->sa.sa_handler != SIG_DFL)
		return UTRACE_SIGNAL_DELIVER;
	return signal_default_action(signr);
}

static unsigned long signal_event_of(u32 action)
{
	switch (action) {
	case UTRACE_SIGNAL_IGN: return UTRACE_EVENT(SIGNAL_IGN);
	case UTRACE_SIGNAL_TERM: return UTRACE_EVENT(SIGNAL_TERM);
	case UTRACE_SIGNAL_CORE: return UTRACE_EVENT(SIGNAL_CORE);
	case UTRACE_SIGNAL_STOP:
	case UTRACE_SIGNAL_TSTP: return UTRACE_EVENT(SIGNAL_STOP);
	default: return UTRACE_EVENT(SIGNAL);
	}
}

/* Lets dequeue_signal() return @signr, or queues it again if it is blocked. */
static void signal_hand(struct utrace *u, int signr)
{
	if (signr < 1 || signr > _NSIG) {
		sonde_keep_signal(u, SONDE_KEPT_NONE, 0);
	} else if (sigismember(&current->blocked, signr)) {
		send_sig_info(signr, &u->info, current);
		sonde_keep_signal(u, SONDE_KEPT_NONE, 0);
	} else {
		sonde_keep_signal(u, SONDE_KEPT_HAND, signr);
	}
}

static void signal_hand_stop(struct utrace *u, int signr)
{
	u->stop_signal = true;
	sonde_keep_signal(u, SONDE_KEPT_HAND, signr);
}

/* SIGTSTP with its rule for orphaned groups, also if it has a handler. */
static void signal_hand_tstp(struct utrace *u)
{
	struct k_sigaction ka;

	signal_read_action(SIGTSTP, &ka);
	if (ka.sa.sa_handler == SIG_DFL)
		signal_hand_stop(u, SIGTSTP);
	else if (!sonde_kernel.is_current_pgrp_orphaned())
		signal_hand_stop(u, SIGSTOP);
	else
		sonde_keep_signal(u, SONDE_KEPT_NONE, 0);
}

/* Prepares @action for the signal in u->info; a handler is the one in u->ka. */
static void signal_carry_out(struct utrace *u, u32 action)
{
	int signr = u->info.si_signo;

	switch (action) {
	case UTRACE_SIGNAL_DELIVER:
		sonde_keep_signal(u, SONDE_KEPT_DELIVER, signr);
		break;
	case UTRACE_SIGNAL_TERM:
		sonde_keep_signal(u, SONDE_KEPT_TERM, signr);
		break;
	case UTRACE_SIGNAL_CORE:
		sonde_keep_signal(u, SONDE_KEPT_CORE, signr);
		break;
	case UTRACE_SIGNAL_STOP:
		signal_hand_stop(u, SIGSTOP);
		break;
	case UTRACE_SIGNAL_TSTP:
		signal_hand_tstp(u);
		break;
	default:	/* ignored, or no action was requested */
		sonde_keep_signal(u, SONDE_KEPT_NONE, 0);
		break;
	}
}

/*
 * Carries out @bits, the final answer of the engines. @signr and @usual are
 * what would have happened without engines, 0 if there was no signal.
 */
static void signal_decide(struct utrace *u, u32 bits, int signr, u32 usual,
			  const struct k_sigaction *orig_ka,
			  const struct k_sigaction *return_ka)
{
	bool same = orig_ka && signal_same_action(orig_ka, return_ka);
	u32 action = utrace_signal_action(bits);
	int number = u->info.si_signo;

	u->stop_signal = false;
	if (bits & UTRACE_SIGNAL_HOLD)
		signal_hold(u);
	if (action == usual && number == signr && (!orig_ka || same)) {
		signal_hand(u, signr);
	} else if (action != UTRACE_SIGNAL_DELIVER) {
		signal_carry_out(u, action);
	} else if (same || number < 1 || number > _NSIG) {
		signal_hand(u, number);
	} else {
		u->ka = *return_ka;
		signal_carry_out(u, signal_action_of(number, return_ka));
	}
}

/*
 * A requested step ends with the first trap, or at the set-up of a handler.
 * Return: whether one was requested.
 */
static bool signal_step_done(struct utrace *u)
{
	struct utrace_engine *engine;
	bool stepped = false;

	spin_lock_irq(&u->lock);
	list_for_each_entry(engine, &u->engines, link)
		if (engine->resume == UTRACE_SINGLESTEP ||
		    engine->resume == UTRACE_BLOCKSTEP) {
			engine->resume = UTRACE_RESUME;
			stepped = true;
		}
	spin_unlock_irq(&u->lock);
	return stepped;
}

/* Reports the signal in u->info, stops, and leaves the decision in u->kept. */
static void signal_report_signal(struct utrace *u, int signr)
{
	struct k_sigaction orig_ka, return_ka;
	struct sonde_report r = { .regs = task_pt_regs(current) };
	u32 usual;

	signal_read_action(signr, &orig_ka);
	return_ka = orig_ka;
	usual = signal_action_of(signr, &orig_ka);
	r.event = signal_event_of(usual);
	r.bits = usual;
	r.signal.info = &u->info;
	r.signal.orig_ka = &orig_ka;
	r.signal.return_ka = &return_ka;
	if (signr == SIGTRAP && u->stepping)
		signal_step_done(u);
	sonde_report(u, &r);
	signal_decide(u, r.bits, signr, usual, &orig_ka, &return_ka);
	if (sonde_wants_stop(u))
		sonde_stop(u);
	sonde_queue_if_needed(u);
}

/* If the held signal is blocked by now, it goes back to the kernel's queue. */
static void signal_report_held(struct utrace *u)
{
	int signr = signal_take_held(u);

	if (sigismember(&current->blocked, signr))
		send_sig_info(signr, &u->info, current);
	else
		signal_report_signal(u, signr);
}

/* A report without a signal, in which an engine may generate one. */
static void signal_report_none(struct utrace *u, struct sonde_report *r)
{
	struct k_sigaction return_ka = { };
	kernel_siginfo_t kept = u->info;
	u32 usual = r->bits;

	r->regs = task_pt_regs(current);
	r->signal.info = u->kept ? &kept : &u->info;
	r->signal.return_ka = &return_ka;
	sonde_report(u, r);
	if (!u->kept && utrace_signal_action(r->bits) != usual &&
	    !sonde_lacks(UTRACE_EVENT_SIGNAL_ALL))
		signal_decide(u, r->bits, 0, usual, NULL, &return_ka);
}

/*
 * An engine asked for a report: calls report_quiesce(0), or report_signal for
 * engines without report_quiesce.
 */
void sonde_report_request(struct utrace *u)
{
	struct sonde_report r = {
		.event = SONDE_EVENT_REPORT, .bits = UTRACE_SIGNAL_REPORT,
	};

	signal_report_none(u, &r);
}

/*
 * A signal handler was set up. This report also serves as a report that an
 * engine asked for; an engine that steps counts as asking.
 */
void sonde_report_handler(struct utrace *u)
{
	struct sonde_report r = {
		.event = SONDE_EVENT_HANDLER, .bits = UTRACE_SIGNAL_HANDLER,
	};

	r.requested = sonde_take_report(u);
	r.requested |= signal_step_done(u);
	if (!u->kept)
		clear_siginfo(&u->info);
	signal_report_none(u, &r);
}

/* A fault or trap of the thread itself, which get_signal() would dequeue first. */
static int signal_synchronous(void)
{
	struct sigpending *pending = &current->pending;
	struct sigqueue *q;
	int signr = 0;

	lockdep_assert_held(&sonde_sighand()->siglock);
	list_for_each_entry(q, &pending->list, list) {
		if (q->info.si_code > SI_USER &&
		    (sigmask(q->info.si_signo) & SYNCHRONOUS_MASK) &&
		    q->info.si_signo < 32 &&
		    !sigismember(&current->blocked, q->info.si_signo)) {
			signr = q->info.si_signo;
			break;
		}
	}
	return signr;
}

static void signal_report_synchronous(struct utrace *u)
{
	sigset_t mask;
	int signr;

	if (!(READ_ONCE(u->flags) & UTRACE_EVENT_SIGNAL_ALL))
		return;
	spin_lock_irq(&sonde_sighand()->siglock);
	signr = signal_synchronous();
	if (signr && !sonde_immutable(signr)) {
		sigfillset(&mask);
		sigdelset(&mask, signr);
		signr = sonde_dequeue_signal(&mask, &u->info);
	} else {
		signr = 0;
	}
	recalc_sigpending();
	spin_unlock_irq(&sonde_sighand()->siglock);
	if (signr)
		signal_report_signal(u, signr);
}

/* Whether the group is being killed: then all signals are passed on. */
static bool signal_killed(struct utrace *u)
{
	if (sonde_group_exits(current->signal) ||
	    __fatal_signal_pending(current))
		u->killed = true;
	return u->killed;
}

/* Does what get_signal() cannot do. Return: the address to continue at. */
static unsigned long signal_act(struct utrace *u, struct sonde_args *args)
{
	struct ksignal *ksig = (struct ksignal *)SONDE_ARG(args, 0);
	enum sonde_kept kept = u->kept;

	switch (kept) {
	case SONDE_KEPT_DELIVER:
		ksig->sig = u->signr;
		ksig->info = u->info;
		ksig->ka = u->ka;
		sonde_keep_signal(u, SONDE_KEPT_NONE, 0);
		args->ret = 1;
		return 0;
	case SONDE_KEPT_CORE:
		sonde_kernel.do_coredump(&u->info);
		fallthrough;
	case SONDE_KEPT_TERM:
		current->flags |= PF_SIGNALED;
		SONDE_ARG(args, 0) = u->info.si_signo;
		sonde_keep_signal(u, SONDE_KEPT_NONE, 0);
		return (unsigned long)sonde_kernel.do_group_exit;
	default:
		return sonde_body(SONDE_HOOK_GET_SIGNAL);
	}
}

static unsigned long signal_before_signals(struct utrace *u,
					   struct sonde_args *args)
{
	if (signal_killed(u))
		goto out_body;
	sonde_safe_point(u);
	if (signal_killed(u))
		goto out_body;
	/* A probed instruction is being stepped out of line: not now. */
	if (current->utask && current->utask->active_uprobe)
		goto out_body;
	if (u->kept == SONDE_KEPT_NONE && u->held_signr)
		signal_report_held(u);
	if (u->kept == SONDE_KEPT_NONE)
		signal_report_synchronous(u);
	if (signal_killed(u))
		goto out_body;
	sonde_step(u);
	return signal_act(u, args);
out_body:
	return sonde_body(SONDE_HOOK_GET_SIGNAL);
}

unsigned long sonde_hook_get_signal(struct sonde_args *args)
{
	unsigned long next = sonde_body(SONDE_HOOK_GET_SIGNAL);
	struct utrace *u = sonde_enter();

	if (u)
		next = signal_before_signals(u, args);
	sonde_leave(u);
	return next;
}

/* In the ftrace handler: whether the caller is get_signal(), for a traced thread. */
bool notrace sonde_wants_dequeue(const struct sonde_args *args)
{
	if (SONDE_DEQUEUE_MASK(args) != (unsigned long)&current->blocked)
		return false;
	return sonde_flags(current) &
		(UTRACE_EVENT_SIGNAL_ALL | SONDE_FLAG_KEPT);
}

/* siglock is held; it is dropped during the reports. */
static int signal_take_signal(struct utrace *u, kernel_siginfo_t *info)
	__must_hold(&sonde_sighand()->siglock)
{
	sigset_t mask;
	int signr;

	lockdep_assert_held(&sonde_sighand()->siglock);
	for (;;) {
		if (u->kept == SONDE_KEPT_HAND) {
			signr = u->signr;
			*info = u->info;
			if (u->stop_signal)
				current->jobctl |= JOBCTL_STOP_DEQUEUED;
			sonde_keep_signal(u, SONDE_KEPT_NONE, 0);
			return signr;
		}
		if (u->kept != SONDE_KEPT_NONE) {
			sonde_set_sigpending(u);
			return 0;
		}
		signr = 0;
		if (!u->held_signr) {
			mask = current->blocked;
			signr = sonde_dequeue_signal(&mask, &u->info);
			if (!signr || signr == SIGKILL ||
			    sonde_immutable(signr)) {
				if (signr == SIGKILL)
					WRITE_ONCE(u->killed, true);
				*info = u->info;
				return signr;
			}
		}
		spin_unlock_irq(&sonde_sighand()->siglock);
		if (signr)
			signal_report_signal(u, signr);
		else
			signal_report_held(u);
		spin_lock_irq(&sonde_sighand()->siglock);
	}
}

unsigned long sonde_hook_dequeue_signal(struct sonde_args *args)
{
	unsigned long next = sonde_body(SONDE_HOOK_DEQUEUE_SIGNAL);
	struct utrace *u = sonde_enter();

	if (u) {
		kernel_siginfo_t *info;

		info = (kernel_siginfo_t *)SONDE_DEQUEUE_INFO(args);
		sonde_dequeue_set_type(args);
		args->ret = signal_take_signal(u, info);
		next = 0;
	}
	sonde_leave(u);
	return next;
}

unsigned long sonde_hook_setup_done(struct sonde_args *args)
{
	struct utrace *u;

	sonde_hooks_enter();
	u = (int)SONDE_ARG(args, 0) ? NULL : sonde_find_get(current);
	if (u) {
		sonde_defer_report(u, SONDE_DEFERRED_HANDLER);
		sonde_put(u);
	}
	sonde_hooks_leave();
	return sonde_body(SONDE_HOOK_SETUP_DONE);
}

/*
 * Job control
 */

static void signal_report_jctl(struct utrace *u, int type, int notify)
{
	struct sonde_report r = {
		.event = UTRACE_EVENT(JCTL),
		.regs = task_pt_regs(current),
		.jctl = { .type = type, .notify = notify },
	};

	sonde_report(u, &r);
}

void sonde_report_continued(struct utrace *u)
{
	signal_report_jctl(u, CLD_CONTINUED, xchg(&u->notified, 0));
}

/*
 * In the ftrace handler of do_notify_parent_cldstop(): the current thread
 * notifies its parent of @why. A call from get_signal() is about continuing;
 * do_signal_stop() has already reported the other kind.
 */
void notrace sonde_notifies_parent(struct task_struct *task, bool for_ptracer,
				   int why)
{
	struct utrace *u;

	if (task != current || for_ptracer ||
	    (current->signal->flags & SIGNAL_STOP_STOPPED))
		return;
	u = sonde_find(current);
	if (u)
		WRITE_ONCE(u->notified, why);
}

/* The code with which the parent will be notified, or 0: the last thread to stop notifies it. */
static int signal_stop_notify(void)
{
	if (current->jobctl & JOBCTL_STOP_PENDING)
		return current->signal->group_stop_count <= 1 ?
			CLD_STOPPED : 0;
	return thread_group_empty(current) ? CLD_STOPPED : 0;
}

/* siglock is held; it is dropped during the report. */
unsigned long sonde_hook_signal_stop(struct sonde_args *args)
{
	unsigned long next = sonde_body(SONDE_HOOK_SIGNAL_STOP);
	int notify, signr = SONDE_ARG(args, 0);
	struct utrace *u;

	lockdep_assert_held(&sonde_sighand()->siglock);
	if (signr && !(current->jobctl &
		       (JOBCTL_STOP_PENDING | JOBCTL_STOP_DEQUEUED)))
		return next;
	u = sonde_enter();
	if (u) {
		notify = signal_stop_notify();
		WRITE_ONCE(u->notified, 0);
		spin_unlock_irq(&sonde_sighand()->siglock);
		signal_report_jctl(u, CLD_STOPPED, notify);
		sonde_defer_report(u, SONDE_DEFERRED_CONTINUED);
		spin_lock_irq(&sonde_sighand()->siglock);
		/* A SIGCONT came meanwhile, so there is no stop to join. */
		if (!signr && !(current->jobctl & JOBCTL_STOP_PENDING)) {
			args->ret = false;
			next = 0;
		}
	}
	sonde_leave(u);
	return next;
}

/*
 * At the unload
 */

struct unsent {
	int signr;
	kernel_siginfo_t info;
};

static void signal_resend(struct task_struct *task, struct unsent *signal)
{
	if (!signal->signr)
		return;
	signal->info.si_signo = signal->signr;
	send_sig_info(signal->signr, &signal->info, task);
}

/* Takes the kept and the held signal of @u, to send them again. The thread stands still. */
static void signal_take_unsent(struct utrace *u, struct unsent *kept,
			       struct unsent *held)
{
	unsigned long irq;

	spin_lock_irqsave(&u->lock, irq);
	kept->info = u->info;
	kept->signr = u->kept ? u->signr : 0;
	/* An exit with another status is better than no exit. */
	if (u->kept == SONDE_KEPT_TERM || u->kept == SONDE_KEPT_CORE)
		kept->signr = SIGKILL;
	held->info = u->held;
	held->signr = u->held_signr;
	u->kept = SONDE_KEPT_NONE;
	u->held_signr = 0;
	if (u->stepping) {
		/* Otherwise the next call would clear it, and turn interrupts on. */
		sonde_clear_block_step(u->task);
		sonde_kernel.user_disable_single_step(u->task);
	}
	u->stepping = false;
	sonde_recalc(u);
	spin_unlock_irqrestore(&u->lock, irq);
}

/*
 * A thread in a job control stop or a ptrace stop may stay there for ever, so
 * its stepping is turned off and its signals are queued again from here. It
 * cannot be woken without siglock.
 * Return: whether that was done.
 */
bool sonde_finish_stopped(struct utrace *u)
{
	struct task_struct *task = u->task;
	struct unsent kept, held;
	struct sighand_struct *sighand;
	bool still = false;
	unsigned long irq;

	rcu_read_lock();
	sighand = rcu_dereference(task->sighand);
	if (!sighand)
		goto out_rcu;
	spin_lock_irqsave(&sighand->siglock, irq);
	still = sighand == rcu_access_pointer(task->sighand) &&
		sonde_stands_still(task) && !READ_ONCE(task->on_cpu);
	if (still)
		signal_take_unsent(u, &kept, &held);
	spin_unlock_irqrestore(&sighand->siglock, irq);
out_rcu:
	rcu_read_unlock();
	if (still) {
		signal_resend(task, &held);
		signal_resend(task, &kept);
	}
	return still;
}

int sonde_signal_init(void)
{
	generate_point = sonde_tracepoint("signal_generate");
	if (!generate_point)
		return -ENOENT;
	return tracepoint_probe_register(generate_point, signal_on_generate,
					 NULL);
}

void sonde_signal_stop(void)
{
	tracepoint_probe_unregister(generate_point, signal_on_generate, NULL);
	tracepoint_synchronize_unregister();
}
