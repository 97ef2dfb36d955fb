// SPDX-License-Identifier: GPL-2.0
/*
 * Lists that firings read: see list.h
 */
#include <linux/errno.h>
#include <linux/rcupdate.h>
#include <asm/barrier.h>

#include "kmod/core/memory.h"
#include "kmod/device/list.h"

static void *entries_entry_at(const struct sonde_list_kind *kind,
			      const struct sonde_list *list, u32 n)
{
	return (char *)list + kind->head + n * kind->size;
}

static bool *entries_mark_of(const struct sonde_list_kind *kind,
			     const void *entry)
{
	return (bool *)((char *)entry + kind->gone);
}

/* Adds an entry at the end; firings may read the list meanwhile. */
static void entries_append(const struct sonde_list_kind *kind,
			   struct sonde_list *list, const void *entry)
{
	memcpy(entries_entry_at(kind, list, list->count), entry, kind->size);
	kind->note(list, entry);
	WRITE_ONCE(list->live, list->live + 1);
	/* pairs with the readers of the entries, such as sonde_fire_each() */
	smp_store_release(&list->count, list->count + 1);
}

static bool entries_fits_after(const struct sonde_list_kind *kind,
			       const struct sonde_list *list,
			       const void *entry)
{
	return list && list->count < list->room &&
	       !(kind->before &&
		 kind->before(entry,
			      entries_entry_at(kind, list, list->count - 1)));
}

/* Makes a copy with one more entry, without removed ones, and with room for more. */
static struct sonde_list *entries_rebuild(const struct sonde_list_kind *kind,
					  const struct sonde_list *old,
					  const void *entry,
					  struct sonde_purse *purse)
{
	u32 room = old ? 2 * (old->live + 1) : 1, n;
	struct sonde_list *fresh;

	fresh = sonde_alloc_within(purse, kind->memory,
				   kind->head + room * kind->size, GFP_KERNEL);
	if (!fresh)
		return NULL;
	fresh->room = room;
	for (n = 0; old && n < old->count; n++) {
		const void *other = entries_entry_at(kind, old, n);

		if (*entries_mark_of(kind, other))
			continue;
		if (entry && kind->before && kind->before(entry, other)) {
			entries_append(kind, fresh, entry);
			entry = NULL;
		}
		entries_append(kind, fresh, other);
	}
	if (entry)
		entries_append(kind, fresh, entry);
	return fresh;
}

static struct sonde_list *entries_list_at(struct sonde_list __rcu **place)
{
	return rcu_dereference_protected(*place, true);
}

static void entries_replace(struct sonde_list __rcu **place,
			    struct sonde_list *fresh)
{
	struct sonde_list *old = entries_list_at(place);

	rcu_assign_pointer(*place, fresh);
	sonde_free_rcu(old);
}

/**
 * sonde_list_add() - add an entry
 * @kind: kind of the list
 * @place: of the list; NULL is there if it has no entries
 * @entry: copied
 * @purse: pays for the list
 *
 * Context: Process context; the lock for changes of the list is held. May
 * sleep.
 * Return: 0, or -ENOMEM: nothing has changed.
 */
int sonde_list_add(const struct sonde_list_kind *kind,
		   struct sonde_list __rcu **place, const void *entry,
		   struct sonde_purse *purse)
{
	struct sonde_list *list = entries_list_at(place);

	might_sleep();
	if (entries_fits_after(kind, list, entry)) {
		entries_append(kind, list, entry);
		return 0;
	}
	list = entries_rebuild(kind, list, entry, purse);
	if (!list)
		return -ENOMEM;
	entries_replace(place, list);
	return 0;
}

/**
 * sonde_list_remove() - remove an entry
 * @kind: kind of the list
 * @place: of the list
 * @entry: the entry, in the list
 *
 * Context: As sonde_list_add(), but allocates nothing.
 */
void sonde_list_remove(const struct sonde_list_kind *kind,
		       struct sonde_list __rcu **place, void *entry)
{
	struct sonde_list *list = entries_list_at(place);

	WRITE_ONCE(*entries_mark_of(kind, entry), true);
	WRITE_ONCE(list->live, list->live - 1);
	if (!list->live)
		entries_replace(place, NULL);
}
