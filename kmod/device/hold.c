// SPDX-License-Identifier: GPL-2.0
/*
 * Held taps
 *
 * Where an ECB holds, its probe's taps do not stand on tracepoints but on
 * engines of the utrace core, in a place where the thread can stop. A grip is
 * this session's engine on one thread:
 *
 *   event --> waiting: firing, firing, ... --> ECB, ECB (holds): STOP
 *                                                      |
 *   SONDE_RELEASE --> signal, REPORT --> the rest of the ECBs, then the next
 *                                        firing, in the thread again
 *
 * While any probe that is armed has such an ECB, each thread that the session
 * covers has a grip: the session's finder tells who there is, and who is born.
 * User taps stay uprobes, whose handlers only note the firing: they hold a lock
 * of the kernel's that others wait for. It is made, and the thread stops, before the return to user mode. Who sends a
 * signal, and whom a timer interrupts, cannot be held.
 *
 * SONDE_STOP_TARGET stops threads by the same engines, and so does a file that a
 * thread of a target maps that is followed (SONDE_FOLLOW). The process that opened
 * the session is never held, or nobody would answer: held taps do not fire there.
 *
 * A program that holds may miss memory that only somebody else can bring (FUSE,
 * userfaultfd). A thread that waits for it is not waited for by who lets it go:
 * its grip is marked as dropped, and it looks at nothing of the session any more.
 *
 * SIGKILL ends every stop, as the core has it. What waits for a thread that is
 * killed is forgotten. In a signal's report and a vfork, what is left after a
 * release runs at the thread's next safe point.
 *
 * Locks: session->lock > grips->lock > grip->lock > the core's.
 */
#include <linux/hashtable.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#include "kmod/compat.h"
#include "kmod/core/hooks.h"
#include "kmod/device/hold.h"
#include "kmod/finder.h"
#include "kmod/shared/siginfo.h"

#define EVENTS_OF_ALL \
	(UTRACE_EVENT(QUIESCE) | UTRACE_EVENT(CLONE) | UTRACE_EVENT(EXIT) | \
	 UTRACE_EVENT(DEATH))

#define IS_EXEC(call) ((call) == __NR_execve || (call) == __NR_execveat)

struct held_tap {
	u32 id, kind, number, pid;
	bool gone; /* it is not held any more, and there was no memory to say so */
	struct sonde_probe *probe;
};

struct held_taps {
	u32 count;
	unsigned long events; /* that they need */
	bool kinds[SONDE_TAP_KIND_COUNT];
	struct held_tap taps[];
};

static void put_grips(struct sonde_grips *grips)
{
	if (!refcount_dec_and_test(&grips->ref))
		return;
	sonde_free(rcu_dereference_protected(grips->taps, true));
	sonde_session_put(grips->session);
	sonde_free(grips);
}

/**
 * sonde_grip_hold() - the current thread waits for a release, or does not
 * @grip: its own
 * @held: whether
 *
 * Context: The thread itself. Does not sleep.
 */
void sonde_grip_hold(struct sonde_grip *grip, bool held)
{
	struct sonde_session *session = grip->grips->session;
	bool was;

	spin_lock(&grip->lock);
	was = grip->held;
	grip->held = held;
	spin_unlock(&grip->lock);
	if (held && !was) {
		atomic_inc(&session->held);
		atomic64_inc(&session->stops);
	} else if (was && !held) {
		atomic_dec(&session->held);
	}
}

/* A member holds nobody who has become somebody else by an exec. */
static bool may_hold(const struct sonde_grip *grip)
{
	struct sonde_session *session = grip->grips->session;

	return session->privileged || sonde_has_target(session, grip->tgid);
}

u32 sonde_grip_resume(struct sonde_grip *grip)
{
	bool stays;

	spin_lock(&grip->lock);
	stays = !grip->dropped && (grip->held || grip->paused || grip->mapped);
	spin_unlock(&grip->lock);
	return stays && may_hold(grip) ? UTRACE_STOP : UTRACE_RESUME;
}

static struct sonde_slow *first_waiting(struct sonde_grip *grip)
{
	return list_first_entry_or_null(&grip->waiting, struct sonde_slow,
					node);
}

static void forget_waiting(struct sonde_grip *grip)
{
	struct sonde_slow *slow;

	while ((slow = first_waiting(grip))) {
		list_del(&slow->node);
		sonde_free(slow);
	}
	sonde_grip_hold(grip, false);
}

/* Only the thread itself looks at what waits. */
static void run_waiting(struct sonde_grip *grip)
{
	struct sonde_slow *slow;

	while (!READ_ONCE(grip->held) && !READ_ONCE(grip->dropped) &&
	       (slow = first_waiting(grip))) {
		if (sonde_fire_slow(slow, grip))
			break;
		list_del(&slow->node);
		sonde_free(slow);
	}
}

static void add_waiting(struct sonde_grip *grip,
			const struct sonde_firing *firing,
			struct sonde_probe *probe)
{
	struct sonde_slow *slow = sonde_alloc_within(&firing->session->purse,
						     SONDE_MEMORY_LATE,
						     sizeof(*slow), GFP_KERNEL);

	if (!slow) {
		sonde_lose_probe(firing->session, probe);
		return;
	}
	slow->firing = *firing;
	slow->probe = probe;
	if (firing->regs) {
		slow->regs = *firing->regs;
		slow->firing.regs = &slow->regs;
	}
	list_add_tail(&slow->node, &grip->waiting);
}

/* A thread that ends is told nothing any more. */
int sonde_grip_tell(struct sonde_grip *grip, enum utrace_resume_action action)
{
	return utrace_control(grip->task, grip->engine, action);
}

static bool is_covered(struct sonde_session *session)
{
	bool covered;

	preempt_disable_notrace();
	covered = sonde_covers(session, current);
	preempt_enable_notrace();
	return covered;
}

static bool is_call(u32 kind)
{
	return kind == SONDE_TAP_SYSCALL_ENTRY ||
	       kind == SONDE_TAP_SYSCALL_RETURN;
}

/* The n-th tap of this event that covers the current task. */
static struct sonde_probe *nth_probe(struct sonde_grips *grips, u32 kind,
				     u32 number, u32 nth)
{
	struct sonde_probe *probe = NULL;
	const struct held_taps *taps;
	u32 n;

	rcu_read_lock();
	taps = rcu_dereference(grips->taps);
	for (n = 0; taps && taps->kinds[kind] && n < taps->count; n++) {
		const struct held_tap *tap = &taps->taps[n];

		if (tap->kind != kind || READ_ONCE(tap->gone) ||
		    (tap->pid && tap->pid != current->tgid) ||
		    (is_call(kind) && tap->number != number) || nth--)
			continue;
		probe = tap->probe;
		break;
	}
	rcu_read_unlock();
	return probe;
}

/* An event: its firings wait behind what waits already, and run if nothing does. */
static void report(struct sonde_grip *grip, u32 kind,
		   const struct sonde_firing *firing)
{
	struct sonde_probe *probe;
	u32 nth = 0;

	if (READ_ONCE(grip->dropped) || !is_covered(firing->session))
		return;
	while ((probe = nth_probe(grip->grips, kind, firing->call, nth++)))
		add_waiting(grip, firing, probe);
	run_waiting(grip);
}

static void begin(struct sonde_firing *firing, struct sonde_grip *grip,
		  long call)
{
	memset(firing, 0, sizeof(*firing));
	firing->session = grip->grips->session;
	firing->task = current;
	firing->regs = task_pt_regs(current);
	firing->call = call;
}

static u32 answer(struct sonde_grip *grip, u32 action)
{
	return (action & ~UTRACE_RESUME_MASK) | sonde_grip_resume(grip);
}

static bool is_64bit(void)
{
	return syscall_get_arch(current) == AUDIT_ARCH_X86_64;
}

static u32 on_entry(u32 action, struct utrace_engine *engine,
		    struct pt_regs *regs)
{
	struct sonde_grip *grip = engine->data;
	long call = syscall_get_nr(current, regs);
	struct sonde_firing firing;

	if (action & UTRACE_SYSCALL_RESUMED) {
		run_waiting(grip);
		return answer(grip, action);
	}
	if (!is_64bit() || (unsigned long)call >= SONDE_CALLS)
		return answer(grip, action);
	begin(&firing, grip, call);
	if (IS_EXEC(call)) {
		firing.text_address = call == __NR_execve ? regs->di : regs->si;
		firing.start.has_text = true;
		report(grip, SONDE_TAP_EXEC, &firing);
		firing.start.has_text = false;
	}
	firing.args[0] = regs->di;
	firing.args[1] = regs->si;
	firing.args[2] = regs->dx;
	firing.args[3] = regs->r10;
	firing.args[4] = regs->r8;
	firing.args[5] = regs->r9;
	report(grip, SONDE_TAP_SYSCALL_ENTRY, &firing);
	return answer(grip, action);
}

static u32 on_return(u32 action, struct utrace_engine *engine,
		     struct pt_regs *regs)
{
	struct sonde_grip *grip = engine->data;
	long call = syscall_get_nr(current, regs);
	long error = syscall_get_error(current, regs);
	struct sonde_firing firing;

	if (call == -1)
		call = __NR_rt_sigreturn; /* only that leaves without it */
	if (!is_64bit() || (unsigned long)call >= SONDE_CALLS)
		return answer(grip, action);
	begin(&firing, grip, call);
	if (call != __NR_rt_sigreturn)
		firing.start.error = -error;
	if (firing.start.error && IS_EXEC(call)) {
		firing.args[0] = firing.start.error;
		report(grip, SONDE_TAP_EXEC_FAILURE, &firing);
	}
	firing.args[0] = firing.start.error ? -1 : regs->ax;
	firing.args[1] = firing.args[0];
	report(grip, SONDE_TAP_SYSCALL_RETURN, &firing);
	return answer(grip, action);
}

static u32 on_clone(u32 action, struct utrace_engine *engine,
		    unsigned long flags, struct task_struct *child)
{
	struct sonde_grip *grip = engine->data;
	struct sonde_firing firing;
	bool thread = flags & CLONE_THREAD;

	begin(&firing, grip, syscall_get_nr(current, task_pt_regs(current)));
	firing.args[0] = child->pid;
	firing.args[1] = flags;
	report(grip, thread ? SONDE_TAP_LWP_CREATE : SONDE_TAP_CREATE, &firing);
	return answer(grip, action);
}

static u32 on_exec(u32 action, struct utrace_engine *engine,
		   const struct linux_binfmt *fmt,
		   const struct linux_binprm *bprm, struct pt_regs *regs)
{
	struct sonde_grip *grip = engine->data;
	struct sonde_firing firing;

	begin(&firing, grip, __NR_execve);
	report(grip, SONDE_TAP_EXEC_SUCCESS, &firing);
	return answer(grip, action);
}

static u32 on_quiesce(u32 action, struct utrace_engine *engine,
		      unsigned long event)
{
	struct sonde_grip *grip = engine->data;
	struct sonde_firing firing;

	if (event)
		return answer(grip, action);
	if (grip->newborn) {
		grip->newborn = false;
		begin(&firing, grip, -1);
		if (thread_group_leader(current))
			report(grip, SONDE_TAP_START, &firing);
		report(grip, SONDE_TAP_LWP_START, &firing);
	}
	run_waiting(grip);
	return answer(grip, action);
}

static u32 on_signal(u32 action, struct utrace_engine *engine,
		     struct pt_regs *regs, kernel_siginfo_t *info,
		     const struct k_sigaction *orig_ka,
		     struct k_sigaction *return_ka)
{
	struct sonde_grip *grip = engine->data;
	u32 verdict = utrace_signal_action(action);
	struct sonde_firing firing;

	if (verdict == UTRACE_SIGNAL_REPORT || verdict == UTRACE_SIGNAL_HANDLER)
		return on_quiesce(action, engine, 0); /* in lieu of it */
	begin(&firing, grip, -1);
	sonde_siginfo_args(firing.args, info->si_signo, info->si_errno,
			   info->si_code, &info->_sifields);
	if (verdict == UTRACE_SIGNAL_IGN) {
		firing.args[3] = current->tgid;
		firing.args[4] = current->pid;
		report(grip, SONDE_TAP_SIGNAL_DISCARD, &firing);
	} else {
		if (orig_ka)
			firing.args[3] = (unsigned long)orig_ka->sa.sa_handler;
		report(grip, SONDE_TAP_SIGNAL_DELIVER, &firing);
	}
	return answer(grip, action);
}

static struct sonde_grip *find_grip(struct sonde_grips *grips,
				    struct task_struct *task)
{
	struct sonde_grip *grip;

	lockdep_assert_held(&grips->lock);
	hash_for_each_possible(grips->table, grip, node, (unsigned long)task)
		if (grip->task == task)
			return grip;
	return NULL;
}

/* Whether no other thread of the process is left; of several, one is told so. */
static bool exits_last(struct sonde_grip *grip)
{
	struct sonde_grips *grips = grip->grips;
	struct task_struct *thread;
	struct sonde_grip *other;
	bool last = true;

	rcu_read_lock();
	spin_lock(&grips->lock);
	grip->exited = true;
	for_each_thread(current, thread) {
		other = find_grip(grips, thread);
		last = !other || other->exited;
		if (!last)
			break;
	}
	spin_unlock(&grips->lock);
	rcu_read_unlock();
	return last;
}

/* As wait() will show it. */
static int exit_status(long code)
{
	struct signal_struct *signal = current->signal;

	if (signal->flags & SIGNAL_GROUP_EXIT)
		return signal->group_exit_code;
	return thread_group_leader(current) ? code :
					      current->group_leader->exit_code;
}

static u32 on_exit(u32 action, struct utrace_engine *engine, long orig_code,
		   long *code)
{
	struct sonde_grip *grip = engine->data;
	struct sonde_firing firing;

	forget_waiting(grip); /* it was killed while it was held */
	spin_lock(&grip->lock);
	grip->mapped = 0;
	spin_unlock(&grip->lock);
	begin(&firing, grip, -1);
	sonde_end_args(firing.args, *code);
	report(grip, SONDE_TAP_LWP_EXIT, &firing);
	if (exits_last(grip)) {
		sonde_end_args(firing.args, exit_status(*code));
		report(grip, SONDE_TAP_EXIT, &firing);
	}
	return answer(grip, action);
}

/* Takes a grip out of the table: whether it was in, and its engine is ours. */
static bool unlink_grip(struct sonde_grip *grip)
{
	struct sonde_grips *grips = grip->grips;
	bool linked;

	spin_lock(&grips->lock);
	linked = !hlist_unhashed(&grip->node);
	hash_del(&grip->node);
	spin_unlock(&grips->lock);
	return linked;
}

static u32 on_death(struct utrace_engine *engine, bool group_dead, int signal)
{
	struct sonde_grip *grip = engine->data;

	forget_waiting(grip);
	if (unlink_grip(grip))
		utrace_engine_put(engine);
	return UTRACE_DETACH;
}

static void on_release(void *data)
{
	struct sonde_grip *grip = data;
	struct sonde_grips *grips = grip->engine ? grip->grips : NULL;
	struct sonde_slow *slow;

	while ((slow = first_waiting(grip))) {
		list_del(&slow->node);
		sonde_free(slow);
	}
	sonde_free(grip);
	if (grips)
		put_grips(grips);
}

/**
 * sonde_grip_pauses() - the current thread may wait for others for long
 * @grip: its own
 * @pause: for sonde_grip_resumes()
 *
 * Context: A callback of its engine.
 * Return: false: it may not, for it is let go.
 */
bool sonde_grip_pauses(struct sonde_grip *grip, struct sonde_pause *pause)
{
	bool may;

	spin_lock(&grip->lock);
	may = !grip->dropped;
	grip->absent = may;
	spin_unlock(&grip->lock);
	if (may)
		sonde_pause_begin(pause);
	return may;
}

/**
 * sonde_grip_resumes() - undo sonde_grip_pauses()
 * @grip: the same
 * @pause: the same
 *
 * Context: The same callback.
 * Return: whether it was let go: then nothing of the session may be looked at.
 */
bool sonde_grip_resumes(struct sonde_grip *grip, struct sonde_pause *pause)
{
	bool dropped;

	spin_lock(&grip->lock);
	grip->absent = false;
	dropped = grip->dropped;
	spin_unlock(&grip->lock);
	sonde_pause_end(pause); /* the core keeps the module from here on */
	return dropped;
}

/* Lets a thread go for good. The caller has unlinked the grip. */
static void let_go(struct sonde_grip *grip)
{
	struct sonde_session *session = grip->grips->session;
	struct utrace_engine *engine = grip->engine;
	struct task_struct *task = grip->task;
	bool absent;

	spin_lock(&grip->lock);
	grip->dropped = true;
	absent = grip->absent;
	spin_unlock(&grip->lock);
	while (utrace_control(task, engine, UTRACE_DETACH) == -EALREADY)
		schedule_timeout_uninterruptible(1);
	while (!absent && utrace_barrier(task, engine) != -ESRCH)
		schedule_timeout_uninterruptible(1);
	if (grip->held)
		atomic_dec(&session->held);
	utrace_engine_put(engine);
}

static unsigned long events_of(struct sonde_grips *grips)
{
	unsigned long events = EVENTS_OF_ALL;
	const struct held_taps *taps;

	rcu_read_lock();
	taps = rcu_dereference(grips->taps);
	if (taps)
		events |= taps->events;
	rcu_read_unlock();
	return events;
}

/* With a reference to its engine, which keeps it. */
struct sonde_grip *sonde_grip_get(struct sonde_grips *grips,
				  struct task_struct *task)
{
	struct sonde_grip *grip;

	spin_lock(&grips->lock);
	grip = find_grip(grips, task);
	if (grip)
		utrace_engine_get(grip->engine);
	spin_unlock(&grips->lock);
	return grip;
}

static bool link_grip(struct sonde_grip *grip)
{
	struct sonde_grips *grips = grip->grips;
	bool ended;

	spin_lock(&grips->lock);
	ended = grips->ended;
	if (!ended)
		hash_add(grips->table, &grip->node, (unsigned long)grip->task);
	spin_unlock(&grips->lock);
	return !ended;
}

/* Return: 0; -EEXIST there is a grip; -EDEADLK, -ESRCH, -EPERM, -ENOMEM. */
static int take(struct sonde_grips *grips, struct task_struct *task,
		bool newborn, bool paused)
{
	const int flags = UTRACE_ATTACH_CREATE | UTRACE_ATTACH_EXCLUSIVE |
			  UTRACE_ATTACH_MATCH_OPS;
	struct utrace_engine *engine;
	struct sonde_grip *grip;
	int err;

	if (task->tgid == grips->session->opener)
		return -EDEADLK;
	grip = sonde_alloc_within(&grips->session->purse, SONDE_MEMORY_HELD,
				  sizeof(*grip), GFP_KERNEL);
	if (!grip)
		return -ENOMEM;
	grip->grips = grips;
	grip->task = task;
	grip->tgid = task->tgid;
	grip->newborn = newborn;
	grip->paused = paused;
	spin_lock_init(&grip->lock);
	INIT_LIST_HEAD(&grip->waiting);
	engine = utrace_attach_task(task, flags, &grips->ops, grip);
	if (IS_ERR(engine)) {
		sonde_free(grip);
		return PTR_ERR(engine);
	}
	refcount_inc(&grips->ref);
	grip->engine = engine;
	/*
	 * Ours: once it is linked, the thread's death or the end of the session
	 * may drop the other two.
	 */
	utrace_engine_get(engine);
	if (!link_grip(grip)) {
		let_go(grip);
		utrace_engine_put(engine);
		return -ESRCH;
	}
	err = utrace_set_events(task, engine, events_of(grips));
	if (err && unlink_grip(grip))
		let_go(grip);
	if (!err && (paused || newborn))
		sonde_grip_tell(grip, paused ? UTRACE_STOP : UTRACE_REPORT);
	utrace_engine_put(engine);
	return err;
}

static bool wants(struct sonde_session *session, struct task_struct *task,
		  u32 only)
{
	if ((task->flags & SONDE_PF_KERNEL) || READ_ONCE(task->exit_state))
		return false;
	if (only && task->tgid != only)
		return false;
	return session->targeted ? sonde_has_target(session, task->tgid) :
				   session->privileged;
}

struct taking {
	struct sonde_grips *grips;
	u32 only;
};

static bool take_one(void *data, struct task_struct *task)
{
	const struct taking *taking = data;
	struct sonde_grips *grips = taking->grips;
	struct sonde_grip *grip;

	if (!wants(grips->session, task, taking->only))
		return false;
	spin_lock(&grips->lock);
	grip = find_grip(grips, task);
	spin_unlock(&grips->lock);
	return !grip && !take(grips, task, false, false);
}

/* A grip on every thread that is covered, or on those of process @only. */
int sonde_grips_take(struct sonde_grips *grips, u32 only)
{
	struct taking taking = { .grips = grips, .only = only };

	return sonde_finder_each(grips->session->finder, take_one, &taking);
}

/**
 * sonde_hold_newborn() - hold a new thread, where its session holds others
 * @session: whose finder tells of it
 * @task: the thread, which the current one has made; it has not run
 *
 * Context: The finder's; its found(). May sleep.
 */
void sonde_hold_newborn(struct sonde_session *session, struct task_struct *task)
{
	struct sonde_grips *grips = READ_ONCE(session->grips);
	struct sonde_grip *maker;
	bool paused = false;

	if (!grips || !wants(session, task, 0))
		return;
	maker = sonde_grip_get(grips, current);
	if (maker) {
		paused = task->tgid == current->tgid &&
			 READ_ONCE(maker->paused);
		utrace_engine_put(maker->engine);
	}
	/* a search comes with the first tap that is held, and sees the child */
	if (paused || rcu_access_pointer(grips->taps))
		take(grips, task, true, paused);
}

static void set_all_events(struct sonde_grips *grips)
{
	unsigned long events = events_of(grips);
	struct sonde_grip *grip;
	int bucket;

	spin_lock(&grips->lock);
	hash_for_each(grips->table, bucket, grip, node)
		if (utrace_set_events(grip->task, grip->engine, events))
			continue; /* it ends */
	spin_unlock(&grips->lock);
}

/* Those of process @only; 0: all. */
static void drop_grips(struct sonde_grips *grips, u32 only)
{
	struct sonde_grip *grip, *other;
	struct hlist_node *next;
	LIST_HEAD(dropped);
	int bucket;

	spin_lock(&grips->lock);
	hash_for_each_safe(grips->table, bucket, next, grip, node) {
		if (only && grip->tgid != only)
			continue;
		hash_del(&grip->node);
		list_add(&grip->drop, &dropped);
	}
	spin_unlock(&grips->lock);
	list_for_each_entry_safe(grip, other, &dropped, drop)
		let_go(grip);
}

struct sonde_grips *sonde_grips_of(struct sonde_session *session)
{
	struct sonde_grips *grips = session->grips;

	lockdep_assert_held(&session->lock);
	if (grips)
		return grips;
	grips = sonde_alloc(SONDE_MEMORY_HELD, sizeof(*grips));
	if (!grips)
		return NULL;
	refcount_set(&grips->ref, 1);
	spin_lock_init(&grips->lock);
	hash_init(grips->table);
	grips->session = session;
	refcount_inc(&session->ref);
	grips->ops = (struct utrace_engine_ops){
		.report_quiesce = on_quiesce,
		.report_syscall_entry = on_entry,
		.report_syscall_exit = on_return,
		.report_clone = on_clone,
		.report_exec = on_exec,
		.report_signal = on_signal,
		.report_exit = on_exit,
		.report_death = on_death,
		.release = on_release,
	};
	smp_store_release(&session->grips, grips); /* whole, for who is born */
	return grips;
}

static unsigned long events_for(u32 kind)
{
	switch ((enum sonde_tap_kind)kind) {
	case SONDE_TAP_SYSCALL_ENTRY:
	case SONDE_TAP_EXEC:
		return UTRACE_EVENT(SYSCALL_ENTRY);
	case SONDE_TAP_SYSCALL_RETURN:
	case SONDE_TAP_EXEC_FAILURE:
		return UTRACE_EVENT(SYSCALL_EXIT);
	case SONDE_TAP_EXEC_SUCCESS:
		return UTRACE_EVENT(EXEC);
	case SONDE_TAP_SIGNAL_DELIVER:
	case SONDE_TAP_SIGNAL_DISCARD:
		return UTRACE_EVENT_SIGNAL_ALL;
	default:
		return 0; /* always there, or not an engine's */
	}
}

/**
 * sonde_hold_check() - can threads be held on this kernel?
 * @kind: of the tap; one that needs no event of its own: at all
 * @why: what to tell the user if not
 *
 * Context: Any.
 * Return: 0 or -EOPNOTSUPP.
 */
int sonde_hold_check(u32 kind, char *why)
{
	const char *missing = sonde_lacks(EVENTS_OF_ALL | events_for(kind));

	if (!missing)
		return 0;
	scnprintf(why, SONDE_WHY,
		  "no thread can be held there: this kernel's %s is not the one that sonde knows (dmesg says more); -x source=ptrace does it",
		  missing);
	return -EOPNOTSUPP;
}

static struct held_taps *make_taps(struct sonde_session *session)
{
	struct sonde_armed *armed;
	struct held_taps *taps;
	unsigned long id;
	u32 count = 0;

	xa_for_each(&session->taps, id, armed)
		count += armed->held;
	if (!count)
		return NULL;
	taps = sonde_alloc(SONDE_MEMORY_HELD, struct_size(taps, taps, count));
	if (!taps)
		return ERR_PTR(-ENOMEM);
	xa_for_each(&session->taps, id, armed) {
		if (!armed->held)
			continue;
		taps->kinds[armed->tap.kind] = true;
		taps->events |= events_for(armed->tap.kind);
		taps->taps[taps->count++] = (struct held_tap){
			.id = id,
			.kind = armed->tap.kind,
			.number = armed->tap.number,
			.pid = armed->tap.pid,
			.probe = armed->probe,
		};
	}
	return taps;
}

/* Takes no memory: what is held no more does not fire from now on. */
static void mark_gone(struct sonde_session *session)
{
	struct sonde_grips *grips = session->grips;
	struct held_taps *taps = NULL;
	u32 n;

	if (grips)
		taps = rcu_dereference_protected(grips->taps, true);
	for (n = 0; taps && n < taps->count; n++) {
		struct sonde_armed *armed = xa_load(&session->taps,
						    taps->taps[n].id);

		if (!armed || !armed->held ||
		    armed->probe != taps->taps[n].probe)
			WRITE_ONCE(taps->taps[n].gone, true);
	}
}

/**
 * sonde_holds_update() - have the engines that held taps and targets need
 * @session: its lock is held; taps or targets have changed
 *
 * Context: Process context. May sleep.
 * Return: 0, -ENOMEM, those of sonde_finder_follow().
 */
int sonde_holds_update(struct sonde_session *session)
{
	struct held_taps *fresh = make_taps(session), *old;
	struct sonde_grips *grips = session->grips;

	if (IS_ERR(fresh)) {
		mark_gone(session);
		return -ENOMEM;
	}
	if (!fresh && !grips)
		return 0;
	grips = sonde_grips_of(session);
	if (!grips) {
		sonde_free(fresh);
		return -ENOMEM;
	}
	old = rcu_dereference_protected(grips->taps, true);
	rcu_assign_pointer(grips->taps, fresh);
	if (old) {
		synchronize_rcu();
		sonde_free(old);
	}
	set_all_events(grips);
	if (!fresh)
		return 0;
	return sonde_finder_follow(session->finder) ?: sonde_grips_take(grips, 0);
}

/* The current thread's, or NULL: ourselves, or no memory. */
static struct sonde_grip *own_grip(struct sonde_grips *grips)
{
	struct sonde_grip *grip = sonde_grip_get(grips, current);

	if (grip)
		return grip;
	take(grips, current, false, false);
	return sonde_grip_get(grips, current);
}

/* One file that it has mapped was seen. */
void sonde_grip_seen(struct sonde_grip *grip)
{
	spin_lock(&grip->lock);
	if (grip->mapped)
		grip->mapped--;
	spin_unlock(&grip->lock);
}

/**
 * sonde_hold_mapped() - the current thread waits for one SONDE_SEEN more
 * @session: that follows its process
 *
 * Not if the process has been let go meanwhile: that takes it from the targets
 * first, then the grips.
 *
 * Context: A task work. May sleep.
 * Return: whether it does.
 */
bool sonde_hold_mapped(struct sonde_session *session)
{
	struct sonde_grip *grip = own_grip(session->grips);
	bool followed;

	if (!grip)
		return false;
	followed = sonde_target_followed(session, current->tgid);
	if (followed) {
		spin_lock(&grip->lock);
		grip->mapped++;
		spin_unlock(&grip->lock);
		sonde_grip_tell(grip, UTRACE_STOP);
	}
	utrace_engine_put(grip->engine);
	return followed;
}

/**
 * sonde_hold_unmapped() - the current thread waits for one SONDE_SEEN less
 * @session: after sonde_hold_mapped()
 *
 * Context: A task work.
 */
void sonde_hold_unmapped(struct sonde_session *session)
{
	struct sonde_grip *grip = sonde_grip_get(session->grips, current);

	if (!grip)
		return;
	sonde_grip_seen(grip);
	sonde_grip_tell(grip, sonde_grip_resume(grip));
	utrace_engine_put(grip->engine);
}

/**
 * sonde_hold_user() - fire a user tap whose probe has ECBs that hold
 * @armed: the tap; the session covers the current task
 * @firing: with the registers
 *
 * Context: The handler of a uprobe. May sleep.
 */
void sonde_hold_user(struct sonde_armed *armed, struct sonde_firing *firing)
{
	struct sonde_grip *grip = own_grip(armed->session->grips);

	if (!grip) {
		if (current->tgid != armed->session->opener)
			sonde_lose_probe(armed->session, armed->probe);
		return;
	}
	add_waiting(grip, firing, armed->probe);
	sonde_grip_tell(grip, UTRACE_REPORT);
	utrace_engine_put(grip->engine);
}

/**
 * sonde_holds_forget() - let the threads of a process go for good
 * @session: its lock is held
 * @pid: it is no target any more
 *
 * Context: Process context. Sleeps.
 */
void sonde_holds_forget(struct sonde_session *session, u32 pid)
{
	if (session->grips)
		drop_grips(session->grips, pid);
}

/**
 * sonde_holds_destroy() - let all threads go
 * @session: its taps are gone
 *
 * Context: Process context. Sleeps.
 */
void sonde_holds_destroy(struct sonde_session *session)
{
	struct sonde_grips *grips = session->grips;

	if (!grips)
		return;
	spin_lock(&grips->lock);
	grips->ended = true;
	spin_unlock(&grips->lock);
	drop_grips(grips, 0);
	session->grips = NULL;
	put_grips(grips);
}
