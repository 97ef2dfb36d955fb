// SPDX-License-Identifier: GPL-2.0
/*
 * The task finder, on the utrace API.
 *
 * A finder that looks for a program has an engine on every thread, as each may
 * run it by its next exec; one that looks for a process has them on its threads
 * and those of its children alone. They are for clone, exec and death, and for
 * the return of system calls on the threads that match, if somebody wants to
 * know about mappings. Each finder has its own copy of the callbacks' table,
 * so that UTRACE_ATTACH_MATCH_OPS tells its engines from all others.
 *
 * Existing threads are found by passes over all threads, until one finds
 * nothing new: a thread made meanwhile has a parent with an engine, or will
 * be seen by the next pass.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/glob.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>

#include "kmod/core/internal.h"
#include "kmod/core/memory.h"
#include "kmod/finder.h"

struct sonde_finder {
	refcount_t ref;		/* the owner, each watch */
	struct sonde_finder_ops ops;
	struct utrace_engine_ops engine_ops;
	void *data;
	pid_t pid;
	char *path;
	spinlock_t lock;	/* for watches, stopping */
	struct list_head watches;
	bool stopping;
};

/* One thread, seen by one finder. */
struct watch {
	struct sonde_finder *finder;
	struct list_head link;
	struct utrace_engine *engine;	/* a reference while linked */
	struct task_struct *task;	/* only compared */
	bool matched;
	unsigned long old_break;	/* at the entry of brk() */
};

static void put_finder(struct sonde_finder *finder)
{
	if (!refcount_dec_and_test(&finder->ref))
		return;
	kfree(finder->path);
	sonde_free(finder);
}

/* Whether the program that @task runs is the one that is looked for. */
static bool path_matches(struct sonde_finder *finder, struct task_struct *task)
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

static bool task_matches(struct sonde_finder *finder, struct task_struct *task)
{
	return (!finder->pid || task->tgid == finder->pid) &&
	       path_matches(finder, task);
}

static unsigned long events_of(const struct watch *w)
{
	const struct sonde_finder_ops *ops = &w->finder->ops;
	unsigned long events = UTRACE_EVENT(CLONE) | UTRACE_EVENT(EXEC) |
			       UTRACE_EVENT(DEATH);

	if (w->matched && (ops->mapped || ops->unmapped || ops->protected))
		events |= UTRACE_EVENT(SYSCALL_EXIT);
	if (w->matched && (ops->mapped || ops->unmapped))
		events |= UTRACE_EVENT(SYSCALL_ENTRY);
	return events;
}

static void tell_found(struct watch *w, struct task_struct *task)
{
	struct sonde_finder *finder = w->finder;

	if (finder->ops.found)
		finder->ops.found(finder->data, task,
				  thread_group_leader(task));
}

static void tell_gone(struct watch *w, struct task_struct *task, bool process)
{
	struct sonde_finder *finder = w->finder;

	if (finder->ops.gone)
		finder->ops.gone(finder->data, task, process);
}

/* Takes @w off the list. Return: whether it was there; its reference is ours */
static bool unlink_watch(struct watch *w)
{
	struct sonde_finder *finder = w->finder;
	bool linked;

	spin_lock(&finder->lock);
	linked = !list_empty(&w->link);
	list_del_init(&w->link);
	spin_unlock(&finder->lock);
	return linked;
}

static bool link_watch(struct watch *w)
{
	struct sonde_finder *finder = w->finder;
	bool ok;

	spin_lock(&finder->lock);
	ok = !finder->stopping;
	if (ok)
		list_add(&w->link, &finder->watches);
	spin_unlock(&finder->lock);
	return ok;
}

/* Detaches @engine for good and drops a reference to it. */
static void detach(struct task_struct *task, struct utrace_engine *engine)
{
	while (utrace_control(task, engine, UTRACE_DETACH) == -EALREADY)
		schedule_timeout_uninterruptible(1);
	while (utrace_barrier(task, engine) != -ESRCH)
		schedule_timeout_uninterruptible(1);
	utrace_engine_put(engine);
}

/* Return: 0, or -EEXIST and the like when there is nothing to watch. */
static int watch_task(struct sonde_finder *finder, struct task_struct *task,
		      bool matched)
{
	const int flags = UTRACE_ATTACH_CREATE | UTRACE_ATTACH_EXCLUSIVE |
			  UTRACE_ATTACH_MATCH_OPS;
	struct utrace_engine *engine;
	struct watch *w;

	w = sonde_alloc_within(NULL, SONDE_MEMORY_FINDERS, sizeof(*w),
			       GFP_KERNEL);
	if (!w)
		return -ENOMEM;
	INIT_LIST_HEAD(&w->link);
	w->finder = finder;
	w->task = task;
	w->matched = matched;
	engine = utrace_attach_task(task, flags, &finder->engine_ops, w);
	if (IS_ERR(engine)) {
		sonde_free(w);
		return PTR_ERR(engine);
	}
	refcount_inc(&finder->ref);
	w->engine = engine;
	/*
	 * Ours: once it is linked, the thread's death or the end of the finder
	 * may drop the other two. The engine holds @w.
	 */
	utrace_engine_get(engine);
	if (!link_watch(w)) {
		detach(task, engine);
		utrace_engine_put(engine);
		return -ESRCH;
	}
	if (matched)
		tell_found(w, task);
	if (utrace_set_events(task, engine, events_of(w))) {
		if (unlink_watch(w)) {
			if (matched)
				tell_gone(w, task, thread_group_leader(task));
			detach(task, engine);
		}
		utrace_engine_put(engine);
		return -ESRCH;
	}
	utrace_engine_put(engine);
	return 0;
}

static u32 on_clone(u32 action, struct utrace_engine *engine,
		    unsigned long clone_flags, struct task_struct *child)
{
	struct watch *w = engine->data;

	watch_task(w->finder, child, w->matched);
	return UTRACE_RESUME;
}

static u32 on_death(struct utrace_engine *engine, bool group_dead, int signal)
{
	struct watch *w = engine->data;

	if (w->matched)
		tell_gone(w, current, group_dead);
	if (unlink_watch(w))
		utrace_engine_put(engine);
	return UTRACE_DETACH;
}

static void tell_mapped(struct watch *w, unsigned long address,
			unsigned long length, unsigned long protection)
{
	struct sonde_finder *finder = w->finder;

	if (finder->ops.mapped)
		finder->ops.mapped(finder->data, current, address, length,
				   protection);
}

static void tell_unmapped(struct watch *w, unsigned long address,
			  unsigned long length)
{
	struct sonde_finder *finder = w->finder;

	if (finder->ops.unmapped)
		finder->ops.unmapped(finder->data, current, address, length);
}

static unsigned long protection_of(unsigned long vm_flags)
{
	return (vm_flags & VM_READ ? PROT_READ : 0) |
	       (vm_flags & VM_WRITE ? PROT_WRITE : 0) |
	       (vm_flags & VM_EXEC ? PROT_EXEC : 0);
}

/* The protection of the mapping at @address, as mmap() has it. */
static unsigned long protection_at(unsigned long address)
{
	struct vm_area_struct *vma;
	unsigned long protection = 0;

	mmap_read_lock(current->mm);
	vma = find_vma(current->mm, address);
	if (vma && vma->vm_start <= address)
		protection = protection_of(vma->vm_flags);
	mmap_read_unlock(current->mm);
	return protection;
}

/*
 * The mappings that exec made for the new program. The lock is dropped for
 * each callback; the program has one thread and does not run yet.
 */
static void tell_program(struct watch *w)
{
	struct vm_area_struct *vma;
	unsigned long start, end = 0, protection;

	for (;;) {
		mmap_read_lock(current->mm);
		vma = find_vma(current->mm, end);
		if (vma) {
			start = vma->vm_start;
			end = vma->vm_end;
			protection = protection_of(vma->vm_flags);
		}
		mmap_read_unlock(current->mm);
		if (!vma)
			return;
		tell_mapped(w, start, end - start, protection);
	}
}

static u32 on_exec(u32 action, struct utrace_engine *engine,
		   const struct linux_binfmt *fmt,
		   const struct linux_binprm *bprm, struct pt_regs *regs)
{
	struct watch *w = engine->data;
	bool was = w->matched, is = was;

	if (w->finder->path)
		is = path_matches(w->finder, current) &&
		     (!w->finder->pid || was ||
		      current->tgid == w->finder->pid);
	w->matched = is;
	if (was && !is)
		tell_gone(w, current, true);
	if (is) {
		tell_found(w, current);
		tell_program(w);
	}
	/* Fails only if the thread is being let go. */
	if (was != is && utrace_set_events(current, engine, events_of(w)))
		return UTRACE_DETACH;
	return UTRACE_RESUME;
}

/* What the calls about mappings are called, by the ABI of the caller. */
enum map_call {
	MAP_OTHER, MAP_MMAP, MAP_OLD_MMAP, MAP_MUNMAP, MAP_MREMAP, MAP_MPROTECT,
	MAP_BRK,
};

/* Numbers of 32-bit calls: asm/unistd.h has those of 64-bit ones only. */
enum {
	NR32_BRK = 45, NR32_OLD_MMAP = 90, NR32_MUNMAP = 91,
	NR32_MPROTECT = 125, NR32_MREMAP = 163, NR32_MMAP2 = 192,
	NR32_PKEY_MPROTECT = 380,
};

static enum map_call map_call_32(int nr)
{
	switch (nr) {
	case NR32_BRK: return MAP_BRK;
	case NR32_OLD_MMAP: return MAP_OLD_MMAP;
	case NR32_MMAP2: return MAP_MMAP;
	case NR32_MUNMAP: return MAP_MUNMAP;
	case NR32_MREMAP: return MAP_MREMAP;
	case NR32_MPROTECT:
	case NR32_PKEY_MPROTECT: return MAP_MPROTECT;
	default: return MAP_OTHER;
	}
}

static enum map_call map_call(struct pt_regs *regs)
{
	int nr = syscall_get_nr(current, regs);

	if (syscall_get_arch(current) != AUDIT_ARCH_X86_64)
		return map_call_32(nr);
	switch (nr) {
	case __NR_brk: return MAP_BRK;
	case __NR_mmap: return MAP_MMAP;
	case __NR_munmap: return MAP_MUNMAP;
	case __NR_mremap: return MAP_MREMAP;
	case __NR_mprotect:
	case __NR_pkey_mprotect: return MAP_MPROTECT;
	default: return MAP_OTHER;
	}
}

/* brk() only says where the break is afterwards. */
static u32 on_syscall_entry(u32 action, struct utrace_engine *engine,
			    struct pt_regs *regs)
{
	struct watch *w = engine->data;

	if (map_call(regs) == MAP_BRK && current->mm)
		w->old_break = READ_ONCE(current->mm->brk);
	return utrace_syscall_action(action) | UTRACE_RESUME;
}

static void moved_break(struct watch *w, unsigned long now)
{
	unsigned long before = PAGE_ALIGN(w->old_break);

	w->old_break = 0;
	now = PAGE_ALIGN(now);
	if (!before)	/* it was under way when we came */
		return;
	if (now > before)
		tell_mapped(w, before, now - before, protection_at(before));
	else if (now < before)
		tell_unmapped(w, now, before - now);
}

/* The first 32-bit mmap() has its arguments in memory. */
static void old_mmap(struct watch *w, unsigned long address,
		     unsigned long where)
{
	u32 in[3];

	if (!copy_from_user(in, (void __user *)where, sizeof(in)))
		tell_mapped(w, address, PAGE_ALIGN(in[1]), in[2]);
}

/* The argument registers are as the call found them. */
static u32 on_syscall_exit(u32 action, struct utrace_engine *engine,
			   struct pt_regs *regs)
{
	struct watch *w = engine->data;
	struct sonde_finder *finder = w->finder;
	unsigned long args[6], result;

	if (syscall_get_error(current, regs))
		return UTRACE_RESUME;
	syscall_get_arguments(current, regs, args);
	result = syscall_get_return_value(current, regs);
	if (syscall_get_arch(current) != AUDIT_ARCH_X86_64)
		result = (u32)result;
	switch (map_call(regs)) {
	case MAP_MMAP:
		tell_mapped(w, result, PAGE_ALIGN(args[1]), args[2]);
		break;
	case MAP_OLD_MMAP:
		old_mmap(w, result, args[0]);
		break;
	case MAP_MUNMAP:
		tell_unmapped(w, args[0], PAGE_ALIGN(args[1]));
		break;
	case MAP_MREMAP:
		tell_unmapped(w, args[0], PAGE_ALIGN(args[1]));
		tell_mapped(w, result, PAGE_ALIGN(args[2]),
			    protection_at(result));
		break;
	case MAP_MPROTECT:
		if (finder->ops.protected)
			finder->ops.protected(finder->data, current, args[0],
					      PAGE_ALIGN(args[1]), args[2]);
		break;
	case MAP_BRK:
		moved_break(w, result);
		break;
	case MAP_OTHER:
		break;
	}
	return UTRACE_RESUME;
}

static void on_release(void *data)
{
	struct watch *w = data;

	if (w->engine)
		put_finder(w->finder);
	sonde_free(w);
}

/* References to all threads there are. Return: their number, or -ENOMEM. */
static int all_tasks(struct task_struct ***tasks)
{
	struct task_struct *process, *task;
	int n = 0, room = 0;

	rcu_read_lock();
	for_each_process_thread(process, task)
		room++;
	rcu_read_unlock();
	room += 64;
	*tasks = kvmalloc_array(room, sizeof(**tasks), GFP_KERNEL);
	if (!*tasks)
		return -ENOMEM;
	rcu_read_lock();
	for_each_process_thread(process, task) {
		if (n == room)
			goto out_full;
		if (task->flags & SONDE_PF_KERNEL)
			continue;
		get_task_struct(task);
		(*tasks)[n++] = task;
	}
out_full:
	rcu_read_unlock();
	return n;
}

/* Return: how many threads were new, or -ENOMEM. */
static int pass(struct sonde_finder *finder)
{
	struct task_struct **tasks;
	int i, n = all_tasks(&tasks), new = 0;

	for (i = 0; i < n; i++) {
		struct task_struct *task = tasks[i];
		bool matches = task_matches(finder, task);

		if (!READ_ONCE(task->exit_state) &&
		    (matches || finder->path) &&
		    !watch_task(finder, task, matches))
			new++;
		put_task_struct(task);
	}
	if (n < 0)
		return n;
	kvfree(tasks);
	return new;
}

/**
 * sonde_finder_start() - find the threads of matching processes
 * @target: what to look for; copied
 * @ops: what to call; copied
 * @data: for the callbacks
 *
 * Existing threads have been told of when this returns.
 *
 * Context: Process context. May sleep.
 * Return: the finder, or -ENOMEM.
 */
struct sonde_finder *
sonde_finder_start(const struct sonde_finder_target *target,
		   const struct sonde_finder_ops *ops, void *data)
{
	struct sonde_finder *finder = sonde_alloc(SONDE_MEMORY_FINDERS,
						  sizeof(*finder));
	int new;

	if (!finder)
		return ERR_PTR(-ENOMEM);
	refcount_set(&finder->ref, 1);
	spin_lock_init(&finder->lock);
	INIT_LIST_HEAD(&finder->watches);
	finder->ops = *ops;
	finder->data = data;
	finder->pid = target->pid;
	finder->engine_ops = (struct utrace_engine_ops){
		.report_clone = on_clone,
		.report_exec = on_exec,
		.report_death = on_death,
		.report_syscall_entry = on_syscall_entry,
		.report_syscall_exit = on_syscall_exit,
		.release = on_release,
	};
	if (target->path) {
		finder->path = kstrdup(target->path, GFP_KERNEL);
		if (!finder->path) {
			sonde_free(finder);
			return ERR_PTR(-ENOMEM);
		}
	}
	do
		new = pass(finder);
	while (new > 0);
	if (new < 0) {
		sonde_finder_stop(finder);
		return ERR_PTR(new);
	}
	return finder;
}
EXPORT_SYMBOL_GPL(sonde_finder_start);

/**
 * sonde_finder_stop() - let all threads go, and free the finder
 * @finder: from sonde_finder_start()
 *
 * No callback runs any more when this returns; @gone is not called.
 *
 * Context: Process context, not in a callback of the finder. Sleeps.
 */
void sonde_finder_stop(struct sonde_finder *finder)
{
	struct watch *w;

	spin_lock(&finder->lock);
	finder->stopping = true;
	while ((w = list_first_entry_or_null(&finder->watches, struct watch,
					     link))) {
		list_del_init(&w->link);
		spin_unlock(&finder->lock);
		detach(w->task, w->engine);
		spin_lock(&finder->lock);
	}
	spin_unlock(&finder->lock);
	put_finder(finder);
}
EXPORT_SYMBOL_GPL(sonde_finder_stop);
