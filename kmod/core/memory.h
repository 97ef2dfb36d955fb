/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module has allocated, counted by kind: /proc/sonde shows it, and
 * unloading warns where something is left
 */
#ifndef SONDE_MEMORY_H
#define SONDE_MEMORY_H

#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/types.h>

enum sonde_memory {
	SONDE_MEMORY_STATES, /* of traced threads */
	SONDE_MEMORY_ENGINES,
	SONDE_MEMORY_FINDERS,
	SONDE_MEMORY_SESSIONS,
	SONDE_MEMORY_PROGRAMS,
	SONDE_MEMORY_NATIVE, /* code of programs */
	SONDE_MEMORY_ECBS, /* and probes */
	SONDE_MEMORY_TAPS,
	SONDE_MEMORY_HOOKS, /* of system calls: the module's */
	SONDE_MEMORY_RINGS,
	SONDE_MEMORY_TARGETS,
	SONDE_MEMORY_VARIABLES, /* of threads, and where they jump to */
	SONDE_MEMORY_LATE, /* what threads do before they return to user mode */
	SONDE_MEMORY_EVENTS,
	SONDE_MEMORY_HELD, /* engines of held taps */
	SONDE_MEMORY_COUNT
};

/*
 * What may be taken that nobody has asked for, from whoever it runs in: by
 * firings, for children. No control group bounds that.
 */
struct sonde_purse {
	atomic_long_t bytes; /* that are taken */
	long most;
};

struct seq_file;

void *sonde_alloc(enum sonde_memory kind, size_t size);
void *sonde_alloc_within(struct sonde_purse *purse, enum sonde_memory kind,
			 size_t size, gfp_t gfp);
void sonde_free(void *memory);
void sonde_free_rcu(void *memory);
void sonde_memory_add(enum sonde_memory kind, long objects, long bytes);
void sonde_memory_show(struct seq_file *to);
void sonde_memory_end(void);

#endif
