/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists that firings read while entries are added and removed: the ECBs of a
 * probe, the taps of a site
 *
 * A list is one array. An entry that belongs at the end is added in place;
 * otherwise, or if there is no room, a new array replaces the list. A removal
 * takes no memory, so it cannot fail: the entry is only marked, and freed with
 * its array.
 *
 * The summary of all entries (note) is written before the count; a firing reads
 * the count first.
 */
#ifndef SONDE_LIST_H
#define SONDE_LIST_H

#include <linux/types.h>

#include "kmod/core/memory.h"

/* The start of each list, so a pointer to the list is also one to this. */
struct sonde_list {
	u32 count;
	u32 room;
	u32 live; /* not marked as removed */
};

struct sonde_list_kind {
	enum sonde_memory memory;
	size_t head; /* size before the entries */
	size_t size; /* of an entry */
	size_t gone; /* offset of its mark, a bool */
	/* the order; NULL: that of arrival */
	bool (*before)(const void *entry, const void *other);
	/* adds @entry, which will be the last, to the summary */
	void (*note)(struct sonde_list *list, const void *entry);
};

int sonde_list_add(const struct sonde_list_kind *kind,
		   struct sonde_list __rcu **place, const void *entry,
		   struct sonde_purse *purse);
void sonde_list_remove(const struct sonde_list_kind *kind,
		       struct sonde_list __rcu **place, void *entry);

#endif
