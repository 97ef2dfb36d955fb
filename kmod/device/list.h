/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists that firings run through while entries come and go: a probe's ECBs, the
 * taps of a site
 *
 * A list is one array. An entry that comes last is added in place; else, and
 * where there is no room, another array takes the list's place. To remove one
 * takes no memory, so it cannot fail: the entry is marked, and goes with its
 * array.
 *
 * What is known of all entries (note) is there before the count, and a firing
 * looks at them the other way round.
 */
#ifndef SONDE_LIST_H
#define SONDE_LIST_H

#include <linux/types.h>

#include "kmod/core/memory.h"

/* The beginning of each list. */
struct sonde_list {
	u32 count;
	u32 room;
	u32 live; /* that are not gone */
};

struct sonde_list_kind {
	enum sonde_memory memory;
	size_t head; /* bytes before the entries */
	size_t size; /* of an entry */
	size_t gone; /* where it has its mark, a bool */
	/* NULL: in the order in which they come */
	bool (*before)(const void *entry, const void *other);
	/* an entry will be the last of the list */
	void (*note)(struct sonde_list *list, const void *entry);
};

struct sonde_list *sonde_list_add(const struct sonde_list_kind *kind,
				  struct sonde_list *list, const void *entry);
bool sonde_list_remove(const struct sonde_list_kind *kind,
		       struct sonde_list *list, void *entry);

#endif
