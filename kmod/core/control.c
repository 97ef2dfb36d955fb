// SPDX-License-Identifier: GPL-2.0
/*
 * The calls of the utrace API. Only the barrier sleeps, and attach, which
 * allocates.
 *
 * An engine keeps the state of its thread alive, so every call is valid for a
 * detached engine: it returns -ESRCH and does not access the task.
 */
#include <linux/export.h>
#include <linux/sched/task.h>

#include "kmod/core/internal.h"
#include "kmod/core/memory.h"

struct attach {
	int flags;
	const struct utrace_engine_ops *ops;
	void *data;
	struct utrace_engine *fresh;
	struct utrace_engine *result;
};

static bool control_matches(const struct utrace_engine *engine,
			    const struct attach *a)
{
	if ((a->flags & UTRACE_ATTACH_MATCH_OPS) && engine->ops != a->ops)
		return false;
	if ((a->flags & UTRACE_ATTACH_MATCH_DATA) && engine->data != a->data)
		return false;
	return true;
}

static struct utrace_engine *control_find_match(struct utrace *u,
						const struct attach *a)
{
	struct utrace_engine *engine;

	list_for_each_entry(engine, &u->engines, link)
		if (control_matches(engine, a))
			return engine;
	return NULL;
}

/* Context: the table lock and u->lock are held. */
static int control_attach_to(struct utrace *u, void *data)
{
	struct attach *a = data;
	struct utrace_engine *engine = control_find_match(u, a);

	lockdep_assert_held(&u->lock);
	if (!(a->flags & UTRACE_ATTACH_CREATE)) {
		if (!engine)
			return -ENOENT;
		utrace_engine_get(engine);
		a->result = engine;
		return 0;
	}
	if ((a->flags & UTRACE_ATTACH_EXCLUSIVE) && engine)
		return -EEXIST;
	engine = a->fresh;
	engine->utrace = u;
	engine->seq = u->next_seq++;
	sonde_get(u);
	list_add_tail(&engine->link, &u->engines);
	a->result = engine;
	return 0;
}

/**
 * utrace_attach_task() - attach an engine to a thread, or look one up
 * @task: the thread; the caller ensures that the pointer is valid
 * @flags: UTRACE_ATTACH_CREATE makes a new engine; with EXCLUSIVE only if none
 *	matches. Without CREATE an engine is looked up. MATCH_OPS and
 *	MATCH_DATA select what has to match
 * @ops: callbacks of the new engine, or those to match
 * @data: @engine->data of the new engine, or the value to match
 *
 * A new engine wants no events: see utrace_set_events().
 *
 * Context: Process context. May sleep if it creates.
 * Return: the engine, with a reference for the caller, or -EEXIST, -ENOENT,
 * -ENOMEM, -EPERM for a kernel thread, -ESRCH for a reaped thread, -EOPNOTSUPP
 * if a function cannot be hooked (see the kernel log).
 */
struct utrace_engine *utrace_attach_task(struct task_struct *task, int flags,
					 const struct utrace_engine_ops *ops,
					 void *data)
{
	struct attach a = { .flags = flags, .ops = ops, .data = data };
	bool create = flags & UTRACE_ATTACH_CREATE;
	int err;

	if (task->flags & SONDE_PF_KERNEL)
		return ERR_PTR(-EPERM);
	if (create) {
		might_sleep();
		if (!ops)
			return ERR_PTR(-EINVAL);
		if (sonde_lacks(SONDE_CAN_ATTACH))
			return ERR_PTR(-EOPNOTSUPP);
		a.fresh = sonde_alloc_within(NULL, SONDE_MEMORY_ENGINES,
					     sizeof(*a.fresh), GFP_KERNEL);
		if (!a.fresh)
			return ERR_PTR(-ENOMEM);
		a.fresh->ops = ops;
		a.fresh->data = data;
		a.fresh->resume = UTRACE_RESUME;
		INIT_LIST_HEAD(&a.fresh->link);
		refcount_set(&a.fresh->ref, 2);	/* caller, attachment */
	}
	err = sonde_with_state(task, create, control_attach_to, &a);
	if (err) {
		sonde_free(a.fresh);
		return ERR_PTR(err);
	}
	if (create)
		atomic_inc(&sonde_engines);
	return a.result;
}
EXPORT_SYMBOL_GPL(utrace_attach_task);

/**
 * utrace_attach_pid() - utrace_attach_task() for a struct pid
 * @pid: of the thread
 * @flags: as there
 * @ops: as there
 * @data: as there
 *
 * Context: Process context. May sleep.
 * Return: as there; -ESRCH if there is no such thread.
 */
struct utrace_engine *utrace_attach_pid(struct pid *pid, int flags,
					const struct utrace_engine_ops *ops,
					void *data)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);
	struct utrace_engine *engine;

	if (!task)
		return ERR_PTR(-ESRCH);
	engine = utrace_attach_task(task, flags, ops, data);
	put_task_struct(task);
	return engine;
}
EXPORT_SYMBOL_GPL(utrace_attach_pid);

/**
 * utrace_engine_get() - take another reference to an engine
 * @engine: the caller already has a reference to it
 *
 * Context: Any.
 */
void utrace_engine_get(struct utrace_engine *engine)
{
	refcount_inc(&engine->ref);
}
EXPORT_SYMBOL_GPL(utrace_engine_get);

/**
 * utrace_engine_put() - drop a reference to an engine
 * @engine: its release callback is called with the last reference
 *
 * Context: Process context, not under a lock that @engine->ops->release takes.
 */
void utrace_engine_put(struct utrace_engine *engine)
{
	if (!refcount_dec_and_test(&engine->ref))
		return;
	if (engine->ops->release)
		engine->ops->release(engine->data);
	sonde_put(engine->utrace);
	sonde_free(engine);
	atomic_dec(&sonde_engines);
}
EXPORT_SYMBOL_GPL(utrace_engine_put);

/* -ESRCH if the engine is detached, or not an engine of @task. */
static int control_check(const struct utrace *u,
			 const struct utrace_engine *engine,
			 const struct task_struct *task)
{
	if (engine->detached || (task && u->task != task))
		return -ESRCH;
	return 0;
}

/* -EINVAL if the engine does not hold the thread. */
static int control_check_held(const struct utrace *u,
			      const struct utrace_engine *engine,
			      const struct task_struct *task)
{
	return control_check(u, engine, task) ?:
	       engine->resume == UTRACE_STOP ? 0 : -EINVAL;
}

static int control_check_events(const struct utrace *u, unsigned long old,
				unsigned long events)
{
	const unsigned long unborn = UTRACE_EVENT(DEATH) |
				     UTRACE_EVENT(QUIESCE);

	if (events & ~((1UL << _UTRACE_NEVENTS) - 1))
		return -EINVAL;
	if (sonde_lacks(events & ~old))
		return -EOPNOTSUPP;
	if ((u->dying || u->dead) &&
	    ((events & ~old & unborn) ||
	     (old & ~events & UTRACE_EVENT(DEATH))))
		return -EALREADY;
	if (u->reaping && (old & ~events & UTRACE_EVENT(REAP)))
		return -EALREADY;
	return 0;
}

/**
 * utrace_set_events() - choose the events that an engine gets
 * @task: the engine's thread; may be invalid if the engine is detached
 * @engine: a reference is held
 * @events: UTRACE_EVENT() bits
 *
 * Context: Any but under siglock.
 * Return: 0; -EINPROGRESS if a callback of the engine is running, maybe for an
 * event that is no longer wanted; -EALREADY if it is too late for DEATH,
 * QUIESCE or REAP; -ESRCH if detached; -EINVAL for an unknown event;
 * -EOPNOTSUPP for an event whose kernel function cannot be hooked.
 */
int utrace_set_events(struct task_struct *task, struct utrace_engine *engine,
		      unsigned long events)
{
	struct utrace *u = engine->utrace;
	unsigned long irq, old;
	int err;

	spin_lock_irqsave(&u->lock, irq);
	old = engine->flags;
	err = control_check(u, engine, task);
	if (!err)
		err = control_check_events(u, old, events);
	if (!err) {
		WRITE_ONCE(engine->flags, events);
		sonde_recalc(u);
		if ((old & ~events) && u->reporting == engine &&
		    u->task != current)
			err = -EINPROGRESS;
	}
	spin_unlock_irqrestore(&u->lock, irq);
	if (!err || err == -EINPROGRESS)
		sonde_update_syscall_work(u);
	return err;
}
EXPORT_SYMBOL_GPL(utrace_set_events);

/* Whether it is too late to control the thread. */
static bool control_is_past(const struct utrace *u)
{
	return u->exiting || u->dying || u->dead || u->reaping ||
	       (READ_ONCE(u->task->flags) & PF_EXITING);
}

static int control_detach(struct utrace *u, struct utrace_engine *engine)
{
	if (u->reaping)
		return -ESRCH;
	if (u->dying)
		return -EALREADY;
	sonde_detach_locked(u, engine);
	sonde_wake(u);
	/* Only the thread itself can turn off stepping. */
	if (u->stepping)
		sonde_queue(u, TWA_RESUME);
	return u->reporting == engine && u->task != current ? -EINPROGRESS : 0;
}

static int control_stop(struct utrace *u, struct utrace_engine *engine)
{
	engine->resume = UTRACE_STOP;
	engine->want_report = false;
	if (u->stopped)
		return 0;
	sonde_queue(u, TWA_RESUME);
	return sonde_job_stopped(u->task) ? 0 : -EINPROGRESS;
}

static int control_other(struct utrace *u, struct utrace_engine *engine,
			 enum utrace_resume_action action)
{
	engine->want_report = false;
	engine->resume = UTRACE_RESUME;
	switch (action) {
	case UTRACE_INTERRUPT:
		engine->want_report = true;
		sonde_queue(u, TWA_SIGNAL);
		break;
	case UTRACE_REPORT:
		engine->want_report = true;
		sonde_queue(u, TWA_RESUME);
		break;
	case UTRACE_SINGLESTEP:
	case UTRACE_BLOCKSTEP:
		engine->resume = action;
		sonde_queue(u, TWA_RESUME);
		break;
	default:
		if (u->stepping)
			sonde_queue(u, TWA_RESUME);
		break;
	}
	sonde_wake(u);
	return 0;
}

/**
 * utrace_control() - control what a thread does next
 * @task: the engine's thread; may be invalid if the engine is detached
 * @engine: a reference is held
 * @action: see enum utrace_resume_action
 *
 * STOP does not interrupt a sleeping system call, INTERRUPT does. A stopped
 * thread resumes when no engine wants it stopped.
 *
 * Context: Any but under siglock.
 * Return: 0; -EINPROGRESS if the thread has not stopped yet, or a callback of
 * the detached engine is running; -EALREADY if report_death is running; -ESRCH
 * if detached, reaped, or past report_exit (except DETACH); -EINVAL for an
 * unknown action. SIGKILL or an exit may come before a STOP takes effect: then
 * there is no stop, only report_death.
 */
int utrace_control(struct task_struct *task, struct utrace_engine *engine,
		   enum utrace_resume_action action)
{
	struct utrace *u = engine->utrace;
	bool detached = false;
	unsigned long irq;
	int err;

	if ((unsigned int)action > UTRACE_DETACH)
		return -EINVAL;
	spin_lock_irqsave(&u->lock, irq);
	err = control_check(u, engine, task);
	if (err)
		goto out_unlock;
	if (action == UTRACE_DETACH) {
		err = control_detach(u, engine);
		detached = !err || err == -EINPROGRESS;
		goto out_unlock;
	}
	if (control_is_past(u)) {
		err = -ESRCH;
		goto out_unlock;
	}
	engine->controlled = true;
	err = action == UTRACE_STOP ? control_stop(u, engine) :
				      control_other(u, engine, action);
out_unlock:
	spin_unlock_irqrestore(&u->lock, irq);
	if (detached) {
		sonde_update_syscall_work(u);
		sonde_retire(u);
		utrace_engine_put(engine);
	}
	return err;
}
EXPORT_SYMBOL_GPL(utrace_control);

static bool control_in_callback(struct utrace *u, struct utrace_engine *engine)
{
	bool in;

	spin_lock_irq(&u->lock);
	in = u->reporting == engine;
	spin_unlock_irq(&u->lock);
	return in;
}

/**
 * utrace_barrier() - wait until no callback of an engine runs
 * @task: the engine's thread; may be invalid if the engine is detached
 * @engine: a reference is held; it may be detached
 *
 * Context: Process context, not in a callback of @engine. Sleeps.
 * Return: 0; -ESRCH if the engine is detached and no callback runs;
 * -ERESTARTSYS if interrupted.
 */
int utrace_barrier(struct task_struct *task, struct utrace_engine *engine)
{
	struct utrace *u = engine->utrace;

	might_sleep();
	if (!control_in_callback(u, engine))
		return READ_ONCE(engine->detached) ? -ESRCH : 0;
	if (u->task == current)
		return 0;
	if (wait_event_interruptible(u->wait, !control_in_callback(u, engine)))
		return -ERESTARTSYS;
	return 0;
}
EXPORT_SYMBOL_GPL(utrace_barrier);

/**
 * utrace_prepare_examine() - begin to examine a stopped thread
 * @task: the thread
 * @engine: its STOP must be in force
 * @exam: for utrace_finish_examine()
 *
 * Context: Process context. Spins briefly while the thread leaves its CPU.
 * Return: 0; -EINVAL if the engine does not hold the thread; -EAGAIN if it has
 * not stopped yet; -ESRCH.
 */
int utrace_prepare_examine(struct task_struct *task,
			   struct utrace_engine *engine,
			   struct utrace_examiner *exam)
{
	struct utrace *u = engine->utrace;
	int err, turns = 10000;

	spin_lock_irq(&u->lock);
	err = control_check_held(u, engine, task);
	if (!err && !u->stopped && !sonde_job_stopped(u->task))
		err = -EAGAIN;
	spin_unlock_irq(&u->lock);
	if (err)
		return err;
	while (READ_ONCE(task->on_cpu) && --turns)
		cpu_relax();
	if (!turns)
		return -EAGAIN;
	exam->switches = task->nvcsw + task->nivcsw;
	return 0;
}
EXPORT_SYMBOL_GPL(utrace_prepare_examine);

/**
 * utrace_finish_examine() - check that the thread did not run meanwhile
 * @task: the thread
 * @engine: as in utrace_prepare_examine()
 * @exam: as filled in there
 *
 * Context: Any.
 * Return: 0; -EAGAIN if it ran; -ESRCH; -EINVAL if no longer held.
 */
int utrace_finish_examine(struct task_struct *task,
			  struct utrace_engine *engine,
			  struct utrace_examiner *exam)
{
	struct utrace *u = engine->utrace;
	unsigned long irq;
	int err;

	spin_lock_irqsave(&u->lock, irq);
	err = control_check_held(u, engine, task);
	if (!err && exam->switches != task->nvcsw + task->nivcsw)
		err = -EAGAIN;
	spin_unlock_irqrestore(&u->lock, irq);
	return err;
}
EXPORT_SYMBOL_GPL(utrace_finish_examine);

/**
 * utrace_set_events_pid() - utrace_set_events() for a struct pid
 * @pid: of the thread
 * @engine: as there
 * @events: as there
 *
 * Context: As there.
 * Return: as there.
 */
int utrace_set_events_pid(struct pid *pid, struct utrace_engine *engine,
			  unsigned long events)
{
	struct task_struct *task;
	int err = -ESRCH;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_PID);
	if (task)
		err = utrace_set_events(task, engine, events);
	rcu_read_unlock();
	return err;
}
EXPORT_SYMBOL_GPL(utrace_set_events_pid);

/**
 * utrace_control_pid() - utrace_control() for a struct pid
 * @pid: of the thread
 * @engine: as there
 * @action: as there
 *
 * Context: Process context: a DETACH may call the release callback.
 * Return: as there.
 */
int utrace_control_pid(struct pid *pid, struct utrace_engine *engine,
		       enum utrace_resume_action action)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);
	int err;

	if (!task)
		return -ESRCH;
	err = utrace_control(task, engine, action);
	put_task_struct(task);
	return err;
}
EXPORT_SYMBOL_GPL(utrace_control_pid);

/**
 * utrace_barrier_pid() - utrace_barrier() for a struct pid
 * @pid: of the thread; unused, because the engine knows its thread
 * @engine: as there
 *
 * Context: As there.
 * Return: as there.
 */
int utrace_barrier_pid(struct pid *pid, struct utrace_engine *engine)
{
	return utrace_barrier(NULL, engine);
}
EXPORT_SYMBOL_GPL(utrace_barrier_pid);
