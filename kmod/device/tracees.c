// SPDX-License-Identifier: GPL-2.0
/*
 * Tracees: threads that have an engine of the session. hold.c describes how it
 * works, and handles the events of the engines.
 *
 * The process that opened a session is never its tracee: nobody could release
 * it.
 */
#include <linux/hashtable.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "kmod/compat.h"
#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/covers.h"
#include "kmod/device/events.h"
#include "kmod/device/hold.h"
#include "kmod/device/session.h"
#include "kmod/device/task_work.h"
#include "kmod/finder.h"

/*
 * Longer than the arming of a large library takes, so that only a thread for which
 * sonde itself waits goes on early: one that reads sonde's output from a pipe.
 */
#define PATIENCE (10u * HZ)

void sonde_tracees_put(struct sonde_tracees *tracees)
{
	if (!refcount_dec_and_test(&tracees->ref))
		return;
	sonde_free(rcu_dereference_protected(tracees->taps, true));
	sonde_session_put(tracees->session);
	sonde_free(tracees);
}

/**
 * sonde_tracee_hold() - set whether the current thread waits for a release
 * @tracee: the current thread
 * @held: whether it waits
 *
 * Context: The thread itself. Does not sleep.
 */
void sonde_tracee_hold(struct sonde_tracee *tracee, bool held)
{
	struct sonde_session *session = tracee->tracees->session;
	bool was;

	spin_lock(&tracee->lock);
	was = tracee->held;
	tracee->held = held;
	spin_unlock(&tracee->lock);
	if (held && !was) {
		atomic_inc(&session->held);
		atomic64_inc(&session->stops);
	} else if (was && !held) {
		atomic_dec(&session->held);
	}
}

/* A member's session cannot hold a process that an exec has made untraceable. */
static bool tracee_may_hold(const struct sonde_tracee *tracee)
{
	struct sonde_session *session = tracee->tracees->session;

	return session->privileged ||
	       sonde_finder_has(session->finder, tracee->tgid);
}

u32 sonde_tracee_resume(struct sonde_tracee *tracee)
{
	bool stays;

	spin_lock(&tracee->lock);
	stays = !tracee->dropped && (tracee->held || tracee->mapped);
	spin_unlock(&tracee->lock);
	return stays && tracee_may_hold(tracee) ? UTRACE_STOP : UTRACE_RESUME;
}

/* Has no effect on a thread that ends. */
int sonde_tracee_control(struct sonde_tracee *tracee,
			 enum utrace_resume_action action)
{
	return utrace_control(tracee->task, tracee->engine, action);
}

/**
 * sonde_tracee_pauses() - the current thread may wait for another process for a
 * long time
 * @tracee: the current thread
 * @pause: for sonde_tracee_resumes()
 *
 * Context: A callback of its engine.
 * Return: false: it may not, because it is being released for good.
 */
bool sonde_tracee_pauses(struct sonde_tracee *tracee, struct sonde_pause *pause)
{
	bool may;

	spin_lock(&tracee->lock);
	may = !tracee->dropped;
	tracee->absent = may;
	spin_unlock(&tracee->lock);
	if (may)
		sonde_pause_begin(pause);
	return may;
}

/**
 * sonde_tracee_resumes() - undo sonde_tracee_pauses()
 * @tracee: the same
 * @pause: the same
 *
 * Context: The same callback.
 * Return: whether it was released for good: then the session must not be
 * accessed.
 */
bool sonde_tracee_resumes(struct sonde_tracee *tracee,
			  struct sonde_pause *pause)
{
	bool dropped;

	spin_lock(&tracee->lock);
	tracee->absent = false;
	dropped = tracee->dropped;
	spin_unlock(&tracee->lock);
	sonde_pause_end(pause); /* from here on the core keeps the module */
	return dropped;
}

static struct sonde_tracee *tracee_find(struct sonde_tracees *tracees,
					struct task_struct *task)
{
	struct sonde_tracee *tracee;

	lockdep_assert_held(&tracees->lock);
	hash_for_each_possible(tracees->table, tracee, node,
			       (unsigned long)task)
		if (tracee->task == task)
			return tracee;
	return NULL;
}

/* Returned with a reference to its engine, which keeps the tracee. */
struct sonde_tracee *sonde_tracee_get(struct sonde_tracees *tracees,
				      struct task_struct *task)
{
	struct sonde_tracee *tracee;

	spin_lock(&tracees->lock);
	tracee = tracee_find(tracees, task);
	if (tracee)
		utrace_engine_get(tracee->engine);
	spin_unlock(&tracees->lock);
	return tracee;
}

/* Whether no other thread of the process is left; true for one thread only. */
bool sonde_tracee_exits_last(struct sonde_tracee *tracee)
{
	struct sonde_tracees *tracees = tracee->tracees;
	struct task_struct *thread;
	struct sonde_tracee *other;
	bool last = true;

	rcu_read_lock();
	spin_lock(&tracees->lock);
	tracee->exited = true;
	for_each_thread(current, thread) {
		other = tracee_find(tracees, thread);
		last = !other || other->exited;
		if (!last)
			break;
	}
	spin_unlock(&tracees->lock);
	rcu_read_unlock();
	return last;
}

/*
 * Removes a tracee from the table. Return: whether it was there; then its
 * engine reference is the caller's.
 */
bool sonde_tracee_unlink(struct sonde_tracee *tracee)
{
	struct sonde_tracees *tracees = tracee->tracees;
	bool linked;

	spin_lock(&tracees->lock);
	linked = !hlist_unhashed(&tracee->node);
	hash_del(&tracee->node);
	spin_unlock(&tracees->lock);
	return linked;
}

/* Releases a thread for good. The caller has unlinked the tracee. */
static void tracee_let_go(struct sonde_tracee *tracee)
{
	struct sonde_session *session = tracee->tracees->session;
	struct utrace_engine *engine = tracee->engine;
	struct task_struct *task = tracee->task;
	bool absent;

	spin_lock(&tracee->lock);
	tracee->dropped = true;
	absent = tracee->absent;
	spin_unlock(&tracee->lock);
	while (utrace_control(task, engine, UTRACE_DETACH) == -EALREADY)
		schedule_timeout_uninterruptible(1);
	while (!absent && utrace_barrier(task, engine) != -ESRCH)
		schedule_timeout_uninterruptible(1);
	if (tracee->held)
		atomic_dec(&session->held);
	utrace_engine_put(engine);
}

static bool tracee_link(struct sonde_tracee *tracee)
{
	struct sonde_tracees *tracees = tracee->tracees;
	bool ended;

	spin_lock(&tracees->lock);
	ended = tracees->ended;
	if (!ended)
		hash_add(tracees->table, &tracee->node,
			 (unsigned long)tracee->task);
	spin_unlock(&tracees->lock);
	return !ended;
}

/*
 * Return: 0; -EEXIST: it is a tracee already; -EDEADLK, -ESRCH, -EPERM,
 * -ENOMEM.
 */
static int tracee_take(struct sonde_tracees *tracees, struct task_struct *task,
		       bool newborn)
{
	const int flags = UTRACE_ATTACH_CREATE | UTRACE_ATTACH_EXCLUSIVE |
			  UTRACE_ATTACH_MATCH_OPS;
	struct utrace_engine *engine;
	struct sonde_tracee *tracee;
	int err;

	if (task->tgid == tracees->session->opener)
		return -EDEADLK;
	tracee = sonde_alloc_within(&tracees->session->account->fired, SONDE_MEMORY_HELD,
				    sizeof(*tracee), GFP_KERNEL);
	if (!tracee)
		return -ENOMEM;
	tracee->tracees = tracees;
	tracee->task = task;
	tracee->tgid = task->tgid;
	tracee->newborn = newborn;
	spin_lock_init(&tracee->lock);
	INIT_LIST_HEAD(&tracee->waiting);
	engine = utrace_attach_task(task, flags, &tracees->ops, tracee);
	if (IS_ERR(engine)) {
		sonde_free(tracee);
		return PTR_ERR(engine);
	}
	refcount_inc(&tracees->ref);
	tracee->engine = engine;
	/*
	 * A reference for us: once it is linked, the death of the thread or the
	 * end of the session may drop the other two.
	 */
	utrace_engine_get(engine);
	if (!tracee_link(tracee)) {
		tracee_let_go(tracee);
		utrace_engine_put(engine);
		return -ESRCH;
	}
	err = utrace_set_events(task, engine, READ_ONCE(tracees->events));
	if (err && sonde_tracee_unlink(tracee))
		tracee_let_go(tracee);
	if (!err && newborn)
		sonde_tracee_control(tracee, UTRACE_REPORT);
	utrace_engine_put(engine);
	return err;
}

static bool tracee_wants(struct sonde_session *session,
			 struct task_struct *task)
{
	if ((task->flags & SONDE_PF_KERNEL) || READ_ONCE(task->exit_state))
		return false;
	return session->targeted ?
		       sonde_finder_has(session->finder, task->tgid) :
		       session->privileged;
}

static bool tracee_take_one(void *data, struct task_struct *task)
{
	struct sonde_tracees *tracees = data;
	struct sonde_tracee *tracee;

	if (!tracee_wants(tracees->session, task))
		return false;
	spin_lock(&tracees->lock);
	tracee = tracee_find(tracees, task);
	spin_unlock(&tracees->lock);
	return !tracee && !tracee_take(tracees, task, false);
}

/* Makes every thread that the session traces a tracee. */
int sonde_tracees_take(struct sonde_tracees *tracees)
{
	return sonde_finder_each(tracees->session->finder, tracee_take_one,
				 tracees);
}

/**
 * sonde_hold_newborn() - make a new thread a tracee, if its session holds
 * threads
 * @session: the session of the finder
 * @task: the thread, which the current one has created; it has not run yet
 *
 * Context: found() of the finder. May sleep.
 */
void sonde_hold_newborn(struct sonde_session *session, struct task_struct *task)
{
	struct sonde_tracees *tracees = READ_ONCE(session->tracees);

	if (!tracees || !tracee_wants(session, task))
		return;
	/* the first held tap starts a search, which sees the child */
	if (rcu_access_pointer(tracees->taps))
		tracee_take(tracees, task, true);
}

/*
 * There may be very many tracees. So these take the lock for one bucket of the
 * table at a time: new ones have the new events already, and none is added that
 * shall be dropped.
 */
void sonde_tracees_set_events(struct sonde_tracees *tracees)
{
	unsigned long events = READ_ONCE(tracees->events);
	struct sonde_tracee *tracee;
	int bucket;

	for (bucket = 0; bucket < HASH_SIZE(tracees->table); bucket++) {
		spin_lock(&tracees->lock);
		hlist_for_each_entry(tracee, &tracees->table[bucket], node)
			if (utrace_set_events(tracee->task, tracee->engine,
					      events))
				continue; /* the thread ends */
		spin_unlock(&tracees->lock);
		cond_resched();
	}
}

/* Drops the tracees of process @only; 0: all. */
static void tracee_drop_all(struct sonde_tracees *tracees, u32 only)
{
	struct sonde_tracee *tracee, *other;
	struct hlist_node *next;
	LIST_HEAD(dropped);
	int bucket;

	for (bucket = 0; bucket < HASH_SIZE(tracees->table); bucket++) {
		spin_lock(&tracees->lock);
		hlist_for_each_entry_safe(tracee, next, &tracees->table[bucket],
					  node) {
			if (only && tracee->tgid != only)
				continue;
			hash_del(&tracee->node);
			list_add(&tracee->drop, &dropped);
		}
		spin_unlock(&tracees->lock);
		cond_resched();
	}
	list_for_each_entry_safe(tracee, other, &dropped, drop) {
		tracee_let_go(tracee);
		cond_resched();
	}
}

struct sonde_tracees *sonde_tracees_of(struct sonde_session *session)
{
	struct sonde_tracees *tracees = session->tracees;

	lockdep_assert_held(&session->lock);
	if (tracees)
		return tracees;
	tracees = sonde_alloc(SONDE_MEMORY_HELD, sizeof(*tracees));
	if (!tracees)
		return NULL;
	refcount_set(&tracees->ref, 1);
	spin_lock_init(&tracees->lock);
	hash_init(tracees->table);
	tracees->session = session;
	refcount_inc(&session->ref);
	tracees->ops = sonde_hold_ops;
	tracees->events = SONDE_HOLD_EVENTS;
	/* fully initialised, for sonde_hold_newborn() */
	smp_store_release(&session->tracees, tracees);
	return tracees;
}

/* The tracee of the current thread, or NULL: our own process, or no memory. */
struct sonde_tracee *sonde_tracee_own(struct sonde_tracees *tracees)
{
	struct sonde_tracee *tracee = sonde_tracee_get(tracees, current);

	if (tracee)
		return tracee;
	tracee_take(tracees, current, false);
	return sonde_tracee_get(tracees, current);
}

/* The consumer has acknowledged one file that the thread has mapped. */
void sonde_tracee_acknowledged(struct sonde_tracee *tracee)
{
	spin_lock(&tracee->lock);
	if (tracee->mapped)
		tracee->mapped--;
	spin_unlock(&tracee->lock);
}

/**
 * sonde_hold_mapped() - make the current thread wait until a file is acknowledged
 * @session: it follows the process, or the file
 *
 * The thread waits for one more SONDE_ACKNOWLEDGE; not if the process has been
 * released meanwhile, which removes it from the targets first, then from the
 * tracees. The wait of a process that is not a target has an end.
 *
 * Context: A task work. May sleep.
 * Return: whether the thread waits.
 */
bool sonde_hold_mapped(struct sonde_session *session)
{
	struct sonde_tracee *tracee = sonde_tracee_own(session->tracees);
	bool named = sonde_finder_has(session->finder, current->tgid), stays;

	if (!tracee)
		return false;
	stays = tracee_wants(session, current);
	if (stays) {
		spin_lock(&tracee->lock);
		tracee->mapped++;
		tracee->impatient = !named;
		tracee->until = jiffies + PATIENCE;
		spin_unlock(&tracee->lock);
		sonde_tracee_control(tracee, UTRACE_STOP);
	}
	if (stays && !named)
		schedule_delayed_work(&session->patience, PATIENCE);
	utrace_engine_put(tracee->engine);
	return stays;
}

/* Ends the thread's wait if it has been too long. Return: whether it goes on waiting. */
static bool tracee_waits_on(struct sonde_tracee *tracee, u32 *ended)
{
	bool waits, over;

	spin_lock(&tracee->lock);
	waits = tracee->mapped && tracee->impatient;
	over = waits && time_after_eq(jiffies, tracee->until);
	if (over)
		tracee->mapped = 0;
	spin_unlock(&tracee->lock);
	if (over) {
		sonde_tracee_control(tracee, sonde_tracee_resume(tracee));
		(*ended)++;
	}
	return waits && !over;
}

static void tracee_notify_impatience(struct sonde_session *session, u32 count)
{
	const struct sonde_event notice = { .kind = SONDE_EVENT_NOTICE };
	char text[SONDE_WHY];

	scnprintf(text, sizeof(text),
		  "%u threads that had mapped a new file went on before its probes were armed: sonde did not come to it within %u s",
		  count, PATIENCE / HZ);
	sonde_event_text(session, &notice, text);
}

static void tracee_lose_patience(struct work_struct *work)
{
	struct sonde_session *session = container_of(to_delayed_work(work),
						     struct sonde_session,
						     patience);
	struct sonde_tracees *tracees = session->tracees;
	struct sonde_tracee *tracee;
	bool some = false;
	u32 ended = 0;
	int bucket;

	for (bucket = 0; bucket < HASH_SIZE(tracees->table); bucket++) {
		spin_lock(&tracees->lock);
		hlist_for_each_entry(tracee, &tracees->table[bucket], node)
			some |= tracee_waits_on(tracee, &ended);
		spin_unlock(&tracees->lock);
		cond_resched();
	}
	if (ended)
		tracee_notify_impatience(session, ended);
	if (some)
		schedule_delayed_work(&session->patience, HZ);
}

/**
 * sonde_tracees_init() - initialise without tracees
 * @session: it is being made
 *
 * Context: Process context.
 */
void sonde_tracees_init(struct sonde_session *session)
{
	INIT_DELAYED_WORK(&session->patience, tracee_lose_patience);
}

/**
 * sonde_hold_unmapped() - undo one sonde_hold_mapped()
 * @session: after sonde_hold_mapped()
 *
 * Context: A task work.
 */
void sonde_hold_unmapped(struct sonde_session *session)
{
	struct sonde_tracee *tracee =
		sonde_tracee_get(session->tracees, current);

	if (!tracee)
		return;
	sonde_tracee_acknowledged(tracee);
	sonde_tracee_control(tracee, sonde_tracee_resume(tracee));
	utrace_engine_put(tracee->engine);
}

/**
 * sonde_holds_forget() - release the threads of a process for good
 * @session: its lock is held
 * @pid: it is not a target any more; 0: no process is
 *
 * Context: Process context. Sleeps.
 */
void sonde_holds_forget(struct sonde_session *session, u32 pid)
{
	lockdep_assert_held(&session->lock);
	if (session->tracees)
		tracee_drop_all(session->tracees, pid);
}

/**
 * sonde_holds_destroy() - release all threads for good
 * @session: it has no taps any more
 *
 * Context: Process context. Sleeps.
 */
void sonde_holds_destroy(struct sonde_session *session)
{
	struct sonde_tracees *tracees = session->tracees;

	might_sleep();
	if (!tracees)
		return;
	spin_lock(&tracees->lock);
	tracees->ended = true;
	spin_unlock(&tracees->lock);
	cancel_delayed_work_sync(&session->patience); /* no task work runs any more */
	tracee_drop_all(tracees, 0);
	session->tracees = NULL;
	sonde_tracees_put(tracees);
}
