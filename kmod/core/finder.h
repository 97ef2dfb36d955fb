/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between the files of the task finder and the hooks; finder.c
 * describes how it works.
 */
#ifndef SONDE_CORE_FINDER_H
#define SONDE_CORE_FINDER_H

#include <linux/hashtable.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>

#include "kmod/finder.h"
#include "kmod/utrace.h"

struct sonde_finder {
	refcount_t ref;		/* the owner, each engine of finder_calls.c */
	struct list_head node;	/* list of the finders that follow; RCU and SRCU */
	struct sonde_finder_ops ops;
	void *data;
	struct sonde_purse *purse;	/* limits the memory for new processes */
	bool follows;
	bool follows_images;
	bool follows_all_images;	/* also of processes that are not in the table */
	bool all;		/* matches every process; the table is empty */
	pid_t pid;		/* 0: any */
	char *path;		/* NULL: any */
	spinlock_t lock;	/* held to change the table; also protects watches and stopping */
	DECLARE_HASHTABLE(processes, 8);	/* that match */
	unsigned int count;
	bool clearing;		/* no child matches through its parent; under @lock */
	/* finder_calls.c */
	struct utrace_engine_ops engine_ops;
	struct list_head watches;
	bool stopping;
};

/* finder.c */
extern int sonde_finders;	/* number of finders that follow */
extern struct list_head sonde_finder_list;
extern struct srcu_struct sonde_finder_calling;	/* held by callbacks that may sleep */
bool sonde_finder_matches(struct sonde_finder *finder, pid_t pid);
void sonde_finder_drop(struct sonde_finder *finder);
void sonde_finder_put(struct sonde_finder *finder);
void sonde_finder_born(struct task_struct *child);
void sonde_finder_exec(void);

/* finder_calls.c */
void sonde_finder_calls_init(struct sonde_finder *finder);
void sonde_finder_calls_watch(struct sonde_finder *finder,
			      struct task_struct *task);
void sonde_finder_calls_leave(struct sonde_finder *finder);
void sonde_finder_calls_program(struct sonde_finder *finder);
void sonde_finder_calls_end(struct sonde_finder *finder);

/* finder_images.c */
void sonde_finder_describe(struct sonde_finder_map *map,
			   const struct vm_area_struct *vma);
void sonde_finder_name(struct sonde_finder_map *map, char *page);
void sonde_finder_images_init(void);
int sonde_finder_images_start(void);
void sonde_finder_images_stop(void);

#endif
