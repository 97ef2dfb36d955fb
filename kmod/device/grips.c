// SPDX-License-Identifier: GPL-2.0
/*
 * Grips: a session's engines on threads. hold.c has the theory, and what the
 * engines tell.
 *
 * A session never has a grip on the process that opened it: nobody would answer.
 */
#include <linux/hashtable.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "kmod/compat.h"
#include "kmod/core/memory.h"
#include "kmod/device/covers.h"
#include "kmod/device/hold.h"
#include "kmod/device/session.h"
#include "kmod/device/works.h"
#include "kmod/finder.h"

void sonde_grips_put(struct sonde_grips *grips)
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
static bool grip_may_hold(const struct sonde_grip *grip)
{
	struct sonde_session *session = grip->grips->session;

	return session->privileged || sonde_finder_has(session->finder, grip->tgid);
}

u32 sonde_grip_resume(struct sonde_grip *grip)
{
	bool stays;

	spin_lock(&grip->lock);
	stays = !grip->dropped && (grip->held || grip->mapped);
	spin_unlock(&grip->lock);
	return stays && grip_may_hold(grip) ? UTRACE_STOP : UTRACE_RESUME;
}

/* A thread that ends is told nothing any more. */
int sonde_grip_tell(struct sonde_grip *grip, enum utrace_resume_action action)
{
	return utrace_control(grip->task, grip->engine, action);
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

static struct sonde_grip *grip_find_grip(struct sonde_grips *grips,
					 struct task_struct *task)
{
	struct sonde_grip *grip;

	lockdep_assert_held(&grips->lock);
	hash_for_each_possible(grips->table, grip, node, (unsigned long)task)
		if (grip->task == task)
			return grip;
	return NULL;
}

/* With a reference to its engine, which keeps it. */
struct sonde_grip *sonde_grip_get(struct sonde_grips *grips,
				  struct task_struct *task)
{
	struct sonde_grip *grip;

	spin_lock(&grips->lock);
	grip = grip_find_grip(grips, task);
	if (grip)
		utrace_engine_get(grip->engine);
	spin_unlock(&grips->lock);
	return grip;
}

/* Whether no other thread of the process is left; of several, one is told so. */
bool sonde_grip_exits_last(struct sonde_grip *grip)
{
	struct sonde_grips *grips = grip->grips;
	struct task_struct *thread;
	struct sonde_grip *other;
	bool last = true;

	rcu_read_lock();
	spin_lock(&grips->lock);
	grip->exited = true;
	for_each_thread(current, thread) {
		other = grip_find_grip(grips, thread);
		last = !other || other->exited;
		if (!last)
			break;
	}
	spin_unlock(&grips->lock);
	rcu_read_unlock();
	return last;
}

/* Takes a grip out of the table: whether it was in, and its engine is ours. */
bool sonde_grip_unlink(struct sonde_grip *grip)
{
	struct sonde_grips *grips = grip->grips;
	bool linked;

	spin_lock(&grips->lock);
	linked = !hlist_unhashed(&grip->node);
	hash_del(&grip->node);
	spin_unlock(&grips->lock);
	return linked;
}

/* Lets a thread go for good. The caller has unlinked the grip. */
static void grip_let_go(struct sonde_grip *grip)
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

static bool grip_link_grip(struct sonde_grip *grip)
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
static int grip_take(struct sonde_grips *grips, struct task_struct *task,
		     bool newborn)
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
	if (!grip_link_grip(grip)) {
		grip_let_go(grip);
		utrace_engine_put(engine);
		return -ESRCH;
	}
	err = utrace_set_events(task, engine, READ_ONCE(grips->events));
	if (err && sonde_grip_unlink(grip))
		grip_let_go(grip);
	if (!err && newborn)
		sonde_grip_tell(grip, UTRACE_REPORT);
	utrace_engine_put(engine);
	return err;
}

static bool grip_wants(struct sonde_session *session, struct task_struct *task)
{
	if ((task->flags & SONDE_PF_KERNEL) || READ_ONCE(task->exit_state))
		return false;
	return session->targeted ? sonde_finder_has(session->finder, task->tgid) :
				   session->privileged;
}

static bool grip_take_one(void *data, struct task_struct *task)
{
	struct sonde_grips *grips = data;
	struct sonde_grip *grip;

	if (!grip_wants(grips->session, task))
		return false;
	spin_lock(&grips->lock);
	grip = grip_find_grip(grips, task);
	spin_unlock(&grips->lock);
	return !grip && !grip_take(grips, task, false);
}

/* A grip on every thread that is covered. */
int sonde_grips_take(struct sonde_grips *grips)
{
	return sonde_finder_each(grips->session->finder, grip_take_one, grips);
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

	if (!grips || !grip_wants(session, task))
		return;
	/* a search comes with the first tap that is held, and sees the child */
	if (rcu_access_pointer(grips->taps))
		grip_take(grips, task, true);
}

void sonde_grips_set_events(struct sonde_grips *grips)
{
	unsigned long events = READ_ONCE(grips->events);
	struct sonde_grip *grip;
	int bucket;

	spin_lock(&grips->lock);
	hash_for_each(grips->table, bucket, grip, node)
		if (utrace_set_events(grip->task, grip->engine, events))
			continue; /* it ends */
	spin_unlock(&grips->lock);
}

/* Those of process @only; 0: all. */
static void grip_drop_grips(struct sonde_grips *grips, u32 only)
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
		grip_let_go(grip);
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
	grips->ops = sonde_hold_ops;
	grips->events = SONDE_HOLD_EVENTS;
	smp_store_release(&session->grips, grips); /* whole, for who is born */
	return grips;
}

/* The current thread's, or NULL: ourselves, or no memory. */
struct sonde_grip *sonde_grip_own(struct sonde_grips *grips)
{
	struct sonde_grip *grip = sonde_grip_get(grips, current);

	if (grip)
		return grip;
	grip_take(grips, current, false);
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
	struct sonde_grip *grip = sonde_grip_own(session->grips);
	bool followed;

	if (!grip)
		return false;
	followed = sonde_finder_is_marked(session->finder, current->tgid);
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
 * sonde_holds_forget() - let the threads of a process go for good
 * @session: its lock is held
 * @pid: it is no target any more
 *
 * Context: Process context. Sleeps.
 */
void sonde_holds_forget(struct sonde_session *session, u32 pid)
{
	lockdep_assert_held(&session->lock);
	if (session->grips)
		grip_drop_grips(session->grips, pid);
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

	might_sleep();
	if (!grips)
		return;
	spin_lock(&grips->lock);
	grips->ended = true;
	spin_unlock(&grips->lock);
	grip_drop_grips(grips, 0);
	session->grips = NULL;
	sonde_grips_put(grips);
}
