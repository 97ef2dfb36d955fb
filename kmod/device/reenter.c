// SPDX-License-Identifier: GPL-2.0
/*
 * Jumps to a function's first instruction that are not entries
 *
 * A jump inside a function to its own first instruction (a loop; Go, after it
 * has enlarged the stack) has a tap of its own, which belongs to the entry's
 * probe:
 *
 *   the jump is taken --> note {entry, sp} --> at the entry: take the note,
 *                                              nothing fires
 *
 * Only a signal can come between the two. Its handler has another stack
 * pointer, so it takes only its own notes: a thread may have several. A handler
 * that never returns may leave a note behind. Then a later entry with the same
 * stack pointer is missed; and the oldest note is overwritten first.
 *
 * A thread has one entry in the table, for all probes, so that its end takes the
 * lock for one look-up. Only the thread itself accesses its notes.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/functions.h"
#include "kmod/device/reenter.h"
#include "kmod/device/session.h"

#define NOTES 8u

/* The notes of one thread. */
struct sonde_reentry {
	struct hlist_node node;
	struct task_struct *task; /* only compared */
	u32 oldest;
	struct {
		u32 probe;
		u64 entry; /* 0: free */
		u64 sp;
	} notes[NOTES];
};

/* The result stays valid: only the end of the thread or of the session frees it. */
static struct sonde_reentry *reenter_find(struct sonde_session *session,
					  const struct task_struct *task)
{
	struct sonde_reentry *entry, *found = NULL;

	rcu_read_lock();
	hash_for_each_possible_rcu(session->reentries, entry, node,
				   (unsigned long)task)
		if (entry->task == task)
			found = entry;
	rcu_read_unlock();
	return found;
}

static struct sonde_reentry *reenter_make(struct sonde_session *session)
{
	struct sonde_reentry *entry =
		sonde_alloc_within(&session->account->fired, SONDE_MEMORY_VARIABLES,
				   sizeof(*entry), GFP_KERNEL);
	unsigned long flags;

	if (!entry)
		return NULL;
	entry->task = current;
	sonde_lock_irqsave(&session->threads_lock, flags);
	hash_add_rcu(session->reentries, &entry->node, (unsigned long)current);
	sonde_unlock_irqrestore(&session->threads_lock, flags);
	return entry;
}

/* The note of a jump. Return: NOTES if there is none. */
static u32 reenter_note_of(const struct sonde_reentry *own, u32 probe, u64 entry,
			   u64 sp)
{
	u32 n = 0;

	while (n < NOTES &&
	       (own->notes[n].entry != entry || own->notes[n].sp != sp ||
		own->notes[n].probe != probe))
		n++;
	return n;
}

static u32 reenter_place(struct sonde_reentry *own)
{
	u32 n;

	for (n = 0; n < NOTES; n++)
		if (!own->notes[n].entry)
			return n;
	return own->oldest++ % NOTES;
}

/**
 * sonde_reenter_note() - the current thread jumps to a function's entry
 * @session: has the tap
 * @probe: of the entry
 * @entry: address of the first instruction
 * @sp: stack pointer
 *
 * Context: The handler of a uprobe. May sleep.
 */
void sonde_reenter_note(struct sonde_session *session, u32 probe, u64 entry,
			u64 sp)
{
	struct sonde_reentry *own = reenter_find(session, current);
	u32 to;

	if (!own)
		own = reenter_make(session);
	if (!own)
		return; /* the arrival will count as an entry */
	if (reenter_note_of(own, probe, entry, sp) < NOTES)
		return;
	to = reenter_place(own);
	own->notes[to].probe = probe;
	own->notes[to].entry = entry;
	own->notes[to].sp = sp;
}

/**
 * sonde_reenter_take() - whether the current thread has jumped to an entry
 * @session: has the tap
 * @probe: of the entry
 * @entry: address of the first instruction
 * @sp: stack pointer
 *
 * Context: The handler of a uprobe.
 * Return: whether it has; the note is removed.
 */
bool sonde_reenter_take(struct sonde_session *session, u32 probe, u64 entry,
			u64 sp)
{
	struct sonde_reentry *own = reenter_find(session, current);
	u32 at = own ? reenter_note_of(own, probe, entry, sp) : NOTES;

	if (at == NOTES)
		return false;
	own->notes[at].entry = 0;
	return true;
}

/**
 * sonde_reenter_forget() - free the notes of the current thread, which ends
 * @session: any
 *
 * Context: Any. Does not sleep.
 */
void sonde_reenter_forget(struct sonde_session *session)
{
	struct sonde_reentry *entry = reenter_find(session, current);
	unsigned long flags;

	if (!entry)
		return;
	sonde_lock_irqsave(&session->threads_lock, flags);
	hash_del_rcu(&entry->node);
	sonde_unlock_irqrestore(&session->threads_lock, flags);
	sonde_free_rcu(entry);
}

/**
 * sonde_reenter_destroy() - free all notes
 * @session: it does not fire any more
 *
 * Context: Process context. May sleep.
 */
void sonde_reenter_destroy(struct sonde_session *session)
{
	struct sonde_reentry *entry;
	struct hlist_node *next;
	int bucket;

	hash_for_each_safe(session->reentries, bucket, next, entry, node) {
		hash_del(&entry->node);
		sonde_free(entry);
		cond_resched();
	}
}
