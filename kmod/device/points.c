// SPDX-License-Identifier: GPL-2.0
/*
 * Taps on tracepoints
 *
 *   task_newtask     CREATE, LWP_CREATE; START, LWP_START by a task work in the
 *                    new thread
 *   sched_process_exec
 *   sched_process_exit   EXIT, LWP_EXIT, if taskstats_exit() cannot be hooked
 *   sched_process_free   none; a thread's variables end there
 *   signal_generate  SIGNAL_SEND; SIGNAL_DISCARD if it is ignored at once
 *   signal_deliver   SIGNAL_DELIVER; SIGNAL_DISCARD if it is ignored then
 *
 * While a tap needs it, a session registers a probe of its own on a tracepoint,
 * with itself as the probe's data. So the probe need not look up its session.
 *
 * At sched_process_exit a thread has no memory any more, up to 6.15. So EXIT
 * and LWP_EXIT fire a little earlier, at the core's hook on taskstats_exit(),
 * where stacks can be walked, and firings that lack memory can wait for it. That
 * hook serves all sessions: those with such taps are in a list.
 *
 * Locks: session->lock > ends_lock.
 */
#include <linux/binfmts.h>
#include <linux/cred.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <asm/syscall.h>
#include <asm/unistd.h>
#include <trace/events/signal.h>

#include "kmod/core/hooks.h"
#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/deferred.h"
#include "kmod/device/fire.h"
#include "kmod/device/reenter.h"
#include "kmod/device/session.h"
#include "kmod/device/syscalls.h"
#include "kmod/device/tap.h"
#include "kmod/device/targets.h"
#include "kmod/device/task_work.h"
#include "kmod/finder.h"
#include "kmod/shared/siginfo.h"

static void point_fire_kind(struct sonde_firing *firing,
			    enum sonde_tap_kind kind)
{
	const struct sonde_site *site =
		rcu_dereference_sched(firing->session->kinds[kind]);

	if (site)
		sonde_fire_site(firing, site);
}

/* Counts the records of a firing of this kind in @task that is not made. */
static void point_lose_kind(struct sonde_session *session,
			    struct task_struct *task, enum sonde_tap_kind kind)
{
	const struct sonde_site *site =
		rcu_dereference_sched(session->kinds[kind]);

	if (site)
		sonde_lose_site(session, site, task);
}

static bool point_has_registers(void)
{
	return !(current->flags & PF_KTHREAD) && current->mm;
}

/*
 * Begins a firing in the current thread, if the session traces it. Return:
 * whether it does. Preemption is off.
 */
static bool point_begin(struct sonde_firing *firing,
			struct sonde_session *session)
{
	if (!sonde_covers(session, current))
		return false;
	memset(firing, 0, sizeof(*firing));
	firing->session = session;
	firing->task = current;
	firing->call = -1;
	if (point_has_registers())
		firing->regs = task_pt_regs(current);
	return true;
}

/*
 * START, LWP_START and the return from clone in the new thread: a work that it
 * runs before anything else
 */

static void point_fire_start(struct sonde_session *session)
{
	struct sonde_firing firing;

	preempt_disable_notrace();
	if (point_begin(&firing, session)) {
		if (thread_group_leader(current))
			point_fire_kind(&firing, SONDE_TAP_START);
		point_fire_kind(&firing, SONDE_TAP_LWP_START);
		sonde_syscall_newborn(session);
	}
	preempt_enable_notrace();
}

static void point_run_newborn(struct sonde_task_work *work, bool over)
{
	if (!over && !(current->flags & PF_EXITING))
		point_fire_start(work->session);
	sonde_free(work);
}

static void point_want_start(struct sonde_session *session,
			     struct task_struct *task)
{
	struct sonde_task_work *newborn;

	if (!rcu_access_pointer(session->kinds[SONDE_TAP_START]) &&
	    !rcu_access_pointer(session->kinds[SONDE_TAP_LWP_START]) &&
	    !sonde_syscalls_want_newborns(session))
		return;
	newborn = sonde_alloc_within(&session->account->fired, SONDE_MEMORY_LATE,
				     sizeof(*newborn), GFP_NOWAIT);
	if (newborn) {
		newborn->run = point_run_newborn;
		if (!sonde_task_work_queue(newborn, session, task))
			return;
		sonde_free(newborn);
	}
	if (thread_group_leader(task))
		point_lose_kind(session, task, SONDE_TAP_START);
	point_lose_kind(session, task, SONDE_TAP_LWP_START);
	sonde_syscalls_lose_newborn(session, task);
}

static void point_probe_newtask(void *data, struct task_struct *task,
				unsigned long flags)
{
	struct sonde_session *session = data;
	struct sonde_firing firing;

	if (!point_has_registers() ||
	    (task->flags & (PF_KTHREAD | PF_IO_WORKER)))
		return;
	preempt_disable_notrace();
	if (point_begin(&firing, session)) {
		firing.call = syscall_get_nr(current, firing.regs);
		sonde_create_args(firing.args, task->pid, flags);
		point_fire_kind(&firing, flags & CLONE_THREAD ?
						 SONDE_TAP_LWP_CREATE :
						 SONDE_TAP_CREATE);
		point_want_start(session, task);
	}
	preempt_enable_notrace();
}

static void point_probe_exec(void *data, struct task_struct *task,
			     pid_t old_pid, struct linux_binprm *bprm)
{
	struct sonde_session *session = data;
	struct sonde_firing firing;

	preempt_disable_notrace();
	if (point_begin(&firing, session)) {
		firing.call = __NR_execve;
		point_fire_kind(&firing, SONDE_TAP_EXEC_SUCCESS);
	}
	preempt_enable_notrace();
}

static void point_fire_end(struct sonde_firing *firing,
			   enum sonde_tap_kind kind, int status)
{
	sonde_end_args(firing->args, status);
	point_fire_kind(firing, kind);
}

/* The current thread ends. Preemption is off. */
static void point_fire_ends(struct sonde_session *session)
{
	struct sonde_firing firing;

	if (!point_begin(&firing, session))
		return;
	point_fire_end(&firing, SONDE_TAP_LWP_EXIT, current->exit_code);
	if (sonde_finder_is_last())
		point_fire_end(&firing, SONDE_TAP_EXIT, sonde_exit_status());
}

static DEFINE_MUTEX(ends_lock); /* protects ends */
static LIST_HEAD(ends);

/* Called by the core's hook. */
static void point_thread_ends(void)
{
	struct sonde_session *session;

	if (current->flags & PF_KTHREAD)
		return; /* its memory is borrowed */
	rcu_read_lock();
	list_for_each_entry_rcu(session, &ends, ends_node) {
		preempt_disable_notrace();
		point_fire_ends(session);
		preempt_enable_notrace();
	}
	rcu_read_unlock();
	sonde_run_deferred(); /* later there is no memory to bring in */
}

static bool point_can_see_ends(void)
{
	return !sonde_hook_missing(SONDE_HOOK_ENDS);
}

static void point_watch_ends(struct sonde_session *session, bool watches)
{
	if (session->sees_ends == watches)
		return;
	mutex_lock(&ends_lock);
	if (watches)
		list_add_rcu(&session->ends_node, &ends);
	else
		list_del_rcu(&session->ends_node);
	WRITE_ONCE(sonde_ends_wanted, !list_empty(&ends));
	mutex_unlock(&ends_lock);
	session->sees_ends = watches;
	if (!watches)
		synchronize_rcu(); /* a thread may be at the node */
}

static void point_probe_exit(void *data, struct task_struct *task)
{
	struct sonde_session *session = data;

	if (current->flags & PF_KTHREAD)
		return;
	preempt_disable_notrace();
	if (!point_can_see_ends())
		point_fire_ends(session);
	sonde_reenter_forget(session);
	preempt_enable_notrace();
}

/* Nothing fires in the task any more. */
static void point_probe_free(void *data, struct task_struct *task)
{
	sonde_thread_forget(data, task);
}

static bool point_is_plain(const struct kernel_siginfo *info)
{
	return (unsigned long)info > 1; /* not SEND_SIG_NOINFO or _PRIV */
}

/* A signal without siginfo is sent by a process that calls kill(), or by the kernel. */
static void point_put_signal(struct sonde_firing *firing, int number,
			     const struct kernel_siginfo *info)
{
	struct kernel_siginfo made = {};

	if (!point_is_plain(info)) {
		made.si_code = info == SEND_SIG_NOINFO ? SI_USER : SI_KERNEL;
		if (info == SEND_SIG_NOINFO) {
			made.si_pid = current->tgid;
			made.si_uid = from_kuid(&init_user_ns, current_uid());
		}
		info = &made;
	}
	sonde_siginfo_args(firing->args, number, info->si_errno, info->si_code,
			   &info->_sifields);
}

/*
 * A signal that is ignored when it is sent. The tracepoint runs in the sender,
 * which may not be traced, or in an interrupt of any thread. So the receiver
 * fires, before it returns to user mode.
 */
struct discarded {
	struct sonde_task_work work;
	u64 args[SONDE_DIF_ARGS];
};

static void point_run_discarded(struct sonde_task_work *work, bool over)
{
	struct discarded *discarded = container_of(work, struct discarded, work);
	struct sonde_session *session = work->session;
	struct sonde_firing firing;

	preempt_disable_notrace();
	if (!over && point_begin(&firing, session)) {
		memcpy(firing.args, discarded->args, sizeof(firing.args));
		point_fire_kind(&firing, SONDE_TAP_SIGNAL_DISCARD);
	} else if (!over) {
		/* an exec came between, or the session's end */
		point_lose_kind(session, current, SONDE_TAP_SIGNAL_DISCARD);
	}
	preempt_enable_notrace();
	atomic_dec(&session->discards);
	sonde_free(discarded);
}

static void point_discard_later(struct sonde_session *session,
				struct task_struct *task, const u64 *args)
{
	struct discarded *discarded = NULL;

	if (!rcu_access_pointer(session->kinds[SONDE_TAP_SIGNAL_DISCARD]))
		return;
	if (atomic_inc_return(&session->discards) <= SONDE_DISCARDS)
		discarded = sonde_alloc_within(&session->account->fired, SONDE_MEMORY_LATE,
					       sizeof(*discarded), GFP_NOWAIT);
	if (discarded) {
		discarded->work.run = point_run_discarded;
		memcpy(discarded->args, args, sizeof(discarded->args));
		if (!sonde_task_work_queue(&discarded->work, session, task))
			return;
		sonde_free(discarded); /* the thread ends */
	}
	atomic_dec(&session->discards);
	point_lose_kind(session, task, SONDE_TAP_SIGNAL_DISCARD);
}

static void point_probe_generate(void *data, int number,
				 struct kernel_siginfo *info,
				 struct task_struct *task, int group,
				 int result)
{
	struct sonde_session *session = data;
	struct sonde_firing firing = {};

	preempt_disable_notrace();
	if (in_task() && point_begin(&firing, session)) {
		point_put_signal(&firing, number, info);
		sonde_receiver_args(firing.args, task->tgid, task->pid);
		point_fire_kind(&firing, SONDE_TAP_SIGNAL_SEND);
	}
	if (result == TRACE_SIGNAL_IGNORED && sonde_covers(session, task)) {
		point_put_signal(&firing, number, info);
		sonde_receiver_args(firing.args, task->tgid, task->pid);
		point_discard_later(session, task, firing.args);
	}
	preempt_enable_notrace();
}

static bool point_is_ignored(int number, const struct k_sigaction *action)
{
	return action->sa.sa_handler == SIG_IGN ||
	       (action->sa.sa_handler == SIG_DFL && sig_kernel_ignore(number));
}

/*
 * A signal that ends the group at once (complete_signal()) is delivered as
 * SIGKILL. The exit code has the original number.
 */
static int point_given_number(int number)
{
	const struct signal_struct *signal = current->signal;

	if (number != SIGKILL || !(signal->flags & SIGNAL_GROUP_EXIT))
		return number;
	return signal->group_exit_code & 0x7f ?: number;
}

static void point_probe_deliver(void *data, int number,
				struct kernel_siginfo *info,
				struct k_sigaction *action)
{
	struct sonde_session *session = data;
	struct sonde_firing firing;

	preempt_disable_notrace();
	if (point_begin(&firing, session)) {
		point_put_signal(&firing, point_given_number(number), info);
		if (point_is_ignored(number, action)) {
			sonde_receiver_args(firing.args, current->tgid,
					    current->pid);
			point_fire_kind(&firing, SONDE_TAP_SIGNAL_DISCARD);
		} else {
			firing.args[SONDE_ARG_SIGNAL_DELIVER_HANDLER] =
				(unsigned long)action->sa.sa_handler;
			point_fire_kind(&firing, SONDE_TAP_SIGNAL_DELIVER);
		}
	}
	preempt_enable_notrace();
}

#define KINDS_NEWTASK \
	(BIT(SONDE_TAP_CREATE) | BIT(SONDE_TAP_LWP_CREATE) | \
	 BIT(SONDE_TAP_START) | BIT(SONDE_TAP_LWP_START))
#define KINDS_EXIT (BIT(SONDE_TAP_EXIT) | BIT(SONDE_TAP_LWP_EXIT))
#define KINDS_GENERATE \
	(BIT(SONDE_TAP_SIGNAL_SEND) | BIT(SONDE_TAP_SIGNAL_DISCARD))
#define KINDS_DELIVER \
	(BIT(SONDE_TAP_SIGNAL_DELIVER) | BIT(SONDE_TAP_SIGNAL_DISCARD))

static struct point {
	const char *name;
	void *probe;
	u32 kinds; /* of the taps that need it, one bit each */
	struct tracepoint *tracepoint;
} points[SONDE_POINT_COUNT] __ro_after_init = {
	[SONDE_POINT_NEWTASK] = { "task_newtask", point_probe_newtask,
				  KINDS_NEWTASK },
	[SONDE_POINT_EXEC] = { "sched_process_exec", point_probe_exec,
			       BIT(SONDE_TAP_EXEC_SUCCESS) },
	[SONDE_POINT_EXIT] = { "sched_process_exit", point_probe_exit,
			       KINDS_EXIT },
	[SONDE_POINT_FREE] = { "sched_process_free", point_probe_free, 0 },
	[SONDE_POINT_SIGNAL_GENERATE] = { "signal_generate",
					  point_probe_generate,
					  KINDS_GENERATE },
	[SONDE_POINT_SIGNAL_DELIVER] = { "signal_deliver",
					 point_probe_deliver, KINDS_DELIVER },
};

/**
 * sonde_points_init() - find the tracepoints
 *
 * If this kernel lacks one, a tap that needs it is refused.
 *
 * Context: Process context, module load.
 */
void sonde_points_init(void)
{
	int n;

	for (n = 0; n < SONDE_POINT_COUNT; n++)
		points[n].tracepoint = sonde_tracepoint(points[n].name);
	if (point_can_see_ends())
		points[SONDE_POINT_EXIT].kinds = 0;
	sonde_ends = point_thread_ends;
}

/* Whether the session has taps on the ends of threads that the hook serves. */
static bool point_wants_ends(const struct sonde_session *session)
{
	return point_can_see_ends() && (session->tap_count[SONDE_TAP_EXIT] ||
					session->tap_count[SONDE_TAP_LWP_EXIT]);
}

/* The tracepoints that the session needs, one bit each. */
static u32 points_wanted(struct sonde_session *session)
{
	struct sonde_program *program;
	unsigned long id;
	u32 kinds = 0, wanted = 0, n;

	for (n = 0; n < SONDE_TAP_KIND_COUNT; n++)
		if (session->tap_count[n])
			kinds |= BIT(n);
	for (n = 0; n < SONDE_POINT_COUNT; n++)
		if (points[n].kinds & kinds)
			wanted |= BIT(n);
	if (session->reenter_taps)
		wanted |= BIT(SONDE_POINT_EXIT);
	if (sonde_syscalls_want_newborns(session))
		wanted |= BIT(SONDE_POINT_NEWTASK);
	xa_for_each(&session->programs, id, program)
		if (program->needs & SONDE_NEED_THREAD)
			wanted |= BIT(SONDE_POINT_FREE);
	return wanted;
}

static int point_register_point(struct sonde_session *session, int n, char *why)
{
	int err = -EOPNOTSUPP;

	if (points[n].tracepoint)
		err = tracepoint_probe_register(points[n].tracepoint,
						points[n].probe, session);
	if (err)
		scnprintf(why, SONDE_WHY, "cannot use the tracepoint %s",
			  points[n].name);
	else
		session->points |= BIT(n);
	return err;
}

/*
 * Registers the tracepoints that are needed, and unregisters the others.
 * Return: 0, -EOPNOTSUPP, or an error of tracepoint_probe_register().
 */
static int point_update(struct sonde_session *session, char *why)
{
	u32 wanted = points_wanted(session);
	int err = 0;
	int n;

	lockdep_assert_held(&session->lock);
	for (n = 0; n < SONDE_POINT_COUNT; n++) {
		bool has = session->points & BIT(n);
		bool wants = wanted & BIT(n);

		if (wants && !has && !err)
			err = point_register_point(session, n, why);
		if (has && !wants) {
			tracepoint_probe_unregister(points[n].tracepoint,
						    points[n].probe, session);
			session->points &= ~BIT(n);
		}
	}
	point_watch_ends(session, point_wants_ends(session));
	return err;
}

static void point_close(struct sonde_session *session)
{
	int n;

	point_watch_ends(session, false);
	for (n = 0; n < SONDE_POINT_COUNT; n++)
		if (session->points & BIT(n))
			tracepoint_probe_unregister(points[n].tracepoint,
						    points[n].probe, session);
	session->points = 0;
}

const struct sonde_tap_ops sonde_point_taps = {
	.kinds = KINDS_NEWTASK | BIT(SONDE_TAP_EXEC_SUCCESS) | KINDS_EXIT |
		 KINDS_GENERATE | KINDS_DELIVER,
	.check = sonde_site_check,
	.arm = sonde_site_arm,
	.disarm = sonde_site_disarm,
	.hold = sonde_site_hold,
	.update = point_update,
	.close = point_close,
};
