/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The task finder: calls back for every thread of the processes that match,
 * existing and new ones, and for their mappings.
 */
#ifndef SONDE_FINDER_H
#define SONDE_FINDER_H

#include <linux/types.h>

struct task_struct;
struct sonde_finder;

/**
 * struct sonde_finder_ops - what a finder's owner is told
 * @found: a thread matches. Called once per thread, with @process set for a
 *	group's leader; again after an exec that matches
 * @gone: a thread that was found died, or its new program does not match;
 *	@process is set when it was the last of its process
 * @mapped: a matched thread made a mapping, also by brk() or exec; runs in it,
 *	after the call
 * @unmapped: a matched thread took one away
 * @protected: a matched thread changed the protection of one
 *
 * Callbacks run in the thread they are about, or for threads that exist
 * already in sonde_finder_start()'s; they may sleep. Each may be NULL.
 */
struct sonde_finder_ops {
	void (*found)(void *data, struct task_struct *task, bool process);
	void (*gone)(void *data, struct task_struct *task, bool process);
	void (*mapped)(void *data, struct task_struct *task,
		       unsigned long address, unsigned long length,
		       unsigned long protection);
	void (*unmapped)(void *data, struct task_struct *task,
			 unsigned long address, unsigned long length);
	void (*protected)(void *data, struct task_struct *task,
			  unsigned long address, unsigned long length,
			  unsigned long protection);
};

/**
 * struct sonde_finder_target - what a finder looks for
 * @pid: a process, in the initial namespace; 0 for any
 * @path: the program's file, with * and ? as wildcards; NULL for any
 *
 * A child of a process that was chosen by @pid matches too.
 */
struct sonde_finder_target {
	pid_t pid;
	const char *path;
};

struct sonde_finder *
sonde_finder_start(const struct sonde_finder_target *target,
		   const struct sonde_finder_ops *ops, void *data);
void sonde_finder_stop(struct sonde_finder *finder);

#endif
