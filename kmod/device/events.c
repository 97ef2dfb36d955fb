// SPDX-License-Identifier: GPL-2.0
/*
 * Events for the reader of a session
 *
 * Firings queue them, in any context, under a leaf lock. If they are not read
 * in time, events are lost; a notice then reports their number.
 */
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/uaccess.h>

#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/clock.h"
#include "kmod/device/events.h"
#include "kmod/device/session.h"

#define EVENTS_MAX 16384u /* unread events */
#define EVENT_BYTES_MAX (4u << 20)

/**
 * sonde_event_wake() - tell the reader that a ring must be drained
 * @session: any
 *
 * Context: Any but NMI, no lock held that a wake-up takes: called by irq_work.
 */
void sonde_event_wake(struct sonde_session *session)
{
	WRITE_ONCE(session->data, true);
	wake_up_interruptible(&session->wait);
}

static size_t events_bytes(const struct sonde_queued_event *queued)
{
	return sizeof(queued->event) + queued->event.length;
}

/**
 * sonde_event_text() - queue an event for the reader
 * @session: any
 * @event: the event; its length is filled in, and its time, if that is 0
 * @text: the text that follows it
 *
 * Context: Any but NMI, no lock held that a wake-up takes.
 * Return: whether it is queued; else it is counted as lost.
 */
bool sonde_event_text(struct sonde_session *session,
		      const struct sonde_event *event, const char *text)
{
	size_t length = strlen(text);
	struct sonde_queued_event *queued;
	unsigned long flags;
	bool good;

	queued = sonde_alloc_within(&session->account->fired, SONDE_MEMORY_EVENTS,
				    sizeof(*queued) + length, GFP_NOWAIT);
	spin_lock_irqsave(&session->events_lock, flags);
	good = queued && session->event_count < EVENTS_MAX &&
	       session->event_bytes < EVENT_BYTES_MAX;
	if (!good) {
		session->events_lost++;
	} else {
		queued->event = *event;
		queued->event.length = length;
		if (!queued->event.time)
			queued->event.time = sonde_clock();
		memcpy(queued->bytes, text, length);
		list_add_tail(&queued->node, &session->events);
		session->event_count++;
		session->event_bytes += events_bytes(queued);
	}
	spin_unlock_irqrestore(&session->events_lock, flags);
	if (!good)
		sonde_free(queued);
	wake_up_interruptible(&session->wait);
	return good;
}

/**
 * sonde_events_lose() - count events that could not be made
 * @session: any
 * @count: how many
 *
 * Context: As sonde_event_text().
 */
void sonde_events_lose(struct sonde_session *session, u32 count)
{
	unsigned long flags;

	spin_lock_irqsave(&session->events_lock, flags);
	session->events_lost += count;
	spin_unlock_irqrestore(&session->events_lock, flags);
	wake_up_interruptible(&session->wait);
}

/**
 * sonde_event() - queue an event without text
 * @session: any
 * @kind: enum sonde_event_kind; a notice says that there was no memory to
 *	follow @pid
 * @pid: the process it is about
 * @value: its value
 *
 * Context: As sonde_event_text().
 */
void sonde_event(struct sonde_session *session, u32 kind, u32 pid, u64 value)
{
	const struct sonde_event event = {
		.kind = kind,
		.pid = pid,
		.value = value,
	};

	sonde_event_text(session, &event,
			 kind == SONDE_EVENT_NOTICE ?
				 "no memory to follow a new process: it is not traced" :
				 "");
}

static bool events_are_there(struct sonde_session *session)
{
	return READ_ONCE(session->data) || READ_ONCE(session->event_count) ||
	       READ_ONCE(session->events_lost);
}

/*
 * Takes the next event, unless it is longer than @room bytes; or makes a notice
 * about lost events, or a data event.
 */
static struct sonde_queued_event *
events_take(struct sonde_session *session, size_t room)
{
	struct sonde_queued_event *queued, *spare;
	u32 lost;

	spare = sonde_alloc(SONDE_MEMORY_EVENTS, sizeof(*spare) + 64);
	if (!spare)
		return ERR_PTR(-ENOMEM);
	spin_lock_irq(&session->events_lock);
	queued = list_first_entry_or_null(&session->events,
					  struct sonde_queued_event, node);
	lost = queued ? 0 : session->events_lost;
	if (queued && events_bytes(queued) > room) {
		queued = ERR_PTR(-EMSGSIZE);
	} else if (queued) {
		list_del(&queued->node);
		session->event_count--;
		session->event_bytes -= events_bytes(queued);
	} else {
		session->events_lost = 0;
	}
	spin_unlock_irq(&session->events_lock);
	if (queued) {
		sonde_free(spare);
		return queued;
	}
	if (lost) {
		spare->event.kind = SONDE_EVENT_NOTICE;
		spare->event.length =
			scnprintf(spare->bytes, 64, "%u events were lost", lost);
		return spare;
	}
	if (xchg(&session->data, false)) {
		spare->event.kind = SONDE_EVENT_DATA;
		return spare;
	}
	sonde_free(spare);
	return NULL;
}

/**
 * sonde_events_read() - read() of a session's file: one event
 * @file: the session's
 * @to: buffer
 * @room: size of the buffer
 * @position: unused
 *
 * Context: Process context. Sleeps until there is one, unless O_NONBLOCK.
 * Return: number of bytes, or an error of read().
 */
ssize_t sonde_events_read(struct file *file, char __user *to, size_t room,
			  loff_t *position)
{
	struct sonde_session *session = file->private_data;
	struct sonde_queued_event *queued;
	ssize_t bytes;
	int err;

	if (room < sizeof(queued->event) + SONDE_WHY)
		return -EINVAL;
	while (!(queued = events_take(session, room))) {
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		err = wait_event_interruptible(session->wait,
					       events_are_there(session));
		if (err)
			return err;
	}
	if (IS_ERR(queued))
		return PTR_ERR(queued);
	bytes = events_bytes(queued);
	if (copy_to_user(to, &queued->event, sizeof(queued->event)) ||
	    copy_to_user(to + sizeof(queued->event), queued->bytes,
			 queued->event.length))
		bytes = -EFAULT;
	sonde_free(queued);
	return bytes;
}

/**
 * sonde_events_poll() - poll() of a session's file
 * @file: the session's
 * @table: the table of waiters
 *
 * Context: Process context. May sleep.
 * Return: EPOLLIN if there is an event.
 */
__poll_t sonde_events_poll(struct file *file, poll_table *table)
{
	struct sonde_session *session = file->private_data;

	poll_wait(file, &session->wait, table);
	return events_are_there(session) ? EPOLLIN | EPOLLRDNORM : 0;
}

/**
 * sonde_events_destroy() - free unread events
 * @session: it does not fire any more
 *
 * Context: Process context.
 */
void sonde_events_destroy(struct sonde_session *session)
{
	struct sonde_queued_event *queued, *next;

	list_for_each_entry_safe(queued, next, &session->events, node) {
		sonde_free(queued);
		cond_resched();
	}
}
