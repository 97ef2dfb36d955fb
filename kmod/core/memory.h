/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's allocations, counted by kind: /proc/sonde shows the counts, and
 * unloading warns about what is left
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
	SONDE_MEMORY_ECBS, /* and of probes */
	SONDE_MEMORY_TAPS,
	SONDE_MEMORY_HOOKS, /* of the module, on system calls */
	SONDE_MEMORY_RINGS,
	SONDE_MEMORY_TARGETS,
	SONDE_MEMORY_VARIABLES, /* of threads, and their jump targets */
	SONDE_MEMORY_LATE, /* firings that are finished before the return to user mode */
	SONDE_MEMORY_EVENTS,
	SONDE_MEMORY_HELD, /* engines of held taps */
	SONDE_MEMORY_COUNT
};

/*
 * A limit, beside that of a control group: firings and births of children allocate
 * memory in whatever thread they run in, and where that may not sleep no control
 * group is charged; nor has each user a control group with a limit.
 */
struct sonde_purse {
	atomic_long_t bytes; /* in use */
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
