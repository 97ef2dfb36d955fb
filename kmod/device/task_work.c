// SPDX-License-Identifier: GPL-2.0
/*
 * Task works of sessions: work that threads do before they return to user mode
 *
 * A thread may not return to user mode for a long time: it sleeps in a call, it
 * waits for a vfork, or it is held. The end of a session does not wait for
 * that. It takes back works that are still queued. A work that a held thread is
 * about to run cannot be taken back, so it keeps the memory of the session, and
 * does nothing. Only a work that is running is waited for; but not while it
 * waits for memory that another process must supply (FUSE, userfaultfd), which
 * may never come. The module cannot be unloaded meanwhile.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/wait_bit.h>

#include "kmod/core/hooks.h"
#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/device.h"
#include "kmod/device/session.h"
#include "kmod/device/task_work.h"

static atomic_t pending =
	ATOMIC_INIT(0); /* number of works, queued or running, of all sessions */

static DEFINE_SPINLOCK(pauses_lock); /* protects pauses */
static LIST_HEAD(pauses);

/**
 * sonde_session_put() - drop a reference to a session's memory
 * @session: it is over if this is the last reference
 *
 * Context: Process context.
 */
void sonde_session_put(struct sonde_session *session)
{
	struct sonde_account *account = session->account;

	if (!refcount_dec_and_test(&session->ref))
		return;
	sonde_free(session);
	sonde_account_put(account);
}

static void works_link(struct sonde_task_work *work)
{
	struct sonde_session *session = work->session;
	unsigned long flags;

	spin_lock_irqsave(&session->queued_lock, flags);
	list_add(&work->node, &session->queued);
	spin_unlock_irqrestore(&session->queued_lock, flags);
}

/* The work runs, or was taken back. Until then its thread cannot be freed. */
static void works_unlink(struct sonde_task_work *work)
{
	struct sonde_session *session = work->session;
	unsigned long flags;

	spin_lock_irqsave(&session->queued_lock, flags);
	list_del_init(&work->node);
	spin_unlock_irqrestore(&session->queued_lock, flags);
}

/* Unlinks any work. Return: its thread, with a reference; NULL: there is none. */
static struct task_struct *works_unlink_one(struct sonde_session *session)
{
	struct task_struct *task = NULL;
	struct sonde_task_work *work;

	spin_lock_irq(&session->queued_lock);
	work = list_first_entry_or_null(&session->queued,
					struct sonde_task_work, node);
	if (work) {
		list_del_init(&work->node);
		task = work->task;
		get_task_struct(task);
	}
	spin_unlock_irq(&session->queued_lock);
	return task;
}

/* The work has ended, or was taken back. */
static void works_forget(struct sonde_session *session)
{
	sonde_session_put(session);
	if (atomic_dec_and_test(&pending))
		wake_up_var(&pending);
}

/* Context: The thread. May sleep. */
static void works_run_work(struct callback_head *head)
{
	struct sonde_task_work *work =
		container_of(head, struct sonde_task_work, head);
	struct sonde_session *session = work->session;

	works_unlink(work);
	atomic_inc(&session->works);
	/* Pairs with sonde_task_work_end(): one of the two sees the other. */
	smp_mb__after_atomic();
	work->run(work, READ_ONCE(session->over));
	if (atomic_dec_and_test(&session->works))
		wake_up_var(&session->works);
	works_forget(session);
}

/**
 * sonde_pause_begin() - the current thread may wait for another process for a
 * long time
 * @pause: for sonde_pause_end()
 *
 * The module cannot be unloaded meanwhile.
 *
 * Context: The thread. Does not sleep.
 */
void sonde_pause_begin(struct sonde_pause *pause)
{
	__module_get(THIS_MODULE);
	pause->pid = task_pid_nr(current);
	spin_lock(&pauses_lock);
	list_add_tail(&pause->node, &pauses);
	spin_unlock(&pauses_lock);
}

/**
 * sonde_pause_end() - undo sonde_pause_begin()
 * @pause: the same
 *
 * Context: The thread; something else keeps the module from now on.
 */
void sonde_pause_end(struct sonde_pause *pause)
{
	spin_lock(&pauses_lock);
	list_del(&pause->node);
	spin_unlock(&pauses_lock);
	module_put(THIS_MODULE);
}

/**
 * sonde_task_work_pauses() - the current work may wait for another process for
 * a long time
 * @pause: for sonde_task_work_resumes()
 * @session: of the work
 *
 * It must not access the session until sonde_task_work_resumes().
 *
 * Context: A work.
 */
void sonde_task_work_pauses(struct sonde_pause *pause,
			    struct sonde_session *session)
{
	sonde_pause_begin(pause);
	if (atomic_dec_and_test(&session->works))
		wake_up_var(&session->works);
}

/**
 * sonde_task_work_resumes() - undo sonde_task_work_pauses()
 * @pause: the same
 * @session: the same
 *
 * Context: A work.
 * Return: whether the session is over: then it must not be accessed.
 */
bool sonde_task_work_resumes(struct sonde_pause *pause,
			     struct sonde_session *session)
{
	atomic_inc(&session->works);
	/* Pairs with sonde_task_work_end(): one of the two sees the other. */
	smp_mb__after_atomic();
	sonde_pause_end(pause); /* from here on `pending` keeps the module */
	return READ_ONCE(session->over);
}

/**
 * sonde_pauses_show() - print a line for each thread that keeps the module from
 * being unloaded
 * @to: /proc/sonde
 *
 * Context: Process context.
 */
void sonde_pauses_show(struct seq_file *to)
{
	struct sonde_pause *pause;

	spin_lock(&pauses_lock);
	list_for_each_entry(pause, &pauses, node)
		seq_printf(to,
			   "waiting: thread %u, for memory that another process must supply\n",
			   pause->pid);
	spin_unlock(&pauses_lock);
}

/**
 * sonde_task_work_queue() - queue a work that a thread runs before it returns
 * to user mode
 * @work: its run() frees it; the argument says whether the session is over
 * @session: a session that is not over
 * @task: the thread
 *
 * Context: Any.
 * Return: 0; -ESRCH if the thread ends: then the caller keeps the work.
 */
int sonde_task_work_queue(struct sonde_task_work *work,
			  struct sonde_session *session,
			  struct task_struct *task)
{
	int err;

	work->session = session;
	work->task = task;
	init_task_work(&work->head, works_run_work);
	refcount_inc(&session->ref);
	atomic_inc(&pending);
	works_link(work);
	err = task_work_add(task, &work->head, TWA_RESUME);
	if (err) {
		works_unlink(work);
		works_forget(session);
	}
	return err;
}

static struct sonde_task_work *works_as_work(struct callback_head *head)
{
	return head->func == works_run_work ?
		       container_of(head, struct sonde_task_work, head) :
		       NULL;
}

struct search {
	struct sonde_session *session; /* NULL: any */
	void (*run)(struct sonde_task_work *work, bool over); /* NULL: any */
};

static bool works_is_searched(struct callback_head *head, void *data)
{
	const struct search *search = data;
	const struct sonde_task_work *work = works_as_work(head);

	return work && (!search->session || work->session == search->session) &&
	       (!search->run || work->run == search->run);
}

static struct callback_head *works_take_one(struct task_struct *task,
					    struct search *search)
{
	return sonde_kernel.task_work_cancel_match(task, works_is_searched,
						   search);
}

/**
 * sonde_task_work_take() - take back a queued work of the current thread
 * @session: of the work
 * @run: kind of work
 *
 * Context: The thread.
 * Return: one work, which the caller now owns, or NULL.
 */
struct sonde_task_work *
sonde_task_work_take(struct sonde_session *session,
		     void (*run)(struct sonde_task_work *, bool))
{
	struct search search = { .session = session, .run = run };
	struct callback_head *head = works_take_one(current, &search);

	if (!head)
		return NULL;
	works_unlink(works_as_work(head));
	works_forget(session);
	return works_as_work(head);
}

/**
 * sonde_task_work_run() - run the queued works of the current thread now
 * @run: kind of works
 *
 * Context: The thread. May sleep.
 */
void sonde_task_work_run(void (*run)(struct sonde_task_work *work, bool over))
{
	struct search search = { .run = run };
	struct callback_head *head, *first = NULL;

	/* the latest work is taken first */
	while ((head = works_take_one(current, &search))) {
		head->next = first;
		first = head;
	}
	while ((head = first)) {
		first = head->next;
		works_run_work(head);
	}
}

/**
 * sonde_task_work_end() - end the works of a session
 * @session: no works are queued for it any more
 *
 * Context: Process context. Sleeps.
 */
void sonde_task_work_end(struct sonde_session *session)
{
	struct search search = { .session = session };
	struct callback_head *head;
	struct task_struct *task;

	might_sleep();
	WRITE_ONCE(session->over, true);
	smp_mb(); /* Pairs with works_run_work(). */
	while ((task = works_unlink_one(session))) {
		while ((head = works_take_one(task, &search))) {
			works_unlink(works_as_work(head));
			works_as_work(head)->run(works_as_work(head), true);
			works_forget(session);
		}
		put_task_struct(task);
		cond_resched();
	}
	wait_var_event(&session->works, !atomic_read(&session->works));
}

/**
 * sonde_device_wait() - wait until no thread has a work any more
 *
 * All sessions and stops are over.
 *
 * Context: Process context, module unload. Sleeps.
 */
void sonde_device_wait(void)
{
	wait_var_event(&pending, !atomic_read(&pending));
}
