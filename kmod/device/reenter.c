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
 * Only the thread itself accesses its notes.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "kmod/core/memory.h"
#include "kmod/device/reenter.h"
#include "kmod/device/session.h"

#define NOTES 4u

/* The notes of one thread for one probe. */
struct sonde_reentry {
	struct hlist_node node;
	struct task_struct *task; /* only compared */
	u32 probe;
	u32 oldest;
	struct {
		u64 entry; /* 0: free */
		u64 sp;
	} notes[NOTES];
};

static unsigned long reenter_key_of(const struct task_struct *task, u32 probe)
{
	return (unsigned long)task + probe;
}

/* The result stays valid: only the end of the thread or of the session frees it. */
static struct sonde_reentry *reenter_find(struct sonde_session *session,
					  u32 probe)
{
	struct sonde_reentry *entry, *found = NULL;

	rcu_read_lock();
	hash_for_each_possible_rcu(session->reentries, entry, node,
				   reenter_key_of(current, probe))
		if (entry->task == current && entry->probe == probe)
			found = entry;
	rcu_read_unlock();
	return found;
}

static struct sonde_reentry *reenter_make(struct sonde_session *session,
					  u32 probe)
{
	struct sonde_reentry *entry =
		sonde_alloc_within(&session->purse, SONDE_MEMORY_VARIABLES,
				   sizeof(*entry), GFP_KERNEL);
	unsigned long flags;

	if (!entry)
		return NULL;
	entry->task = current;
	entry->probe = probe;
	WRITE_ONCE(session->reentered, true);
	spin_lock_irqsave(&session->threads_lock, flags);
	hash_add_rcu(session->reentries, &entry->node,
		     reenter_key_of(current, probe));
	spin_unlock_irqrestore(&session->threads_lock, flags);
	return entry;
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
	struct sonde_reentry *own = reenter_find(session, probe);
	u32 n, to = NOTES;

	if (!own)
		own = reenter_make(session, probe);
	if (!own)
		return; /* the arrival will count as an entry */
	for (n = 0; n < NOTES; n++) {
		if (own->notes[n].entry == entry && own->notes[n].sp == sp)
			return;
		if (!own->notes[n].entry)
			to = n;
	}
	if (to == NOTES)
		to = own->oldest++ % NOTES;
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
	struct sonde_reentry *own = reenter_find(session, probe);
	u32 n;

	for (n = 0; own && n < NOTES; n++) {
		if (own->notes[n].entry != entry || own->notes[n].sp != sp)
			continue;
		own->notes[n].entry = 0;
		return true;
	}
	return false;
}

/**
 * sonde_reenter_forget() - free the notes of a thread that ends
 * @session: any
 * @task: the current task; NULL: all threads, and the session does not fire any
 *	more
 *
 * Context: Any. Does not sleep.
 */
void sonde_reenter_forget(struct sonde_session *session,
			  struct task_struct *task)
{
	struct sonde_reentry *entry;
	struct hlist_node *next;
	unsigned long flags;
	int bucket;

	if (!READ_ONCE(session->reentered))
		return;
	spin_lock_irqsave(&session->threads_lock, flags);
	for (bucket = 0; bucket < HASH_SIZE(session->reentries); bucket++) {
		hlist_for_each_entry_safe(entry, next,
					  &session->reentries[bucket], node) {
			if (task && entry->task != task)
				continue;
			hash_del_rcu(&entry->node);
			sonde_free_rcu(entry);
		}
		if (task)
			continue;
		/* There may be very many. */
		spin_unlock_irqrestore(&session->threads_lock, flags);
		spin_lock_irqsave(&session->threads_lock, flags);
	}
	spin_unlock_irqrestore(&session->threads_lock, flags);
}
