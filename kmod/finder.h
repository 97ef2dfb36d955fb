/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The task finder makes callbacks for every thread of the processes that match,
 * existing and new ones, for the programs that they exec, and for their
 * mappings.
 */
#ifndef SONDE_FINDER_H
#define SONDE_FINDER_H

#include <linux/types.h>

struct file;
struct linux_binprm;
struct sonde_finder;
struct sonde_purse;
struct task_struct;

/* Flags of sonde_finder_ops.gone. */
#define SONDE_GONE_PROCESS 1u	/* the thread was the last of its process */
#define SONDE_GONE_CHOSEN 2u	/* the process was chosen itself, not through its parent */
#define SONDE_GONE_LAST 4u	/* no other process is left */

/**
 * struct sonde_finder_map - a mapping
 * @address: its start
 * @length: in bytes
 * @offset: of @address in the file, in bytes
 * @flags: VM_*; its lowest three bits are PROT_READ, PROT_WRITE, PROT_EXEC
 * @file: whose dentry and inode the callback may look at; NULL: no file is mapped,
 *	or not any more
 * @path: name of the file, as d_path() has it; NULL: it has none
 */
struct sonde_finder_map {
	unsigned long address;
	unsigned long length;
	unsigned long long offset;
	unsigned long flags;
	struct file *file;
	const char *path;
};

/**
 * struct sonde_finder_ops - the callbacks of a finder
 * @found: a thread matches; @process is set for a group leader. Runs in the
 *	parent before a new thread runs, in the thread itself at an exec, and in
 *	sonde_finder_start() for existing threads; a thread that is being created at
 *	that time may be reported twice. May sleep
 * @escaped: there was no memory to remember a new process. May sleep
 * @becomes: a matched process is about to run another program, which is not
 *	mapped yet: does the process still match? May sleep
 * @exec: a matched process has started another program. May sleep
 * @gone: a matched thread ends or no longer matches; @what: SONDE_GONE_*
 * @mapped: a matched thread has created a mapping, also by brk() or exec; runs
 *	after the call. May sleep
 * @unmapped: a matched thread has removed a mapping. May sleep
 * @protected: a matched thread has changed the protection of a mapping. May
 *	sleep
 * @image: a thread of a process in the table, or after
 *	sonde_finder_follow_all_images() of any process, maps a file as
 *	executable. It holds its mmap lock
 * @ends: a matched process ends, or replaces its program, and its mappings still
 *	exist: does the owner want them? May sleep
 * @had: then, one of its mappings of an executable file: does the owner want more?
 *	May sleep
 * @missed: @count of @image and @had were not reported. Any context
 *
 * Unless noted otherwise, a callback runs in the thread that it reports, must
 * not sleep, and must not wait for another thread. Each may be NULL. @mapped,
 * @unmapped and @protected put matched threads on the slow path of system calls;
 * the others cost nothing except where they are called.
 */
struct sonde_finder_ops {
	void (*found)(void *data, struct task_struct *task, bool process);
	void (*escaped)(void *data, struct task_struct *task);
	bool (*becomes)(void *data, const struct linux_binprm *program);
	void (*exec)(void *data);
	void (*gone)(void *data, struct task_struct *task, unsigned int what);
	void (*mapped)(void *data, struct task_struct *task,
		       const struct sonde_finder_map *map);
	void (*unmapped)(void *data, struct task_struct *task,
			 unsigned long address, unsigned long length);
	void (*protected)(void *data, struct task_struct *task,
			  unsigned long address, unsigned long length,
			  unsigned long protection);
	void (*image)(void *data, const struct sonde_finder_map *map);
	bool (*ends)(void *data);
	bool (*had)(void *data, const struct sonde_finder_map *map);
	void (*missed)(void *data, unsigned int count);
};

/**
 * struct sonde_finder_target - what a finder looks for
 * @pid: a process, in the initial namespace; 0 for any
 * @path: the program's file, with * and ? as wildcards; NULL for any
 *
 * A child of a process that matches also matches; if there is a @path, only
 * until it runs another program.
 */
struct sonde_finder_target {
	pid_t pid;
	const char *path;
};

struct sonde_finder *
sonde_finder_start(const struct sonde_finder_target *target,
		   const struct sonde_finder_ops *ops, void *data);
void sonde_finder_stop(struct sonde_finder *finder);

enum sonde_mark { SONDE_MARK_NONE, SONDE_MARK_ONE, SONDE_MARK_FORKS };

/* Only within the module: finders whose targets are added and removed. */
struct sonde_finder *sonde_finder_make(const struct sonde_finder_ops *ops,
				       void *data, struct sonde_purse *purse);
const char *sonde_finder_lacks(void);
const char *sonde_finder_images_lack(void);
int sonde_finder_follow(struct sonde_finder *finder);
int sonde_finder_follow_images(struct sonde_finder *finder);
int sonde_finder_follow_all_images(struct sonde_finder *finder);
int sonde_finder_add(struct sonde_finder *finder, pid_t pid);
bool sonde_finder_remove(struct sonde_finder *finder, pid_t pid,
			 unsigned int *what);
unsigned int sonde_finder_clear(struct sonde_finder *finder,
				void (*removed)(void *data, pid_t pid,
						unsigned int what),
				void *data);
bool sonde_finder_has(struct sonde_finder *finder, pid_t pid);
pid_t sonde_finder_origin(struct sonde_finder *finder, pid_t pid);
bool sonde_finder_mark(struct sonde_finder *finder, pid_t pid,
		       enum sonde_mark mark);
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
