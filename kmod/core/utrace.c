// SPDX-License-Identifier: GPL-2.0
/*
 * The states of traced threads, the dispatcher, stops and the safe point.
 *
 * Nothing is added to task_struct: a hash table keyed by the task pointer holds
 * one struct utrace per traced thread. It is looked up under RCU, removed from
 * the table when the last engine is detached or the thread is reaped, and freed
 * with its last reference.
 *
 * The safe point is a task_work: it runs in the thread, with no locks held,
 * before the return to user mode. It reports deferred events, calls
 * report_quiesce(0) if an engine asked for it, and stops the thread if an
 * engine wants that.
 *
 * A stop is a sleep in TASK_KILLABLE. SIGKILL ends it, including the implicit
 * one of exec and exit_group.
 */
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/sched/task.h>

#include "kmod/core/internal.h"
#include "kmod/core/memory.h"

static DEFINE_HASHTABLE(table, 10);
static DEFINE_SPINLOCK(table_lock);
/*
 * Number of states in the table, by hash of the process; 0: no thread of these
 * processes has one.
 */
static atomic_t groups[1024];
static LIST_HEAD(all_states);
static bool going;
static struct workqueue_struct *reaper;

atomic_t sonde_states = ATOMIC_INIT(0);
atomic_t sonde_engines = ATOMIC_INIT(0);

static void sonde_task_work(struct callback_head *head);
static void sonde_kick(struct callback_head *head);
static void utrace_reap_work(struct work_struct *work);

/* Context: RCU, or preemption off. */
struct utrace *sonde_find(struct task_struct *task)
{
	struct utrace *u;

	hash_for_each_possible_rcu_notrace(table, u, node,
					   (unsigned long)task)
		if (u->task == task)
			return u;
	return NULL;
}

static atomic_t *utrace_group_of(struct task_struct *task)
{
	return &groups[hash_ptr(task->signal, ilog2(ARRAY_SIZE(groups)))];
}

/* Whether a thread of @task's process may have a state: no false negatives. Context: any. */
bool sonde_group_is_traced(struct task_struct *task)
{
	return atomic_read(utrace_group_of(task)) != 0;
}

/* Adds @u to the table. Context: table_lock is held. */
static void utrace_hash(struct utrace *u)
{
	atomic_inc(utrace_group_of(u->task)); /* before it can be found */
	u->hashed = true;
	hash_add_rcu(table, &u->node, (unsigned long)u->task);
}

/* Removes @u from the table. Context: table_lock is held. */
static void utrace_forget(struct utrace *u)
{
	hash_del_rcu(&u->node);
	u->hashed = false;
	atomic_dec(utrace_group_of(u->task));
}

/* Like sonde_find(), with a reference. Context: any. */
struct utrace *sonde_find_get(struct task_struct *task)
{
	struct utrace *u;

	rcu_read_lock();
	u = sonde_find(task);
	if (u && !refcount_inc_not_zero(&u->ref))
		u = NULL;
	rcu_read_unlock();
	return u;
}

/* The union of events that the engines of @task want. Context: RCU or preemption off. */
unsigned long sonde_flags(struct task_struct *task)
{
	struct utrace *u = sonde_find(task);

	return u ? READ_ONCE(u->flags) : 0;
}

void sonde_get(struct utrace *u)
{
	refcount_inc(&u->ref);
}

static void utrace_free_state(struct rcu_head *head)
{
	struct utrace *u = container_of(head, struct utrace, rcu);

	put_task_struct(u->task);
	sonde_free(u);
	atomic_dec(&sonde_states);
}

void sonde_put(struct utrace *u)
{
	unsigned long irq;

	if (!refcount_dec_and_test(&u->ref))
		return;
	spin_lock_irqsave(&table_lock, irq);
	list_del(&u->all);
	spin_unlock_irqrestore(&table_lock, irq);
	call_rcu(&u->rcu, utrace_free_state);
}

static struct utrace *utrace_make_state(struct task_struct *task)
{
	struct utrace *u = sonde_alloc_within(NULL, SONDE_MEMORY_STATES,
					      sizeof(*u), GFP_KERNEL);

	if (!u)
		return NULL;
	refcount_set(&u->ref, 1);
	u->task = get_task_struct(task);
	spin_lock_init(&u->lock);
	INIT_LIST_HEAD(&u->engines);
	init_waitqueue_head(&u->wait);
	init_task_work(&u->work, sonde_task_work);
	init_task_work(&u->kick, sonde_kick);
	INIT_WORK(&u->reap_work, utrace_reap_work);
	u->next_seq = 1;
	return u;
}

/*
 * Finds or makes (@create) the state of @task and calls @add under the table
 * lock and its own. A new state is dropped again if @add fails.
 *
 * At an exit, the kernel sets exit_state before the hooks look here; this
 * function reads exit_state after the insertion. So at least one of the two
 * sees the other.
 */
int sonde_with_state(struct task_struct *task, bool create,
		     int (*add)(struct utrace *u, void *data), void *data)
{
	struct utrace *u, *fresh = create ? utrace_make_state(task) : NULL;
	bool made = false;
	unsigned long irq;
	int err;

	if (create && !fresh)
		return -ENOMEM;
	spin_lock_irqsave(&table_lock, irq);
	rcu_read_lock();
	u = sonde_find(task);
	err = -ENOENT;
	if (u || !create)
		goto out_found;
	err = -ESRCH;
	if (going)
		goto out_found;
	u = fresh;
	made = true;
	list_add(&u->all, &all_states);
	atomic_inc(&sonde_states);
	utrace_hash(u);
	/* Pairs with the exit, which sets exit_state and then looks here. */
	smp_mb();
	if (READ_ONCE(task->exit_state) == EXIT_DEAD)
		goto out_found;
	u->dead = READ_ONCE(task->exit_state) != 0;
out_found:
	if (u && !(made && READ_ONCE(task->exit_state) == EXIT_DEAD)) {
		spin_lock(&u->lock);
		err = u->reaping || going ? -ESRCH : add(u, data);
		spin_unlock(&u->lock);
	}
	if (made && err)
		utrace_forget(u);
	rcu_read_unlock();
	spin_unlock_irqrestore(&table_lock, irq);
	if (made && err) {
		sonde_put(u);
	} else if (fresh && !made) {
		put_task_struct(task);
		sonde_free(fresh);
	}
	return err;
}

/* Removes @u from the table. The caller holds a reference, and not u->lock. */
void sonde_unhash(struct utrace *u)
{
	bool mine = false;
	unsigned long irq;

	spin_lock_irqsave(&table_lock, irq);
	if (u->hashed) {
		utrace_forget(u);
		mine = true;
	}
	spin_unlock_irqrestore(&table_lock, irq);
	if (mine)
		sonde_put(u);
}

/*
 * Removes @u from the table if no engine is attached any more and @u keeps no
 * signal. The caller holds a reference.
 */
void sonde_retire(struct utrace *u)
{
	bool mine = false;
	unsigned long irq;

	if (READ_ONCE(u->flags) || !list_empty(&u->engines))
		return;
	spin_lock_irqsave(&table_lock, irq);
	spin_lock(&u->lock);
	if (u->hashed && list_empty(&u->engines) && !u->reporting &&
	    !u->flags && !u->stepping) {
		utrace_forget(u);
		mine = true;
	}
	spin_unlock(&u->lock);
	spin_unlock_irqrestore(&table_lock, irq);
	if (mine)
		sonde_put(u);
}

/* Computes u->flags again. The caller holds u->lock. */
void sonde_recalc(struct utrace *u)
{
	struct utrace_engine *engine;
	unsigned long flags = 0;

	lockdep_assert_held(&u->lock);
	list_for_each_entry(engine, &u->engines, link)
		flags |= engine->flags;
	if (u->kept || u->held_signr)
		flags |= SONDE_FLAG_KEPT;
	WRITE_ONCE(u->flags, flags);
}

/* Unlinks @engine; the attachment's reference passes to the caller. */
void sonde_detach_locked(struct utrace *u, struct utrace_engine *engine)
{
	lockdep_assert_held(&u->lock);
	engine->detached = true;
	engine->flags = 0;
	engine->want_report = false;
	engine->resume = UTRACE_RESUME;
	list_del_init(&engine->link);
	sonde_recalc(u);
}

/*
 * The dispatcher
 */

static struct utrace_engine *utrace_next_engine(struct utrace *u, u64 after,
						u64 end)
{
	struct utrace_engine *engine;

	lockdep_assert_held(&u->lock);
	list_for_each_entry(engine, &u->engines, link)
		if (engine->seq > after && engine->seq < end)
			return engine;
	return NULL;
}

/* Processes the return value of an engine's callback. */
static void utrace_choose(struct utrace *u, struct utrace_engine *engine,
			  struct sonde_report *r, u32 value)
{
	bool detached = false;
	unsigned long irq;
	u32 resume = value & UTRACE_RESUME_MASK;

	spin_lock_irqsave(&u->lock, irq);
	if (engine->detached)
		goto out_unlock;
	if (resume >= UTRACE_DETACH) {
		sonde_detach_locked(u, engine);
		detached = true;
		goto out_unlock;
	}
	r->resume = min(r->resume, resume);
	/* A utrace_control() that was called meanwhile has precedence. */
	if (engine->controlled)
		goto out_unlock;
	engine->want_report = resume == UTRACE_REPORT ||
			      resume == UTRACE_INTERRUPT;
	engine->resume = engine->want_report ? UTRACE_RESUME : resume;
out_unlock:
	spin_unlock_irqrestore(&u->lock, irq);
	if (detached) {
		sonde_update_syscall_work(u);
		utrace_engine_put(engine);
	}
}

static u32 utrace_invoke(const struct utrace_engine_ops *ops, u32 action,
			 struct utrace_engine *engine, struct sonde_report *r)
{
	switch (r->event) {
	case UTRACE_EVENT(CLONE):
		return ops->report_clone(action, engine, r->clone.flags,
					 r->clone.child);
	case UTRACE_EVENT(EXEC):
		return ops->report_exec(action, engine, current->mm->binfmt,
					r->bprm, r->regs);
	case UTRACE_EVENT(EXIT):
		return ops->report_exit(action, engine, r->exit.orig_code,
					r->exit.code);
	case UTRACE_EVENT(DEATH):
		return ops->report_death(engine, r->death.group_dead,
					 r->death.signal);
	case UTRACE_EVENT(SYSCALL_ENTRY):
		return ops->report_syscall_entry(action, engine, r->regs);
	case UTRACE_EVENT(SYSCALL_EXIT):
		return ops->report_syscall_exit(action, engine, r->regs);
	case UTRACE_EVENT(JCTL):
		return ops->report_jctl(action, engine, r->jctl.type,
					r->jctl.notify);
	default:	/* a signal event, a request or a handler */
		return ops->report_signal(action, engine, r->regs,
					  r->signal.info, r->signal.orig_ka,
					  r->signal.return_ka);
	}
}

static bool utrace_has_callback(const struct utrace_engine_ops *ops,
				unsigned long event)
{
	switch (event) {
	case UTRACE_EVENT(CLONE): return ops->report_clone;
	case UTRACE_EVENT(EXEC): return ops->report_exec;
	case UTRACE_EVENT(EXIT): return ops->report_exit;
	case UTRACE_EVENT(DEATH): return ops->report_death;
	case UTRACE_EVENT(SYSCALL_ENTRY): return ops->report_syscall_entry;
	case UTRACE_EVENT(SYSCALL_EXIT): return ops->report_syscall_exit;
	case UTRACE_EVENT(JCTL): return ops->report_jctl;
	default: return ops->report_signal;
	}
}

/*
 * Whether @engine gets a report_quiesce. The report of a signal handler's
 * set-up normally has none. But if that report also serves as a requested one
 * and the engine has no report_signal, report_quiesce is called for it.
 */
static bool utrace_wants_quiesce(const struct utrace_engine *engine,
				 const struct sonde_report *r)
{
	return (READ_ONCE(engine->flags) & UTRACE_EVENT(QUIESCE)) &&
	       engine->ops->report_quiesce &&
	       (r->event != SONDE_EVENT_HANDLER ||
		(r->requested && !engine->ops->report_signal));
}

/* Whether @engine gets the event itself, after its report_quiesce. */
static bool utrace_wants_event(const struct utrace_engine *engine,
			       const struct sonde_report *r)
{
	unsigned long flags = READ_ONCE(engine->flags);
	unsigned long handler = UTRACE_EVENT_SIGNAL_ALL;

	switch (r->event) {
	case 0:
		return false;
	case SONDE_EVENT_REPORT:
		return (flags & UTRACE_EVENT(QUIESCE)) &&
			engine->ops->report_signal &&
			!engine->ops->report_quiesce;
	case SONDE_EVENT_HANDLER:
		if (r->requested)
			handler |= UTRACE_EVENT(QUIESCE);
		return (flags & handler) && engine->ops->report_signal;
	default:
		return (flags & r->event) &&
			utrace_has_callback(engine->ops, r->event);
	}
}

static void utrace_call_engine(struct utrace *u, struct utrace_engine *engine,
			       struct sonde_report *r)
{
	const struct utrace_engine_ops *ops = engine->ops;
	unsigned long event = r->event;
	u32 value;

	if (utrace_wants_quiesce(engine, r)) {
		if (event == SONDE_EVENT_REPORT || event == SONDE_EVENT_HANDLER)
			event = 0;
		value = ops->report_quiesce(r->resume, engine, event);
		utrace_choose(u, engine, r, value & UTRACE_RESUME_MASK);
		if (READ_ONCE(engine->detached))
			return;
	}
	if (!utrace_wants_event(engine, r))
		return;
	value = utrace_invoke(ops, r->resume | r->bits, engine, r);
	r->bits = value & ~UTRACE_RESUME_MASK;
	if (r->event == UTRACE_EVENT(DEATH) &&
	    utrace_resume_action(value) != UTRACE_DETACH)
		return;
	utrace_choose(u, engine, r, value);
}

/*
 * Calls the callbacks for one event, in the order of attachment. Engines that
 * are attached meanwhile are not called.
 */
void sonde_report(struct utrace *u, struct sonde_report *r)
{
	struct utrace_engine *engine;
	u64 last = 0, end;

	r->resume = UTRACE_RESUME;
	spin_lock_irq(&u->lock);
	end = u->next_seq;
	while ((engine = utrace_next_engine(u, last, end))) {
		last = engine->seq;
		u->reporting = engine;
		engine->controlled = false;
		utrace_engine_get(engine);
		spin_unlock_irq(&u->lock);

		utrace_call_engine(u, engine, r);

		spin_lock_irq(&u->lock);
		u->reporting = NULL;
		wake_up_all(&u->wait);
		spin_unlock_irq(&u->lock);
		utrace_engine_put(engine);
		spin_lock_irq(&u->lock);
	}
	spin_unlock_irq(&u->lock);
}

/*
 * Choices, stop and step
 */

static u32 utrace_choice(struct utrace *u)
{
	struct utrace_engine *engine;
	u32 resume = UTRACE_RESUME;

	lockdep_assert_held(&u->lock);
	list_for_each_entry(engine, &u->engines, link)
		resume = min_t(u32, resume, engine->resume);
	return resume;
}

bool sonde_wants_stop(struct utrace *u)
{
	bool stop;

	spin_lock_irq(&u->lock);
	stop = utrace_choice(u) == UTRACE_STOP;
	spin_unlock_irq(&u->lock);
	return stop;
}

/* Whether an engine asked for a report; clears the requests. */
bool sonde_take_report(struct utrace *u)
{
	struct utrace_engine *engine;
	bool found = false;

	spin_lock_irq(&u->lock);
	list_for_each_entry(engine, &u->engines, link) {
		found |= engine->want_report;
		engine->want_report = false;
	}
	spin_unlock_irq(&u->lock);
	return found;
}

/* Wakes a stopped thread if no engine wants it stopped. Context: u->lock is held. */
void sonde_wake(struct utrace *u)
{
	lockdep_assert_held(&u->lock);
	if (!u->stopped || (utrace_choice(u) == UTRACE_STOP && !u->killed))
		return;
	u->stopped = false;
	wake_up_process(u->task);
}

/*
 * Holds the current thread while an engine wants it stopped.
 * Return: whether SIGKILL ended the stop.
 */
bool sonde_stop(struct utrace *u)
{
	bool killed = false;

	spin_lock_irq(&u->lock);
	while (utrace_choice(u) == UTRACE_STOP) {
		killed = u->killed || __fatal_signal_pending(current);
		if (killed)
			break;
		u->stopped = true;
		set_current_state(SONDE_TASK_STOP);
		/* utrace_control() can see the stop from here on. */
		spin_unlock_irq(&u->lock);
		schedule();
		spin_lock_irq(&u->lock);
		__set_current_state(TASK_RUNNING);
	}
	u->stopped = false;
	u->killed |= killed;	/* life_report_exit() loops until this is set */
	spin_unlock_irq(&u->lock);
	return killed;
}

/*
 * The thread exits. If no engine wants it stopped, marks it as past the last
 * place where it can stop. Return: whether it did.
 */
bool sonde_goes_to_die(struct utrace *u)
{
	bool goes;

	spin_lock_irq(&u->lock);
	goes = u->killed || utrace_choice(u) != UTRACE_STOP;
	u->exiting = goes;
	spin_unlock_irq(&u->lock);
	return goes;
}

/* Turns single or block step on or off, as the engines chose. */
void sonde_step(struct utrace *u)
{
	u32 resume;

	spin_lock_irq(&u->lock);
	resume = utrace_choice(u);
	spin_unlock_irq(&u->lock);
	if (resume == UTRACE_SINGLESTEP) {
		sonde_kernel.user_enable_single_step(current);
		u->stepping = true;
	} else if (resume == UTRACE_BLOCKSTEP) {
		sonde_kernel.user_enable_block_step(current);
		u->stepping = true;
	} else if (u->stepping) {
		sonde_kernel.user_disable_single_step(current);
		u->stepping = false;
	}
}

/* Queues the safe point. The caller holds a reference, and u->lock or is the thread. */
void sonde_queue(struct utrace *u, enum task_work_notify_mode mode)
{
	struct callback_head *head = &u->work;
	bool *queued = &u->work_queued;

	if (READ_ONCE(u->work_queued)) {
		if (mode != TWA_SIGNAL)
			return;
		head = &u->kick;
		queued = &u->kick_queued;
	}
	if (xchg(queued, true))
		return;
	sonde_get(u);
	if (task_work_add(u->task, head, mode)) {
		WRITE_ONCE(*queued, false);
		sonde_put(u);	/* never the last reference */
	}
}

/* Defers an event to the safe point. */
void sonde_defer_report(struct utrace *u, unsigned int what)
{
	unsigned long irq;

	spin_lock_irqsave(&u->lock, irq);
	u->later |= what;
	sonde_queue(u, TWA_RESUME);
	spin_unlock_irqrestore(&u->lock, irq);
}

/*
 * After a report where the thread does not stop: queues the safe point if the
 * thread has to stop, report or step.
 */
void sonde_queue_if_needed(struct utrace *u)
{
	struct utrace_engine *engine;
	bool need = false;

	spin_lock_irq(&u->lock);
	list_for_each_entry(engine, &u->engines, link)
		need |= engine->want_report || engine->resume < UTRACE_RESUME;
	if (need || u->stepping)
		sonde_queue(u, TWA_RESUME);
	spin_unlock_irq(&u->lock);
}

/* Reports deferred events. Context: the thread, may sleep. */
static void utrace_report_later(struct utrace *u)
{
	unsigned int later;

	spin_lock_irq(&u->lock);
	later = u->later;
	u->later = 0;
	spin_unlock_irq(&u->lock);
	if (later & SONDE_DEFERRED_CONTINUED)
		sonde_report_continued(u);
	if (later & SONDE_DEFERRED_SYSCALL_EXIT)
		sonde_report_syscall_exit(u);
	if (later & SONDE_DEFERRED_HANDLER)
		sonde_report_handler(u);
}

/* The caller holds a reference; the thread returns to user mode soon. */
void sonde_safe_point(struct utrace *u)
{
	utrace_report_later(u);
	for (;;) {
		if (sonde_take_report(u))
			sonde_report_request(u);
		if (!sonde_wants_stop(u))
			break;
		if (sonde_stop(u))
			return;
	}
	sonde_step(u);
	sonde_set_sigpending(u);
}

static void sonde_task_work(struct callback_head *head)
{
	struct utrace *u = container_of(head, struct utrace, work);

	sonde_hooks_enter();
	WRITE_ONCE(u->work_queued, false);
	if (!(current->flags & PF_EXITING))
		sonde_safe_point(u);
	sonde_leave(u);
}

/* Only interrupts a sleeping call: the get_signal hook does everything else. */
static void sonde_kick(struct callback_head *head)
{
	struct utrace *u = container_of(head, struct utrace, kick);

	sonde_hooks_enter();
	WRITE_ONCE(u->kick_queued, false);
	sonde_put(u);
	sonde_hooks_leave();
}

/*
 * Reap: the last callback of every engine
 */

static void utrace_reap_one(struct utrace *u, struct utrace_engine *engine)
{
	if ((engine->flags & UTRACE_EVENT(REAP)) && engine->ops->report_reap)
		engine->ops->report_reap(engine, u->task);
	spin_lock_irq(&u->lock);
	u->reporting = NULL;
	wake_up_all(&u->wait);
	if (!engine->detached) {
		sonde_detach_locked(u, engine);
		spin_unlock_irq(&u->lock);
		utrace_engine_put(engine);
	} else {
		spin_unlock_irq(&u->lock);
	}
	utrace_engine_put(engine);
}

/* Calls report_reap. The caller holds a reference and has set u->reaping. */
void sonde_reap(struct utrace *u)
{
	struct utrace_engine *engine;

	spin_lock_irq(&u->lock);
	while ((engine = list_first_entry_or_null(&u->engines,
						  struct utrace_engine,
						  link))) {
		u->reporting = engine;
		utrace_engine_get(engine);
		spin_unlock_irq(&u->lock);
		utrace_reap_one(u, engine);
		spin_lock_irq(&u->lock);
	}
	spin_unlock_irq(&u->lock);
	sonde_unhash(u);
}

static void utrace_reap_work(struct work_struct *work)
{
	struct utrace *u = container_of(work, struct utrace, reap_work);

	sonde_reap(u);
	sonde_put(u);
}

/* The same from the context of the parent, which must not be delayed. */
void sonde_reap_later(struct utrace *u)
{
	sonde_get(u);
	queue_work(reaper, &u->reap_work);
}

int sonde_utrace_init(void)
{
	reaper = alloc_workqueue("sonde_reap", WQ_UNBOUND, 0);
	return reaper ? 0 : -ENOMEM;
}

static bool utrace_match_state(struct callback_head *head, void *data)
{
	return head == data;
}

static void utrace_cancel_queued(struct utrace *u, struct callback_head *head,
				 bool *queued)
{
	if (!sonde_kernel.task_work_cancel_match(u->task, utrace_match_state,
						 head))
		return;
	WRITE_ONCE(*queued, false);
	sonde_put(u);
}

/* Whether the thread has to do something before its state may be removed. */
static bool utrace_is_unfinished(const struct utrace *u)
{
	return (u->stepping || READ_ONCE(u->kept) ||
		READ_ONCE(u->held_signr)) &&
	       !(READ_ONCE(u->task->flags) & PF_EXITING);
}

static void utrace_let_go(struct utrace *u)
{
	struct utrace_engine *engine;

	spin_lock_irq(&u->lock);
	while ((engine = list_first_entry_or_null(&u->engines,
						  struct utrace_engine,
						  link))) {
		sonde_detach_locked(u, engine);
		spin_unlock_irq(&u->lock);
		utrace_engine_put(engine);
		spin_lock_irq(&u->lock);
	}
	sonde_wake(u);
	spin_unlock_irq(&u->lock);
	sonde_update_syscall_work(u);
	utrace_cancel_queued(u, &u->work, &u->work_queued);
	utrace_cancel_queued(u, &u->kick, &u->kick_queued);
	/*
	 * The thread stops stepping at a safe point, and takes a kept signal
	 * after it. If the thread is stopped, both are done from here.
	 */
	if (utrace_is_unfinished(u) && !sonde_finish_stopped(u)) {
		spin_lock_irq(&u->lock);
		sonde_queue(u, TWA_SIGNAL);
		spin_unlock_irq(&u->lock);
		return;
	}
	sonde_unhash(u);
}

/*
 * Detaches all engines and waits until no state is left. The hooks are still in
 * place, because threads with a kept signal need them.
 */
void sonde_utrace_stop(void)
{
	struct utrace *u, *last;
	unsigned long irq;

	spin_lock_irqsave(&table_lock, irq);
	going = true;
	spin_unlock_irqrestore(&table_lock, irq);
	for (;;) {
		last = NULL;
		spin_lock_irqsave(&table_lock, irq);
		list_for_each_entry(u, &all_states, all)
			if (refcount_inc_not_zero(&u->ref)) {
				last = u;
				list_move_tail(&u->all, &all_states);
				break;
			}
		spin_unlock_irqrestore(&table_lock, irq);
		if (!last)
			break;
		if (last->let_go)
			schedule_timeout_uninterruptible(1);
		last->let_go = true;
		utrace_let_go(last);
		sonde_put(last);
		cond_resched();
	}
}

/* After the hooks were removed: waits until all states are freed. */
void sonde_utrace_exit(void)
{
	flush_workqueue(reaper);
	destroy_workqueue(reaper);
	while (atomic_read(&sonde_states)) {
		rcu_barrier();
		schedule_timeout_uninterruptible(1);
	}
	rcu_barrier();
	WARN_ON(atomic_read(&sonde_engines));
}
