// SPDX-License-Identifier: GPL-2.0
/*
 * Lists that firings run through: list.h has the theory
 */
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

/* At its end; it may be looked at meanwhile. */
static void entries_append(const struct sonde_list_kind *kind,
			   struct sonde_list *list, const void *entry)
{
	memcpy(entries_entry_at(kind, list, list->count), entry, kind->size);
	kind->note(list, entry);
	WRITE_ONCE(list->live, list->live + 1);
	/* pairs with who looks at the entries, sonde_fire_each() and others */
	smp_store_release(&list->count, list->count + 1);
}

static bool entries_fits_behind(const struct sonde_list_kind *kind,
				const struct sonde_list *list,
				const void *entry)
{
	return list && list->count < list->room &&
	       !(kind->before &&
		 kind->before(entry,
			      entries_entry_at(kind, list, list->count - 1)));
}

/* The same with one more, without those that are gone, and with room. */
static struct sonde_list *entries_rebuild(const struct sonde_list_kind *kind,
					  const struct sonde_list *old,
					  const void *entry)
{
	u32 room = old ? 2 * (old->live + 1) : 1, n;
	struct sonde_list *fresh;

	fresh = sonde_alloc(kind->memory, kind->head + room * kind->size);
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

/**
 * sonde_list_add() - add an entry
 * @kind: what the list is of
 * @list: NULL: there is none yet
 * @entry: copied
 *
 * Context: Process context; who changes the list has its lock. May sleep.
 * Return: the list that has it: another one takes the place of @list, whose
 * caller frees it by RCU. NULL: no memory, nothing has changed.
 */
struct sonde_list *sonde_list_add(const struct sonde_list_kind *kind,
				  struct sonde_list *list, const void *entry)
{
	might_sleep();
	if (!entries_fits_behind(kind, list, entry))
		return entries_rebuild(kind, list, entry);
	entries_append(kind, list, entry);
	return list;
}

/**
 * sonde_list_remove() - remove an entry
 * @kind: what the list is of
 * @list: has it
 * @entry: in the list
 *
 * Context: As sonde_list_add().
 * Return: whether that was the last.
 */
bool sonde_list_remove(const struct sonde_list_kind *kind,
		       struct sonde_list *list, void *entry)
{
	WRITE_ONCE(*entries_mark_of(kind, entry), true);
	WRITE_ONCE(list->live, list->live - 1);
	return !list->live;
}
