// SPDX-License-Identifier: GPL-2.0
/*
 * Spare variables of threads
 *
 * A tap on a tracepoint or a function of the kernel may fire in the middle of
 * the allocator, under its locks. So such a firing takes the self-> variables
 * of a new thread from a stock, which a work fills up again. A session has a
 * stock if it has such taps and programs that use these variables.
 *
 * Locks: session->threads_lock protects the stock.
 */
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/workqueue.h>

#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/functions.h"
#include "kmod/device/session.h"
#include "kmod/device/spares.h"

#define SPARES_MOST 256u /* new threads between a firing and the work */

/* Return: whether @thread is in the stock; if not, the stock is full. */
static bool spare_put(struct sonde_session *session,
		      struct sonde_thread *thread)
{
	unsigned long flags;
	bool room;

	sonde_lock_irqsave(&session->threads_lock, flags);
	room = session->spare_count < SPARES_MOST;
	if (room) {
		hlist_add_head(&thread->node, &session->spares);
		session->spare_count++;
	}
	sonde_unlock_irqrestore(&session->threads_lock, flags);
	return room;
}

static void spare_fill_up(struct sonde_session *session)
{
	struct sonde_thread *thread;

	do
		thread = sonde_alloc_within(&session->account->fired,
					    SONDE_MEMORY_VARIABLES,
					    sizeof(*thread), GFP_KERNEL);
	while (thread && spare_put(session, thread));
	sonde_free(thread);
}

static void spare_work(struct work_struct *work)
{
	spare_fill_up(container_of(work, struct sonde_session, spares_work));
}

static void spare_queue(struct irq_work *work)
{
	schedule_work(&container_of(work, struct sonde_session,
				    spares_low)->spares_work);
}

/**
 * sonde_spares_init() - a session begins
 * @session: it
 *
 * Context: Process context.
 */
void sonde_spares_init(struct sonde_session *session)
{
	INIT_HLIST_HEAD(&session->spares);
	init_irq_work(&session->spares_low, spare_queue);
	INIT_WORK(&session->spares_work, spare_work);
}

/**
 * sonde_spares_fill() - fill up the stock, if there are programs and taps for it
 * @session: its lock is held
 *
 * Context: Process context. May sleep.
 */
void sonde_spares_fill(struct sonde_session *session)
{
	struct sonde_program *program;
	unsigned long id;
	bool needs = false;

	lockdep_assert_held(&session->lock);
	if (!session->wants_spares)
		return;
	xa_for_each(&session->programs, id, program)
		needs |= program->needs & SONDE_NEED_THREAD;
	if (needs)
		spare_fill_up(session);
}

/**
 * sonde_spares_want() - a tap is armed that must not allocate
 * @session: its lock is held
 *
 * Context: Process context. May sleep.
 */
void sonde_spares_want(struct sonde_session *session)
{
	if (session->wants_spares)
		return;
	session->wants_spares = true;
	sonde_spares_fill(session);
}

/**
 * sonde_spares_take() - variables for a new thread
 * @session: its threads_lock is held
 *
 * Context: Any but NMI.
 * Return: all are 0; NULL: the stock is empty.
 */
struct sonde_thread *sonde_spares_take(struct sonde_session *session)
{
	struct sonde_thread *thread;

	lockdep_assert_held(&session->threads_lock);
	if (session->spare_count < SPARES_MOST / 2)
		irq_work_queue(&session->spares_low);
	if (hlist_empty(&session->spares))
		return NULL;
	thread = hlist_entry(session->spares.first, struct sonde_thread, node);
	hlist_del(&thread->node);
	session->spare_count--;
	return thread;
}

/**
 * sonde_spares_end() - free the stock
 * @session: it does not fire any more
 *
 * Context: Process context. May sleep.
 */
void sonde_spares_end(struct sonde_session *session)
{
	struct sonde_thread *thread;
	struct hlist_node *next;

	irq_work_sync(&session->spares_low);
	cancel_work_sync(&session->spares_work);
	hlist_for_each_entry_safe(thread, next, &session->spares, node)
		sonde_free(thread);
}
