// SPDX-License-Identifier: GPL-2.0
/*
 * Taps that only observe: on tracepoints
 *
 *   task_newtask     CREATE, LWP_CREATE; START, LWP_START by a task work in the
 *                    new thread
 *   sched_process_exec, sched_process_exit
 *   signal_generate  SIGNAL_SEND; SIGNAL_DISCARD when it is ignored at once
 *   signal_deliver   SIGNAL_DELIVER; SIGNAL_DISCARD when it is ignored then
 *
 * Those of system calls, and EXEC and EXEC_FAILURE, stand on calls.c's hooks.
 *
 * A session registers its own probe on a tracepoint while a tap needs it, with
 * itself as the probe's data: so the probe is in its session by its first
 * instruction.
 *
 * A site is a list (list.h) of (pid, probe).
 */
#include <linux/binfmts.h>
#include <linux/cred.h>
#include <linux/nospec.h>
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
#include "kmod/device/hold.h"
#include "kmod/finder.h"
#include "kmod/shared/siginfo.h"

static void fire_kind(struct sonde_firing *firing, enum sonde_tap_kind kind)
{
	const struct sonde_site *site =
		rcu_dereference_sched(firing->session->kinds[kind]);

	if (site)
		sonde_fire_site(firing, site);
}

/* No firing of this kind will be made in @task: its records are counted. */
static void lose_kind(struct sonde_session *session, struct task_struct *task,
		      enum sonde_tap_kind kind)
{
	const struct sonde_site *site =
		rcu_dereference_sched(session->kinds[kind]);

	if (site)
		sonde_lose_site(session, site, task);
}

static bool has_registers(void)
{
	return !(current->flags & PF_KTHREAD) && current->mm;
}

static void begin(struct sonde_firing *firing, struct sonde_session *session)
{
	memset(firing, 0, sizeof(*firing));
	firing->session = session;
	firing->task = current;
	firing->call = -1;
	if (has_registers())
		firing->regs = task_pt_regs(current);
}

/*
 * START, LWP_START, and the return from its own clone: a work that the new
 * thread runs before anything else
 */

static void fire_start(struct sonde_session *session)
{
	struct sonde_firing firing;

	preempt_disable_notrace();
	if (sonde_covers(session, current)) {
		begin(&firing, session);
		if (thread_group_leader(current))
			fire_kind(&firing, SONDE_TAP_START);
		fire_kind(&firing, SONDE_TAP_LWP_START);
		sonde_call_newborn(session);
	}
	preempt_enable_notrace();
}

static void run_newborn(struct sonde_work *work, bool over)
{
	if (!over && !(current->flags & PF_EXITING))
		fire_start(work->session);
	sonde_free(work);
}

static void want_start(struct sonde_session *session, struct task_struct *task)
{
	struct sonde_work *newborn;

	if (!rcu_access_pointer(session->kinds[SONDE_TAP_START]) &&
	    !rcu_access_pointer(session->kinds[SONDE_TAP_LWP_START]) &&
	    !sonde_calls_want_newborns(session))
		return;
	newborn = sonde_alloc_within(&session->purse, SONDE_MEMORY_LATE,
				     sizeof(*newborn), GFP_NOWAIT);
	if (newborn) {
		newborn->run = run_newborn;
		if (!sonde_work_queue(newborn, session, task))
			return;
		sonde_free(newborn);
	}
	if (thread_group_leader(task))
		lose_kind(session, task, SONDE_TAP_START);
	lose_kind(session, task, SONDE_TAP_LWP_START);
	sonde_calls_lose_newborn(session, task);
}

static void probe_newtask(void *data, struct task_struct *task,
			  unsigned long flags)
{
	struct sonde_session *session = data;
	struct sonde_firing firing;

	if (!has_registers() || (task->flags & (PF_KTHREAD | PF_IO_WORKER)))
		return;
	preempt_disable_notrace();
	if (sonde_covers(session, current)) {
		begin(&firing, session);
		firing.call = syscall_get_nr(current, firing.regs);
		firing.args[0] = task->pid;
		firing.args[1] = flags;
		fire_kind(&firing, flags & CLONE_THREAD ? SONDE_TAP_LWP_CREATE :
							  SONDE_TAP_CREATE);
		want_start(session, task);
	}
	preempt_enable_notrace();
}

static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	struct sonde_session *session = data;
	struct sonde_firing firing;

	preempt_disable_notrace();
	if (sonde_covers(session, current)) {
		begin(&firing, session);
		firing.call = __NR_execve;
		fire_kind(&firing, SONDE_TAP_EXEC_SUCCESS);
	}
	preempt_enable_notrace();
}

/**
 * sonde_exit_status() - the status of the current process
 *
 * Context: Probe of sched_process_exit, in the last thread.
 * Return: as wait() will show it.
 */
int sonde_exit_status(void)
{
	struct signal_struct *signal = current->signal;

	return signal->flags & SIGNAL_GROUP_EXIT ?
		       signal->group_exit_code :
		       current->group_leader->exit_code;
}

static void fire_end(struct sonde_firing *firing, enum sonde_tap_kind kind,
		     int status)
{
	sonde_end_args(firing->args, status);
	fire_kind(firing, kind);
}

static void probe_exit(void *data, struct task_struct *task)
{
	struct sonde_session *session = data;
	struct sonde_firing firing;

	if (current->flags & PF_KTHREAD)
		return;
	preempt_disable_notrace();
	if (sonde_covers(session, current)) {
		begin(&firing, session);
		fire_end(&firing, SONDE_TAP_LWP_EXIT, current->exit_code);
		if (sonde_finder_is_last())
			fire_end(&firing, SONDE_TAP_EXIT, sonde_exit_status());
	}
	sonde_thread_forget(session, current);
	sonde_reenter_forget(session, current);
	preempt_enable_notrace();
}

static bool is_plain(const struct kernel_siginfo *info)
{
	return (unsigned long)info > 1; /* not SEND_SIG_NOINFO or _PRIV */
}

/* Who sends without a siginfo is a process that calls kill(), or the kernel. */
static void put_signal(struct sonde_firing *firing, int number,
		       const struct kernel_siginfo *info)
{
	struct kernel_siginfo made = {};

	if (!is_plain(info)) {
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

static void put_receiver(struct sonde_firing *firing,
			 const struct task_struct *task)
{
	firing->args[3] = task->tgid;
	firing->args[4] = task->pid;
}

/*
 * A signal that is ignored when it is sent: this runs in the sender, of whom
 * nobody has asked, or in an interrupt of anybody. Its receiver fires it, before
 * it is back in user mode.
 */
struct discarded {
	struct sonde_work work;
	u64 args[SONDE_DIF_ARGS];
};

static void run_discarded(struct sonde_work *work, bool over)
{
	struct discarded *discarded = container_of(work, struct discarded, work);
	struct sonde_session *session = work->session;
	struct sonde_firing firing;

	preempt_disable_notrace();
	if (!over && sonde_covers(session, current)) {
		begin(&firing, session);
		memcpy(firing.args, discarded->args, sizeof(firing.args));
		fire_kind(&firing, SONDE_TAP_SIGNAL_DISCARD);
	} else if (!over) {
		/* an exec came between, or its end */
		lose_kind(session, current, SONDE_TAP_SIGNAL_DISCARD);
	}
	preempt_enable_notrace();
	atomic_dec(&session->discards);
	sonde_free(discarded);
}

static void discard_later(struct sonde_session *session,
			  struct task_struct *task, const u64 *args)
{
	struct discarded *discarded = NULL;

	if (!rcu_access_pointer(session->kinds[SONDE_TAP_SIGNAL_DISCARD]))
		return;
	if (atomic_inc_return(&session->discards) <= SONDE_DISCARDS)
		discarded = sonde_alloc_within(&session->purse, SONDE_MEMORY_LATE,
					       sizeof(*discarded), GFP_NOWAIT);
	if (discarded) {
		discarded->work.run = run_discarded;
		memcpy(discarded->args, args, sizeof(discarded->args));
		if (!sonde_work_queue(&discarded->work, session, task))
			return;
		sonde_free(discarded); /* it ends */
	}
	atomic_dec(&session->discards);
	lose_kind(session, task, SONDE_TAP_SIGNAL_DISCARD);
}

static void probe_generate(void *data, int number, struct kernel_siginfo *info,
			   struct task_struct *task, int group, int result)
{
	struct sonde_session *session = data;
	struct sonde_firing firing = {};

	preempt_disable_notrace();
	if (in_task() && sonde_covers(session, current)) {
		begin(&firing, session);
		put_signal(&firing, number, info);
		put_receiver(&firing, task);
		fire_kind(&firing, SONDE_TAP_SIGNAL_SEND);
	}
	if (result == TRACE_SIGNAL_IGNORED && sonde_covers(session, task)) {
		put_signal(&firing, number, info);
		put_receiver(&firing, task);
		discard_later(session, task, firing.args);
	}
	preempt_enable_notrace();
}

static bool is_ignored(int number, const struct k_sigaction *action)
{
	return action->sa.sa_handler == SIG_IGN ||
	       (action->sa.sa_handler == SIG_DFL && sig_kernel_ignore(number));
}

/*
 * A signal that ends the group at once (complete_signal()) is handed out as
 * SIGKILL. Which one it was stands in the exit code.
 */
static int given_number(int number)
{
	const struct signal_struct *signal = current->signal;

	if (number != SIGKILL || !(signal->flags & SIGNAL_GROUP_EXIT))
		return number;
	return signal->group_exit_code & 0x7f ?: number;
}

static void probe_deliver(void *data, int number, struct kernel_siginfo *info,
			  struct k_sigaction *action)
{
	struct sonde_session *session = data;
	struct sonde_firing firing;

	preempt_disable_notrace();
	if (sonde_covers(session, current)) {
		begin(&firing, session);
		put_signal(&firing, given_number(number), info);
		if (is_ignored(number, action)) {
			put_receiver(&firing, current);
			fire_kind(&firing, SONDE_TAP_SIGNAL_DISCARD);
		} else {
			firing.args[3] = (unsigned long)action->sa.sa_handler;
			fire_kind(&firing, SONDE_TAP_SIGNAL_DELIVER);
		}
	}
	preempt_enable_notrace();
}

static struct point {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint;
} points[SONDE_POINT_COUNT] __ro_after_init = {
	[SONDE_POINT_NEWTASK] = { "task_newtask", probe_newtask },
	[SONDE_POINT_EXEC] = { "sched_process_exec", probe_exec },
	[SONDE_POINT_EXIT] = { "sched_process_exit", probe_exit },
	[SONDE_POINT_SIGNAL_GENERATE] = { "signal_generate", probe_generate },
	[SONDE_POINT_SIGNAL_DELIVER] = { "signal_deliver", probe_deliver },
};

/**
 * sonde_taps_init() - find the tracepoints
 *
 * One that this kernel does not have is told when a tap wants it.
 *
 * Context: Process context, module load.
 */
void sonde_taps_init(void)
{
	int n;

	for (n = 0; n < SONDE_POINT_COUNT; n++)
		points[n].tracepoint = sonde_tracepoint(points[n].name);
	sonde_calls_init();
}

/* The tracepoints that a kind of tap needs, one bit each. */
static u32 points_of(u32 kind)
{
	switch ((enum sonde_tap_kind)kind) {
	case SONDE_TAP_CREATE:
	case SONDE_TAP_LWP_CREATE:
	case SONDE_TAP_START:
	case SONDE_TAP_LWP_START:
		return BIT(SONDE_POINT_NEWTASK);
	case SONDE_TAP_EXEC_SUCCESS:
		return BIT(SONDE_POINT_EXEC);
	case SONDE_TAP_EXIT:
	case SONDE_TAP_LWP_EXIT:
		return BIT(SONDE_POINT_EXIT);
	case SONDE_TAP_SIGNAL_SEND:
		return BIT(SONDE_POINT_SIGNAL_GENERATE);
	case SONDE_TAP_SIGNAL_DELIVER:
		return BIT(SONDE_POINT_SIGNAL_DELIVER);
	case SONDE_TAP_SIGNAL_DISCARD:
		return BIT(SONDE_POINT_SIGNAL_GENERATE) |
		       BIT(SONDE_POINT_SIGNAL_DELIVER);
	case SONDE_TAP_SYSCALL_ENTRY: /* these stand on other hooks */
	case SONDE_TAP_SYSCALL_RETURN:
	case SONDE_TAP_EXEC:
	case SONDE_TAP_EXEC_FAILURE:
	case SONDE_TAP_USER_ENTRY:
	case SONDE_TAP_USER_RETURN:
	case SONDE_TAP_USER_OFFSET:
	case SONDE_TAP_PROFILE:
	case SONDE_TAP_TICK:
	case SONDE_TAP_KIND_COUNT:
		break;
	}
	return 0;
}

static u32 points_wanted(struct sonde_session *session)
{
	struct sonde_program *program;
	unsigned long id;
	u32 wanted = 0;
	u32 kind;

	for (kind = 0; kind < SONDE_TAP_KIND_COUNT; kind++)
		if (session->tap_count[kind])
			wanted |= points_of(kind);
	if (session->reenter_taps)
		wanted |= BIT(SONDE_POINT_EXIT);
	if (sonde_calls_want_newborns(session))
		wanted |= BIT(SONDE_POINT_NEWTASK);
	xa_for_each(&session->programs, id, program)
		if (program->needs & SONDE_NEED_THREAD)
			wanted |= BIT(SONDE_POINT_EXIT);
	return wanted;
}

static int register_point(struct sonde_session *session, int n, char *why)
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

/**
 * sonde_points_update() - have the hooks that taps and targets need
 * @session: its lock is held
 * @why: what to tell the user on failure
 *
 * Those that nothing needs any more are given back.
 *
 * Context: Process context. May sleep.
 * Return: 0, -EOPNOTSUPP, or what tracepoint_probe_register() says.
 */
int sonde_points_update(struct sonde_session *session, char *why)
{
	u32 wanted = points_wanted(session);
	int err = 0;
	int n;

	lockdep_assert_held(&session->lock);
	for (n = 0; n < SONDE_POINT_COUNT; n++) {
		bool has = session->points & BIT(n);
		bool wants = wanted & BIT(n);

		if (wants && !has && !err)
			err = register_point(session, n, why);
		if (has && !wants) {
			tracepoint_probe_unregister(points[n].tracepoint,
						    points[n].probe, session);
			session->points &= ~BIT(n);
		}
	}
	return err ?: sonde_calls_update(session, why);
}

static struct sonde_site __rcu **site_of(struct sonde_session *session,
					 const struct sonde_tap *tap)
{
	u32 kind = array_index_nospec(tap->kind, SONDE_TAP_KIND_COUNT);

	if (kind == SONDE_TAP_SYSCALL_ENTRY)
		return &session->entries[array_index_nospec(tap->number,
							    SONDE_CALLS)];
	if (kind == SONDE_TAP_SYSCALL_RETURN)
		return &session->returns[array_index_nospec(tap->number,
							    SONDE_CALLS)];
	return &session->kinds[kind];
}

static struct sonde_site *site_now(struct sonde_session *session,
				   struct sonde_site __rcu **place)
{
	return rcu_dereference_protected(*place,
					 lockdep_is_held(&session->lock));
}

static void note_only(struct sonde_list *list, const void *entry)
{
	struct sonde_site *site = container_of(list, struct sonde_site, list);
	const struct sonde_site_entry *one = entry;

	WRITE_ONCE(site->only, list->count || one->pid ? NULL : one->probe);
}

static const struct sonde_list_kind sites = {
	.memory = SONDE_MEMORY_TAPS,
	.head = offsetof(struct sonde_site, entries),
	.size = sizeof(struct sonde_site_entry),
	.gone = offsetof(struct sonde_site_entry, gone),
	.note = note_only,
};

static void replace(struct sonde_session *session,
		    struct sonde_site __rcu **place, struct sonde_site *fresh)
{
	struct sonde_site *old = site_now(session, place);

	rcu_assign_pointer(*place, fresh);
	sonde_free_rcu(old);
}

static int add_to_site(struct sonde_armed *armed)
{
	struct sonde_session *session = armed->session;
	struct sonde_site __rcu **place = site_of(session, &armed->tap);
	const struct sonde_site_entry entry = {
		.pid = armed->tap.pid,
		.tap = armed->tap.id,
		.probe = armed->probe,
	};
	struct sonde_site *site = site_now(session, place);
	struct sonde_list *list =
		sonde_list_add(&sites, site ? &site->list : NULL, &entry);

	if (!list)
		return -ENOMEM;
	if (!site || list != &site->list)
		replace(session, place,
			container_of(list, struct sonde_site, list));
	return 0;
}

/* Takes no memory, so it cannot fail. */
static void remove_from_site(struct sonde_armed *armed)
{
	struct sonde_session *session = armed->session;
	struct sonde_site __rcu **place = site_of(session, &armed->tap);
	struct sonde_site *site = site_now(session, place);
	u32 n = 0;

	while (site->entries[n].tap != armed->tap.id || site->entries[n].gone)
		n++;
	if (sonde_list_remove(&sites, &site->list, &site->entries[n]))
		replace(session, place, NULL);
}

static bool is_user(u32 kind)
{
	return kind == SONDE_TAP_USER_ENTRY || kind == SONDE_TAP_USER_RETURN ||
	       kind == SONDE_TAP_USER_OFFSET;
}

static bool is_timer(u32 kind)
{
	return kind == SONDE_TAP_PROFILE || kind == SONDE_TAP_TICK;
}

/* Whether what a tap says of its instruction fits its kind. */
static bool leave_fits(const struct sonde_tap *tap)
{
	u8 how = tap->leave.how;
	bool reenters = how == SONDE_LEAVE_REENTER ||
			how == SONDE_LEAVE_REENTER_IF;

	if (sonde_leave_check(&tap->leave))
		return false;
	if (tap->kind == SONDE_TAP_USER_RETURN)
		return how != SONDE_LEAVE_NONE && !reenters;
	return how == SONDE_LEAVE_NONE ||
	       (tap->kind == SONDE_TAP_USER_ENTRY && reenters);
}

/* How many fire together with it. */
static u32 taps_at(struct sonde_session *session, const struct sonde_tap *tap)
{
	const struct sonde_site *site;

	if (is_user(tap->kind) || is_timer(tap->kind))
		return 0;
	site = site_now(session, site_of(session, tap));
	return site ? site->list.live : 0;
}

static int check_tap(struct sonde_session *session, const struct sonde_tap *tap,
		     const struct sonde_uprobe_file *before, char *why)
{
	bool call = tap->kind == SONDE_TAP_SYSCALL_ENTRY ||
		    tap->kind == SONDE_TAP_SYSCALL_RETURN;
	const char *missing, *fault;

	if (tap->kind >= SONDE_TAP_KIND_COUNT) {
		scnprintf(why, SONDE_WHY, "malformed request: unknown kind of tap");
		return -EINVAL;
	}
	fault = sonde_tap_fault(tap);
	if (fault) {
		scnprintf(why, SONDE_WHY, "malformed request: %s", fault);
		return -EINVAL;
	}
	if (xa_load(&session->taps, tap->id)) {
		scnprintf(why, SONDE_WHY, "tap %u: this id is armed already",
			  tap->id);
		return -EEXIST;
	}
	if (!tap->probe || (call && tap->number >= SONDE_CALLS)) {
		scnprintf(why, SONDE_WHY, "tap %u: %s", tap->id, tap->probe ?
			  "no such system call" : "it names no probe");
		return -EINVAL;
	}
	if (is_user(tap->kind) ? !tap->path_length && !before->file :
				 tap->path_length) {
		scnprintf(why, SONDE_WHY, "tap %u: a file's name is %s", tap->id,
			  tap->path_length ? "not for this kind" : "missing");
		return -EINVAL;
	}
	if ((is_user(tap->kind) || tap->kind == SONDE_TAP_PROFILE) &&
	    !session->perfmon) {
		scnprintf(why, SONDE_WHY,
			  "user functions and samples need CAP_PERFMON in the kernel module; -x source=ptrace does without");
		return -EPERM;
	}
	if (taps_at(session, tap) >= SONDE_SITE_MAX) {
		scnprintf(why, SONDE_WHY, "at most %u taps at one place",
			  SONDE_SITE_MAX);
		return -E2BIG;
	}
	missing = tap->kind == SONDE_TAP_SYSCALL_RETURN ||
		  tap->kind == SONDE_TAP_EXEC_FAILURE ?
			  sonde_lacks(SONDE_CAN_SHARE) : NULL;
	if (missing) {
		scnprintf(why, SONDE_WHY,
			  "the return of system calls: this kernel's %s is not the one that sonde knows (dmesg says more); -x source=ptrace does without",
			  missing);
		return -EOPNOTSUPP;
	}
	if (!leave_fits(tap)) {
		scnprintf(why, SONDE_WHY,
			  "tap %u: malformed leaving instruction", tap->id);
		return -EINVAL;
	}
	return 0;
}

/* Puts a tap where it fires: with its kind's tracepoint, or with an engine. */
static int place(struct sonde_armed *armed)
{
	int err;

	if (armed->held)
		return 0;
	err = add_to_site(armed);
	if (!err)
		armed->session->tap_count[armed->tap.kind]++;
	return err;
}

static void displace(struct sonde_armed *armed)
{
	if (armed->held)
		return;
	armed->session->tap_count[armed->tap.kind]--;
	remove_from_site(armed);
}

/* Not in interrupts, nor under a sender's locks: those records are not HELD. */
static bool holds(const struct sonde_armed *armed)
{
	return armed->probe->held && armed->tap.kind != SONDE_TAP_SIGNAL_SEND &&
	       !is_timer(armed->tap.kind);
}

static int rehold_one(struct sonde_armed *armed, char *why)
{
	bool held = holds(armed);
	int err;

	if (armed->held == held)
		return 0;
	err = held ? sonde_hold_check(armed->tap.kind, why) : 0;
	if (err)
		return err;
	if (held && !sonde_grips_of(armed->session))
		return -ENOMEM;
	if (is_user(armed->tap.kind)) {
		WRITE_ONCE(armed->held, held);
		return 0;
	}
	if (held) {
		displace(armed);
		armed->held = true;
		return 0;
	}
	armed->held = false;
	err = place(armed);
	armed->held = err; /* it stays with the engines, where it fires */
	return err;
}

/**
 * sonde_taps_rehold() - move taps between tracepoints and engines
 * @session: its lock is held; ECBs that hold come, or have gone
 * @why: what to tell the user on failure
 *
 * Context: Process context. May sleep.
 * Return: 0, -ENOMEM, those of sonde_hold_check().
 */
int sonde_taps_rehold(struct sonde_session *session, char *why)
{
	struct sonde_armed *armed;
	unsigned long id;
	int err = 0;

	xa_for_each(&session->taps, id, armed) {
		err = rehold_one(armed, why);
		if (err)
			return err;
	}
	err = sonde_holds_update(session);
	return err ?: sonde_points_update(session, why);
}

/* One request to arm taps. */
struct arming {
	struct sonde_uprobe_file file; /* of the tap before */
	u32 left_out; /* taps that never fire: the kernel cannot probe there */
	char first[SONDE_WHY]; /* what to tell the user of the first */
};

/* What is left out does not keep those beside it from being armed. */
static int arm_user(struct sonde_armed *armed, const char *path,
		    struct arming *arming, char *why)
{
	u32 length = armed->tap.path_length;
	int err = 0;

	if (length) {
		sonde_uprobe_close(&arming->file);
		err = sonde_uprobe_open(armed->session, path, length,
					&arming->file, why);
	}
	if (!err)
		err = sonde_uprobe_arm(armed, &arming->file, why);
	if (err != -ENOEXEC)
		return err;
	if (!arming->left_out++)
		strscpy(arming->first, why, sizeof(arming->first));
	why[0] = 0;
	return 0;
}

static void tell_left_out(struct sonde_session *session,
			  const struct arming *arming)
{
	const struct sonde_event notice = { .kind = SONDE_EVENT_NOTICE };
	char text[SONDE_WHY + 40];

	if (!arming->left_out)
		return;
	scnprintf(text, sizeof(text), arming->left_out > 1 ?
		  "%s (and %u more)" : "%s",
		  arming->first, arming->left_out - 1);
	sonde_event_text(session, &notice, text);
}

static int arm_one(struct sonde_session *session, const struct sonde_tap *tap,
		   const char *path, struct arming *arming, char *why)
{
	struct sonde_armed *armed;
	int err = check_tap(session, tap, &arming->file, why);

	if (err)
		return err;
	armed = sonde_alloc(SONDE_MEMORY_TAPS, sizeof(*armed));
	if (!armed)
		return -ENOMEM;
	armed->tap = *tap;
	armed->session = session;
	armed->probe = sonde_probe_get(session, tap->probe);
	err = -ENOMEM;
	if (!armed->probe)
		goto out_free;
	armed->held = holds(armed);
	if (armed->held) {
		err = sonde_hold_check(tap->kind, why);
		if (err)
			goto out_free;
		err = -ENOMEM;
	}
	if (armed->held && !sonde_grips_of(session))
		goto out_free; /* it may be reached as soon as it is armed */
	err = xa_err(xa_store(&session->taps, tap->id, armed,
			      GFP_KERNEL_ACCOUNT));
	if (err)
		goto out_free;
	if (!is_user(tap->kind))
		sonde_uprobe_close(&arming->file);
	if (is_user(tap->kind))
		err = arm_user(armed, path, arming, why);
	else if (is_timer(tap->kind))
		err = sonde_timer_arm(armed, why);
	else
		err = place(armed);
	if (err)
		goto out_erase;
	return 0;

out_erase:
	xa_erase(&session->taps, tap->id);
out_free:
	sonde_free(armed);
	return err;
}

/* It may still fire until bury(). */
static void disarm_one(struct sonde_session *session, u32 id,
		       struct list_head *gone)
{
	struct sonde_armed *armed = xa_erase(&session->taps, id);

	if (!armed)
		return;
	if (is_user(armed->tap.kind))
		sonde_uprobe_disarm(armed);
	else if (is_timer(armed->tap.kind))
		sonde_timer_disarm(armed);
	else
		displace(armed);
	list_add(&armed->gone, gone);
}

/* Nobody looks at the taps any more: firings, and filters of uprobes. */
static void bury(struct list_head *gone)
{
	struct sonde_armed *armed, *next;
	bool user = false;

	list_for_each_entry(armed, gone, gone)
		user |= is_user(armed->tap.kind);
	if (user)
		sonde_uprobes_wait();
	synchronize_rcu();
	list_for_each_entry_safe(armed, next, gone, gone) {
		sonde_uprobe_free(armed);
		sonde_free(armed);
	}
}

static void undo(struct sonde_session *session, const struct sonde_tap *taps,
		 u64 count)
{
	char why[SONDE_WHY];
	LIST_HEAD(gone);

	while (count--)
		disarm_one(session, taps[count].id, &gone);
	sonde_holds_update(session);
	sonde_points_update(session, why);
	bury(&gone);
}

static int check_paths(const struct sonde_tap *taps, u64 count, u64 length,
		       char *why)
{
	u64 bytes = count * sizeof(*taps), n;
	const char *path = (const char *)&taps[count];

	for (n = 0; n < count; n++) {
		u32 size = taps[n].path_length;

		if (size > SONDE_PATH_MAX - 1 || size > length - bytes ||
		    memchr(path, 0, size)) {
			scnprintf(why, SONDE_WHY,
				  "malformed request: path of a tap");
			return -EINVAL;
		}
		bytes += size;
		path += size;
	}
	if (bytes == length)
		return 0;
	scnprintf(why, SONDE_WHY, "malformed request: bytes after the taps");
	return -EINVAL;
}

/**
 * sonde_taps_arm() - arm taps: all or none
 * @session: its lock is held
 * @count: how many
 * @bytes: an array of sonde_tap, then the paths, one after another
 * @length: of @bytes
 * @why: what to tell the user on failure
 *
 * Context: Process context. May sleep.
 * Return: 0, -EINVAL, -EEXIST, -EOPNOTSUPP, -ENOMEM, errors of the file's name.
 */
int sonde_taps_arm(struct sonde_session *session, u64 count, const void *bytes,
		   u64 length, char *why)
{
	const struct sonde_tap *taps = bytes;
	struct arming arming = {};
	const char *path;
	int err;
	u64 n;

	if (count > length / sizeof(*taps)) {
		scnprintf(why, SONDE_WHY, "malformed request: array of taps");
		return -EINVAL;
	}
	path = (const char *)&taps[count];
	err = check_paths(taps, count, length, why);
	if (err)
		return err;
	for (n = 0; n < count; n++) {
		err = arm_one(session, &taps[n], path, &arming, why);
		if (err)
			break;
		path += taps[n].path_length;
	}
	sonde_uprobe_close(&arming.file);
	if (!err)
		err = sonde_holds_update(session);
	if (!err)
		err = sonde_points_update(session, why);
	if (err)
		undo(session, taps, n);
	else
		tell_left_out(session, &arming);
	return err;
}

/**
 * sonde_taps_disarm() - take taps out
 * @session: its lock is held
 * @bytes: an array of tap ids
 * @length: of @bytes
 * @why: what to tell the user on failure
 *
 * None of them fires any more when it returns. Those that are there are taken
 * out even where others are not.
 *
 * Context: Process context. May sleep.
 * Return: 0, -EINVAL, -ENOENT one was not there.
 */
int sonde_taps_disarm(struct sonde_session *session, const void *bytes,
		      u64 length, char *why)
{
	const u32 *ids = bytes;
	LIST_HEAD(gone);
	int err = 0;
	u64 n;

	if (length % sizeof(*ids)) {
		scnprintf(why, SONDE_WHY, "malformed request: array of ids");
		return -EINVAL;
	}
	for (n = 0; n < length / sizeof(*ids); n++) {
		if (!xa_load(&session->taps, ids[n])) {
			scnprintf(why, SONDE_WHY, "no such tap");
			err = -ENOENT;
			continue;
		}
		disarm_one(session, ids[n], &gone);
	}
	sonde_holds_update(session);
	sonde_points_update(session, why);
	bury(&gone);
	return err;
}

/**
 * sonde_taps_destroy() - take all taps out, and wait until nothing fires
 * @session: that is being closed
 *
 * Context: Process context. May sleep.
 */
void sonde_taps_destroy(struct sonde_session *session)
{
	struct sonde_armed *armed;
	unsigned long id;
	LIST_HEAD(gone);
	int n;

	mutex_lock(&session->lock);
	xa_for_each(&session->taps, id, armed)
		disarm_one(session, id, &gone);
	for (n = 0; n < SONDE_POINT_COUNT; n++)
		if (session->points & BIT(n))
			tracepoint_probe_unregister(points[n].tracepoint,
						    points[n].probe, session);
	session->points = 0;
	sonde_calls_destroy(session);
	mutex_unlock(&session->lock);
	tracepoint_synchronize_unregister();
	bury(&gone);
	sonde_works_end(session);
	synchronize_rcu();
	xa_destroy(&session->taps);
}
