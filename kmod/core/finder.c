// SPDX-License-Identifier: GPL-2.0
/*
 * The task finder: the processes that are to be traced
 *
 * The hooks of the core notify each finder of all births, execs and ends:
 *
 *   wake_up_new_task()      a child of a process that matches also matches
 *   proc_exec_connector()   with a path, the program decides
 *   sched_process_exit      a thread ends; our probe is the last one there
 *
 * A finder has a table of the processes that match, by number. The table of a
 * finder for all processes is empty. Threads get no engine for it, so their
 * system calls and signals cost nothing more; and while no finder follows, no
 * thread takes the hooks.
 *
 * If the owner wants the calls that change mappings, finder_calls.c attaches
 * engines to the threads that match; finder_images.c only reports executable
 * files and execs.
 *
 * Existing threads: a process is added to the table, then its threads are
 * visited. A thread that is created meanwhile is reported by the hook of its
 * parent, or by the visit, or by both. With a path, passes over all processes
 * are made until one finds no new process.
 *
 * Callbacks that may sleep are called under sonde_finder_calling, the others
 * under RCU.
 * Locks: finders_lock, also used for finder_images.c; finder->lock is a leaf.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/glob.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/srcu.h>

#include "kmod/compat.h"
#include "kmod/core/finder.h"
#include "kmod/core/hooks.h"
#include "kmod/core/memory.h"

/* A process that matches. */
struct process {
	struct hlist_node node;
	pid_t pid;
	pid_t origin;	/* the chosen process whose program it runs; 0: none */
	bool chosen;	/* itself, not through its parent */
	enum sonde_mark marked;	/* by the owner */
};

int sonde_finders;
LIST_HEAD(sonde_finder_list);

static DEFINE_MUTEX(finders_lock);	/* protects both, and exit_point */
DEFINE_SRCU(sonde_finder_calling);
static struct tracepoint *exit_point;

/* Context: RCU, or finder->lock is held. */
static struct process *finder_look_up(struct sonde_finder *finder, pid_t pid)
{
	struct process *process;

	hash_for_each_possible_rcu(finder->processes, process, node, pid,
				   lockdep_is_held(&finder->lock))
		if (process->pid == pid)
			return process;
	return NULL;
}

/**
 * sonde_finder_has() - whether a process is in the table of those that match
 * @finder: the table of a finder for all processes is empty
 * @pid: in the initial namespace
 *
 * Context: Any.
 */
bool sonde_finder_has(struct sonde_finder *finder, pid_t pid)
{
	bool has;

	rcu_read_lock();
	has = finder_look_up(finder, pid);
	rcu_read_unlock();
	return has;
}

/* Context: Any. */
bool sonde_finder_matches(struct sonde_finder *finder, pid_t pid)
{
	return READ_ONCE(finder->all) || sonde_finder_has(finder, pid);
}

/**
 * sonde_finder_origin() - the chosen process whose program a process runs
 * @finder: any finder
 * @pid: any process
 *
 * Context: Any.
 * Return: the process itself, or the one that it was forked from without an exec
 * since; 0: neither.
 */
pid_t sonde_finder_origin(struct sonde_finder *finder, pid_t pid)
{
	struct process *process;
	pid_t origin;

	rcu_read_lock();
	process = finder_look_up(finder, pid);
	origin = process ? READ_ONCE(process->origin) : 0;
	rcu_read_unlock();
	return origin;
}

/*
 * What a process takes over from its parent. Return: whether it matches: the
 * parent may have been removed since it was asked.
 */
static bool finder_inherit(struct sonde_finder *finder, struct process *child)
{
	struct process *parent = finder_look_up(finder, current->tgid);

	if (!parent || finder->clearing)
		return false;
	child->origin = parent->origin;
	if (parent->marked == SONDE_MARK_FORKS)
		child->marked = SONDE_MARK_FORKS;
	return true;
}

/* Return: as finder_insert(). Context: finder->lock is held. */
static int finder_link(struct sonde_finder *finder, struct process *fresh)
{
	struct process *found = finder_look_up(finder, fresh->pid);

	if (found) {
		found->chosen |= fresh->chosen;
		if (fresh->chosen)
			WRITE_ONCE(found->origin, fresh->pid);
		return 0;
	}
	if (fresh->chosen)
		fresh->origin = fresh->pid;
	else if (!finder_inherit(finder, fresh))
		return -ESRCH;
	hash_add_rcu(finder->processes, &fresh->node, fresh->pid);
	WRITE_ONCE(finder->count, finder->count + 1);
	return 1;
}

/*
 * Return: 1; 0: it was already in the table; -ENOMEM; -ESRCH: its parent does
 * not match any more, so it does not, either.
 */
static int finder_insert(struct sonde_finder *finder, pid_t pid, bool chosen)
{
	struct process *fresh;
	int added;

	if (READ_ONCE(finder->all))
		return 0;
	fresh = sonde_alloc_within(finder->purse, SONDE_MEMORY_TARGETS,
				   sizeof(*fresh), GFP_KERNEL);
	if (!fresh)
		return -ENOMEM;
	fresh->pid = pid;
	fresh->chosen = chosen;
	spin_lock(&finder->lock);
	added = finder_link(finder, fresh);
	spin_unlock(&finder->lock);
	if (added <= 0)
		sonde_free(fresh);
	return added;
}

/* Return: SONDE_GONE_* flags. Context: finder->lock is held. */
static unsigned int finder_unlink(struct sonde_finder *finder,
				  struct process *process)
{
	unsigned int what = SONDE_GONE_PROCESS;

	hash_del_rcu(&process->node);
	WRITE_ONCE(finder->count, finder->count - 1);
	if (process->chosen)
		what |= SONDE_GONE_CHOSEN;
	if (!finder->count)
		what |= SONDE_GONE_LAST;
	sonde_free_rcu(process);
	return what;
}

/**
 * sonde_finder_remove() - remove a process from those that match
 * @finder: any finder
 * @pid: any process
 * @what: receives SONDE_GONE_* flags, if it matched
 *
 * Its children still match.
 *
 * Context: Any task, not in an interrupt.
 * Return: whether it matched.
 */
bool sonde_finder_remove(struct sonde_finder *finder, pid_t pid,
			 unsigned int *what)
{
	struct process *process;

	spin_lock(&finder->lock);
	process = finder_look_up(finder, pid);
	if (process)
		*what = finder_unlink(finder, process);
	spin_unlock(&finder->lock);
	return process;
}

static void finder_set_clearing(struct sonde_finder *finder, bool clearing)
{
	spin_lock(&finder->lock);
	finder->clearing = clearing;
	spin_unlock(&finder->lock);
}

/* Removes one process of a chain. Return: its number; 0: the chain is empty. */
static pid_t finder_take_out(struct sonde_finder *finder,
			     const struct hlist_head *chain, unsigned int *what)
{
	struct process *process;
	pid_t pid = 0;

	spin_lock(&finder->lock);
	process = hlist_entry_safe(chain->first, struct process, node);
	if (process) {
		pid = process->pid;
		*what = finder_unlink(finder, process);
	}
	spin_unlock(&finder->lock);
	return pid;
}

/**
 * sonde_finder_clear() - remove all processes from those that match
 * @finder: any finder; nobody adds to it meanwhile
 * @removed: called for each, with SONDE_GONE_* flags
 * @data: for @removed
 *
 * A child that is made meanwhile does not match. So one pass is enough, however
 * fast the processes fork, and others run between any two of them.
 *
 * Context: Process context. May sleep.
 * Return: the number of processes.
 */
unsigned int sonde_finder_clear(struct sonde_finder *finder,
				void (*removed)(void *data, pid_t pid,
						unsigned int what),
				void *data)
{
	unsigned int count = 0, what, n;
	pid_t pid;

	might_sleep();
	finder_set_clearing(finder, true);
	for (n = 0; n < HASH_SIZE(finder->processes); n++)
		while ((pid = finder_take_out(finder, &finder->processes[n],
					      &what))) {
			removed(data, pid, what);
			count++;
			cond_resched();
		}
	finder_set_clearing(finder, false);
	return count;
}

static void finder_notify_gone(struct sonde_finder *finder, unsigned int what)
{
	if (finder->ops.gone)
		finder->ops.gone(finder->data, current, what);
}

/* The current process does not match any more. */
void sonde_finder_drop(struct sonde_finder *finder)
{
	unsigned int what;

	if (sonde_finder_remove(finder, current->tgid, &what))
		finder_notify_gone(finder, what);
}

static void finder_notify_found(struct sonde_finder *finder,
				struct task_struct *task)
{
	if (finder->ops.found)
		finder->ops.found(finder->data, task,
				  thread_group_leader(task));
	sonde_finder_calls_watch(finder, task);
}

/*
 * Notifications from the hooks
 */

static bool finder_is_user(const struct task_struct *task)
{
	return !(task->flags & SONDE_PF_KERNEL);
}

/* The current thread has created @child, which has not run yet. May sleep. */
void sonde_finder_born(struct task_struct *child)
{
	struct sonde_finder *finder;
	int err, index;

	might_sleep();
	if (!finder_is_user(child) || !finder_is_user(current))
		return;
	index = srcu_read_lock(&sonde_finder_calling);
	list_for_each_entry_rcu(finder, &sonde_finder_list, node,
				srcu_read_lock_held(&sonde_finder_calling)) {
		if (!sonde_finder_matches(finder, current->tgid))
			continue;
		err = thread_group_leader(child) ?
			      finder_insert(finder, child->tgid, false) : 0;
		if (err >= 0)
			finder_notify_found(finder, child);
		else if (err == -ENOMEM && finder->ops.escaped)
			finder->ops.escaped(finder->data, child);
	}
	srcu_read_unlock(&sonde_finder_calling, index);
}

/* Whether @task runs the program that the finder looks for. */
static bool finder_path_matches(struct sonde_finder *finder,
				struct task_struct *task)
{
	struct file *file;
	char *buffer, *name;
	bool match = false;

	if (!finder->path)
		return true;
	buffer = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!buffer)
		return false;
	file = sonde_kernel.get_task_exe_file(task);
	if (file) {
		name = file_path(file, buffer, PATH_MAX);
		match = !IS_ERR(name) && glob_match(finder->path, name);
		fput(file);
	}
	kfree(buffer);
	return match;
}

/* The current process runs another program: checks whether it matches. */
static void finder_judge(struct sonde_finder *finder)
{
	pid_t pid = current->tgid;
	bool was = sonde_finder_has(finder, pid);
	bool is = (was || !finder->pid || pid == finder->pid) &&
		  finder_path_matches(finder, current);

	if (was && !is) {
		sonde_finder_calls_leave(finder);
		sonde_finder_drop(finder);
	} else if (is && finder_insert(finder, pid, !was) > 0) {
		finder_notify_found(finder, current);
	}
}

/* A child that was not chosen itself has no origin any more. */
static void finder_forget_origin(struct sonde_finder *finder)
{
	struct process *process;

	spin_lock(&finder->lock);
	process = finder_look_up(finder, current->tgid);
	if (process && !process->chosen) {
		WRITE_ONCE(process->origin, 0);
		WRITE_ONCE(process->marked, SONDE_MARK_NONE);
	}
	spin_unlock(&finder->lock);
}

/* The current thread runs another program. May sleep. */
void sonde_finder_exec(void)
{
	struct sonde_finder *finder;
	int index;

	might_sleep();
	index = srcu_read_lock(&sonde_finder_calling);
	list_for_each_entry_rcu(finder, &sonde_finder_list, node,
				srcu_read_lock_held(&sonde_finder_calling)) {
		if (finder->path)
			finder_judge(finder);
		if (!sonde_finder_matches(finder, current->tgid))
			continue;
		finder_forget_origin(finder);
		if (finder->ops.exec)
			finder->ops.exec(finder->data);
		sonde_finder_calls_program(finder);
	}
	srcu_read_unlock(&sonde_finder_calling, index);
}

/* Multithreaded processes that ended recently */
#define DEATHS 256u

static struct {
	struct task_struct *last;	/* only compared */
	pid_t pid;
	u64 start;	/* of the process, because numbers are reused */
} deaths[DEATHS];
static u32 next_death;
static DEFINE_SPINLOCK(deaths_lock);	/* protects both */

/**
 * sonde_finder_is_last() - whether the current task is the last of its process
 *
 * Threads that end at the same time all see that no other thread lives. The
 * first one to ask counts as the last. We remember the latest of such deaths;
 * the result is wrong if more than DEATHS other processes end between two
 * threads of a process.
 *
 * Context: The hook on taskstats_exit(), or a probe of sched_process_exit;
 * preemption is off.
 */
bool sonde_finder_is_last(void)
{
	u64 start = current->group_leader->start_time;
	bool last = true;
	u32 n;

	if (atomic_read(&current->signal->live))
		return false;
	if (thread_group_empty(current))
		return true;
	spin_lock(&deaths_lock);
	for (n = 0; n < DEATHS; n++)
		if (deaths[n].pid == current->tgid && deaths[n].start == start)
			break;
	if (n == DEATHS) {
		n = next_death++ % DEATHS;
		deaths[n].last = current;
		deaths[n].pid = current->tgid;
		deaths[n].start = start;
	}
	last = deaths[n].last == current;
	spin_unlock(&deaths_lock);
	return last;
}

/* Probe of sched_process_exit. */
static void finder_ended(void *data, struct task_struct *task)
{
	struct sonde_finder *finder;
	bool last;

	if (current->flags & PF_KTHREAD)
		return;
	rcu_read_lock();
	last = sonde_finder_is_last();
	list_for_each_entry_rcu(finder, &sonde_finder_list, node) {
		if (!sonde_finder_matches(finder, current->tgid) ||
		    (!last && !finder_is_user(current)))
			continue;
		if (last && !READ_ONCE(finder->all))
			sonde_finder_drop(finder);
		else
			finder_notify_gone(finder,
					   last ? SONDE_GONE_PROCESS : 0);
	}
	rcu_read_unlock();
}

/*
 * Calls of the owners
 */

/**
 * sonde_finder_make() - make a finder that matches all processes and does not
 * follow yet
 * @ops: the callbacks; copied
 * @data: for the callbacks
 * @purse: limits the memory for the table; NULL: no limit
 *
 * Context: Process context. May sleep.
 * Return: the finder, or NULL.
 */
struct sonde_finder *sonde_finder_make(const struct sonde_finder_ops *ops,
				       void *data, struct sonde_purse *purse)
{
	struct sonde_finder *finder = sonde_alloc(SONDE_MEMORY_FINDERS,
						  sizeof(*finder));

	might_sleep();
	if (!finder)
		return NULL;
	refcount_set(&finder->ref, 1);
	spin_lock_init(&finder->lock);
	hash_init(finder->processes);
	finder->ops = *ops;
	finder->data = data;
	finder->purse = purse;
	finder->all = true;
	sonde_finder_calls_init(finder);
	return finder;
}

/**
 * sonde_finder_lacks() - the missing hook that following needs
 *
 * Context: Any.
 * Return: the name of its function, NULL if all are there.
 */
const char *sonde_finder_lacks(void)
{
	return sonde_hook_missing(SONDE_HOOK_NEW_TASK) ?:
	       sonde_hook_missing(SONDE_HOOK_EXEC);
}

/* Runs after the probes of others, which ask what processes match. */
static int finder_probe_exits(void)
{
	exit_point = sonde_tracepoint("sched_process_exit");
	if (!exit_point)
		return -EOPNOTSUPP;
	return tracepoint_probe_register_prio(exit_point, finder_ended, NULL,
					      0);
}

/**
 * sonde_finder_follow() - start to report births, execs and ends to a finder
 * @finder: it may follow already
 *
 * Context: Process context. May sleep.
 * Return: 0, -EOPNOTSUPP, or an error of tracepoint_probe_register_prio().
 */
int sonde_finder_follow(struct sonde_finder *finder)
{
	int err = 0;

	might_sleep();
	if (sonde_finder_lacks())
		return -EOPNOTSUPP;
	mutex_lock(&finders_lock);
	if (!finder->follows) {
		if (!sonde_finders)
			err = finder_probe_exits();
		if (!err) {
			list_add_tail_rcu(&finder->node, &sonde_finder_list);
			WRITE_ONCE(sonde_finders, sonde_finders + 1);
			finder->follows = true;
		}
	}
	mutex_unlock(&finders_lock);
	return err;
}

/**
 * sonde_finder_follow_images() - start to report images, ends and execs to a
 * finder
 * @finder: one that follows
 *
 * Context: Process context. May sleep.
 * Return: 0, -EOPNOTSUPP, or an error of register_kprobes().
 */
int sonde_finder_follow_images(struct sonde_finder *finder)
{
	int err = 0;

	might_sleep();
	mutex_lock(&finders_lock);
	if (sonde_finder_images_lack()) {
		err = -EOPNOTSUPP;
	} else if (!finder->follows_images) {
		err = sonde_finder_images_start();
		WRITE_ONCE(finder->follows_images, !err);
	}
	mutex_unlock(&finders_lock);
	return err;
}

/**
 * sonde_finder_follow_all_images() - the same, with the images of all processes
 * @finder: one that follows
 *
 * Context: Process context. May sleep.
 * Return: 0, or an error of sonde_finder_follow_images().
 */
int sonde_finder_follow_all_images(struct sonde_finder *finder)
{
	int err = sonde_finder_follow_images(finder);

	WRITE_ONCE(finder->follows_all_images, !err);
	return err;
}

/**
 * sonde_finder_end() - stop all callbacks of a finder
 * @finder: on return no callback runs any more; the table is kept
 *
 * Context: Process context, not in a callback of the finder. Sleeps.
 */
void sonde_finder_end(struct sonde_finder *finder)
{
	bool idle;

	might_sleep();
	mutex_lock(&finders_lock);
	if (finder->follows) {
		list_del_rcu(&finder->node);
		WRITE_ONCE(sonde_finders, sonde_finders - 1);
	}
	idle = finder->follows && !sonde_finders;
	if (idle)
		tracepoint_probe_unregister(exit_point, finder_ended, NULL);
	if (finder->follows_images)
		sonde_finder_images_stop();
	finder->follows_images = false;
	if (finder->follows) {
		finder->follows = false;
		synchronize_srcu(&sonde_finder_calling);
		synchronize_rcu();
	}
	if (idle)
		tracepoint_synchronize_unregister();
	mutex_unlock(&finders_lock);
	sonde_finder_calls_end(finder);
}

void sonde_finder_put(struct sonde_finder *finder)
{
	if (!refcount_dec_and_test(&finder->ref))
		return;
	kfree(finder->path);
	sonde_free(finder);
}

/**
 * sonde_finder_free() - free a finder
 * @finder: it was ended, and is not used any more
 *
 * Context: Process context.
 */
void sonde_finder_free(struct sonde_finder *finder)
{
	struct process *process;
	struct hlist_node *next;
	int bucket;

	hash_for_each_safe(finder->processes, bucket, next, process, node) {
		hash_del(&process->node);
		sonde_free(process);
		cond_resched();
	}
	sonde_finder_put(finder);
}

/**
 * sonde_finder_add() - match a process, and no longer all processes
 * @finder: any finder
 * @pid: the process
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ENOMEM.
 */
int sonde_finder_add(struct sonde_finder *finder, pid_t pid)
{
	might_sleep();
	WRITE_ONCE(finder->all, false);
	return min(finder_insert(finder, pid, true), 0);
}

/**
 * sonde_finder_mark() - set the owner's mark on a process
 * @finder: any finder
 * @pid: any process
 * @mark: SONDE_MARK_FORKS also marks the processes that have it as their origin
 *
 * Context: Process context.
 * Return: whether it matches.
 */
bool sonde_finder_mark(struct sonde_finder *finder, pid_t pid,
		       enum sonde_mark mark)
{
	struct process *process;

	spin_lock(&finder->lock);
	process = finder_look_up(finder, pid);
	if (process)
		WRITE_ONCE(process->marked, mark);
	spin_unlock(&finder->lock);
	return process;
}

/* A process that was forked before its origin got the mark does not have it itself. */
static bool finder_has_mark(struct sonde_finder *finder,
			    const struct process *process)
{
	pid_t origin = READ_ONCE(process->origin);

	if (READ_ONCE(process->marked) != SONDE_MARK_NONE)
		return true;
	if (!origin || origin == process->pid)
		return false;
	process = finder_look_up(finder, origin);
	return process && READ_ONCE(process->marked) == SONDE_MARK_FORKS;
}

/**
 * sonde_finder_is_marked() - whether a process has the owner's mark
 * @finder: any finder
 * @pid: any process
 *
 * Context: Any.
 */
bool sonde_finder_is_marked(struct sonde_finder *finder, pid_t pid)
{
	struct process *process;
	bool marked;

	rcu_read_lock();
	process = finder_look_up(finder, pid);
	marked = process && finder_has_mark(finder, process);
	rcu_read_unlock();
	return marked;
}

/**
 * sonde_finder_count() - number of processes that match
 * @finder: any finder; 0 for a finder for all processes
 *
 * Context: Any.
 */
unsigned int sonde_finder_count(const struct sonde_finder *finder)
{
	return READ_ONCE(finder->count);
}

/**
 * sonde_finder_walk() - visit each process that matches
 * @finder: any finder
 * @visit: called for each, under RCU
 * @data: for @visit
 *
 * There may be very many, so others run between any two chains of the table. A
 * process that is added or removed meanwhile is visited or not.
 *
 * Context: Process context. May sleep.
 */
void sonde_finder_walk(struct sonde_finder *finder,
		       void (*visit)(void *data, pid_t pid), void *data)
{
	struct process *process;
	unsigned int n;

	might_sleep();
	for (n = 0; n < HASH_SIZE(finder->processes); n++) {
		rcu_read_lock();
		hlist_for_each_entry_rcu(process, &finder->processes[n], node)
			visit(data, process->pid);
		rcu_read_unlock();
		cond_resched();
	}
}

static bool finder_collects(struct task_struct *task, pid_t only)
{
	return finder_is_user(task) && !READ_ONCE(task->exit_state) &&
	       (!only || task->tgid == only);
}

/*
 * Takes references to the threads, up to @room of them. Return: their number,
 * which is more than @room if they do not all fit.
 */
static int finder_collect(struct task_struct **tasks, int room, pid_t only)
{
	struct task_struct *process, *task;
	int count = 0;

	rcu_read_lock();
	for_each_process_thread(process, task) {
		if (!finder_collects(task, only))
			continue;
		if (count < room) {
			get_task_struct(task);
			tasks[count] = task;
		}
		count++;
	}
	rcu_read_unlock();
	return count;
}

/*
 * Collects references to all threads, or those of @only. Threads may be created
 * between two looks, so it repeats until all of them fit. Return: their number,
 * or -ENOMEM.
 */
static int finder_threads(struct task_struct ***tasks, pid_t only)
{
	int count = finder_collect(NULL, 0, only), room, n;

	for (;;) {
		room = count + 64;
		*tasks = kvmalloc_array(room, sizeof(**tasks), GFP_KERNEL);
		if (!*tasks)
			return -ENOMEM;
		count = finder_collect(*tasks, room, only);
		if (count <= room)
			return count;
		for (n = 0; n < room; n++)
			put_task_struct((*tasks)[n]);
		kvfree(*tasks);
	}
}

/*
 * Calls @visit for all threads, or those of @only. Return: the sum of what it
 * returns; an error ends the visits.
 */
static int finder_visit(pid_t only,
			int (*visit)(void *data, struct task_struct *task),
			void *data)
{
	struct task_struct **tasks;
	int count = finder_threads(&tasks, only), sum = 0, one = 0, n;

	if (count < 0)
		return count;
	for (n = 0; n < count; n++) {
		if (one >= 0)
			one = visit(data, tasks[n]);
		sum += one;
		put_task_struct(tasks[n]);
		cond_resched();
	}
	kvfree(tasks);
	return one < 0 ? one : sum;
}

struct taking {
	struct sonde_finder *finder;
	bool (*take)(void *data, struct task_struct *task);
	void *data;
};

static int finder_take(void *data, struct task_struct *task)
{
	const struct taking *taking = data;

	return sonde_finder_matches(taking->finder, task->tgid) &&
	       taking->take(taking->data, task);
}

/**
 * sonde_finder_each() - visit the threads that match, until none is new
 * @finder: any finder
 * @take: returns whether a thread was new; may sleep
 * @data: for @take
 *
 * Context: Process context. Sleeps.
 * Return: 0 or -ENOMEM.
 */
int sonde_finder_each(struct sonde_finder *finder,
		      bool (*take)(void *data, struct task_struct *task),
		      void *data)
{
	struct taking taking = { finder, take, data };
	int taken;

	might_sleep();
	do
		taken = finder_visit(0, finder_take, &taking);
	while (taken > 0);
	return taken;
}

static int finder_notify_one(void *data, struct task_struct *task)
{
	if (sonde_finder_matches(data, task->tgid))
		finder_notify_found(data, task);
	return 0;
}

/* Adds the process of @task if it is new and matches. Return: 1, 0 or -ENOMEM. */
static int finder_choose(void *data, struct task_struct *task)
{
	struct sonde_finder *finder = data;
	int err;

	if (!thread_group_leader(task) || !finder_path_matches(finder, task))
		return 0;
	err = finder_insert(finder, task->tgid, true);
	if (err <= 0)
		return err;
	return finder_visit(task->tgid, finder_notify_one, finder) ?: 1;
}

static int finder_start(struct sonde_finder *finder)
{
	int found, err = sonde_finder_follow(finder);

	if (err)
		return err;
	if (finder->all)
		return finder_visit(0, finder_notify_one, finder);
	do
		found = finder_visit(finder->pid, finder_choose, finder);
	while (found > 0);
	return found;
}

/**
 * sonde_finder_start() - find the threads of matching processes
 * @target: what to look for; copied
 * @ops: the callbacks; copied
 * @data: for the callbacks
 *
 * On return, all existing threads have been reported.
 *
 * Context: Process context. May sleep.
 * Return: the finder, -ENOMEM, or an error of sonde_finder_follow().
 */
struct sonde_finder *
sonde_finder_start(const struct sonde_finder_target *target,
		   const struct sonde_finder_ops *ops, void *data)
{
	struct sonde_finder *finder = sonde_finder_make(ops, data, NULL);
	int err = 0;

	might_sleep();
	if (!finder)
		return ERR_PTR(-ENOMEM);
	finder->pid = target->pid;
	finder->all = !target->pid && !target->path;
	if (target->path) {
		finder->path = kstrdup(target->path, GFP_KERNEL);
		err = finder->path ? 0 : -ENOMEM;
	}
	if (!err)
		err = finder_start(finder);
	if (!err)
		return finder;
	sonde_finder_stop(finder);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(sonde_finder_start);

/**
 * sonde_finder_stop() - release all threads, and free the finder
 * @finder: from sonde_finder_start()
 *
 * On return no callback runs any more; @gone is not called.
 *
 * Context: Process context, not in a callback of the finder. Sleeps.
 */
void sonde_finder_stop(struct sonde_finder *finder)
{
	might_sleep();
	sonde_finder_end(finder);
	sonde_finder_free(finder);
}
EXPORT_SYMBOL_GPL(sonde_finder_stop);
