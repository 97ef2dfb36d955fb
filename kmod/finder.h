/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The task finder: calls back for every thread of the processes that match,
 * existing and new ones, for what they become, and for their mappings.
 */
#ifndef SONDE_FINDER_H
#define SONDE_FINDER_H

#include <linux/types.h>

struct linux_binprm;
struct sonde_finder;
struct sonde_purse;
struct task_struct;
struct vm_area_struct;

/* Of whom sonde_finder_ops.gone tells. */
#define SONDE_GONE_PROCESS 1u	/* it was the last of its process */
#define SONDE_GONE_CHOSEN 2u	/* which was chosen itself, not by its parent */
#define SONDE_GONE_LAST 4u	/* and no other is left */

/**
 * struct sonde_finder_ops - what a finder's owner is told
 * @found: a thread matches: @process is set for a group's leader. Told in its
 *	parent before it runs, in itself by an exec, and for threads that exist
 *	already in sonde_finder_start(); one that is being made just then may be
 *	told twice. May sleep
 * @escaped: no memory to remember a process, which has just been made. May sleep
 * @becomes: a matched process is about to be another program, of which nothing
 *	is mapped yet: does it still match?
 * @exec: a matched process runs another program. May sleep
 * @gone: a matched thread ends, or does not match any more: SONDE_GONE_*
 * @mapped: a matched thread made a mapping, also by brk() or exec; runs in it,
 *	after the call. May sleep
 * @unmapped: a matched thread took one away. May sleep
 * @protected: a matched thread changed the protection of one. May sleep
 * @image: a matched thread maps a file that it may execute. It holds the lock
 *	of its map
 * @ends: a matched process ends, or may be about to run another program; its map
 *	is still there
 * @missed: the kernel has left out so many @becomes, @image and @ends
 *
 * The callbacks run in the thread they are about where nothing else is said;
 * they do not sleep, and must not wait for another thread. Each may be NULL.
 * @mapped, @unmapped and @protected put matched threads on the slow path of
 * system calls, the others cost nothing but where they are made.
 */
struct sonde_finder_ops {
	void (*found)(void *data, struct task_struct *task, bool process);
	void (*escaped)(void *data, struct task_struct *task);
	bool (*becomes)(void *data, const struct linux_binprm *program);
	void (*exec)(void *data);
	void (*gone)(void *data, struct task_struct *task, unsigned int what);
	void (*mapped)(void *data, struct task_struct *task,
		       unsigned long address, unsigned long length,
		       unsigned long protection);
	void (*unmapped)(void *data, struct task_struct *task,
			 unsigned long address, unsigned long length);
	void (*protected)(void *data, struct task_struct *task,
			  unsigned long address, unsigned long length,
			  unsigned long protection);
	void (*image)(void *data, const struct vm_area_struct *vma);
	void (*ends)(void *data);
	void (*missed)(void *data, unsigned int count);
};

/**
 * struct sonde_finder_target - what a finder looks for
 * @pid: a process, in the initial namespace; 0 for any
 * @path: the program's file, with * and ? as wildcards; NULL for any
 *
 * A child of a process that matches does, too, until it runs another program
 * where there is a @path.
 */
struct sonde_finder_target {
	pid_t pid;
	const char *path;
};

struct sonde_finder *
sonde_finder_start(const struct sonde_finder_target *target,
		   const struct sonde_finder_ops *ops, void *data);
void sonde_finder_stop(struct sonde_finder *finder);

/* Within the module: finders whose targets come and go. */
struct sonde_finder *sonde_finder_make(const struct sonde_finder_ops *ops,
				       void *data, struct sonde_purse *purse);
const char *sonde_finder_lacks(void);
int sonde_finder_follow(struct sonde_finder *finder);
int sonde_finder_follow_images(struct sonde_finder *finder);
int sonde_finder_add(struct sonde_finder *finder, pid_t pid);
bool sonde_finder_remove(struct sonde_finder *finder, pid_t pid,
			 unsigned int *what);
bool sonde_finder_has(struct sonde_finder *finder, pid_t pid);
bool sonde_finder_mark(struct sonde_finder *finder, pid_t pid);
bool sonde_finder_is_marked(struct sonde_finder *finder, pid_t pid);
unsigned int sonde_finder_count(const struct sonde_finder *finder);
void sonde_finder_walk(struct sonde_finder *finder,
		       void (*visit)(void *data, pid_t pid), void *data);
int sonde_finder_each(struct sonde_finder *finder,
		      bool (*take)(void *data, struct task_struct *task),
		      void *data);
bool sonde_finder_is_last(void);
void sonde_finder_end(struct sonde_finder *finder);
void sonde_finder_free(struct sonde_finder *finder);

#endif
