// SPDX-License-Identifier: GPL-2.0
/*
 * The task finder: system calls that change mappings
 *
 * If the owner of a finder wants them, each thread that matches gets an engine,
 * for the entry and return of system calls. Each finder has its own copy of the
 * callback table, so that UTRACE_ATTACH_MATCH_OPS distinguishes its engines
 * from all others. finder.c decides which threads match.
 */
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>

#include "kmod/arch.h"
#include "kmod/core/finder.h"
#include "kmod/core/memory.h"

/* One thread, watched for one finder. */
struct watch {
	struct sonde_finder *finder;
	struct list_head link;
	struct utrace_engine *engine;	/* a reference while linked */
	struct task_struct *task;	/* only compared */
	unsigned long old_break;	/* at the entry of brk() */
};

static bool calls_wanted(const struct sonde_finder *finder)
{
	return finder->ops.mapped || finder->ops.unmapped ||
	       finder->ops.protected;
}

static unsigned long calls_events(const struct sonde_finder *finder)
{
	unsigned long events = UTRACE_EVENT(DEATH) | UTRACE_EVENT(SYSCALL_EXIT);

	if (finder->ops.mapped || finder->ops.unmapped)
		events |= UTRACE_EVENT(SYSCALL_ENTRY);	/* of brk() */
	return events;
}

/* Unlinks @w. Return: whether it was linked; then its reference is the caller's. */
static bool calls_unlink(struct watch *w)
{
	struct sonde_finder *finder = w->finder;
	bool linked;

	spin_lock(&finder->lock);
	linked = !list_empty(&w->link);
	list_del_init(&w->link);
	spin_unlock(&finder->lock);
	return linked;
}

static bool calls_link(struct watch *w)
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

/* Detaches @engine, waits for its callbacks, and drops a reference to it. */
static void calls_detach(struct task_struct *task, struct utrace_engine *engine)
{
	while (utrace_control(task, engine, UTRACE_DETACH) == -EALREADY)
		schedule_timeout_uninterruptible(1);
	while (utrace_barrier(task, engine) != -ESRCH)
		schedule_timeout_uninterruptible(1);
	utrace_engine_put(engine);
}

static struct watch *calls_make(struct sonde_finder *finder,
				struct task_struct *task)
{
	struct watch *w = sonde_alloc_within(finder->purse,
					     SONDE_MEMORY_FINDERS, sizeof(*w),
					     GFP_KERNEL);

	if (!w)
		return NULL;
	INIT_LIST_HEAD(&w->link);
	w->finder = finder;
	w->task = task;
	return w;
}

/* The engine on a thread, new or existing; with a reference, or NULL. */
static struct utrace_engine *calls_engine(struct sonde_finder *finder,
					  struct task_struct *task)
{
	const int flags = UTRACE_ATTACH_MATCH_OPS;
	struct utrace_engine *engine =
		utrace_attach_task(task, flags, &finder->engine_ops, NULL);
	struct watch *w;

	if (!IS_ERR(engine))
		return engine;
	w = calls_make(finder, task);
	if (!w)
		return NULL;
	engine = utrace_attach_task(task, flags | UTRACE_ATTACH_CREATE |
				    UTRACE_ATTACH_EXCLUSIVE,
				    &finder->engine_ops, w);
	if (IS_ERR(engine)) {
		sonde_free(w);
		return NULL;
	}
	refcount_inc(&finder->ref);
	w->engine = engine;
	/*
	 * A reference for us: once it is linked, the death of the thread or the
	 * end of the finder may drop the other two. The engine keeps @w alive.
	 */
	utrace_engine_get(engine);
	if (calls_link(w))
		return engine;
	calls_detach(task, engine);
	utrace_engine_put(engine);
	return NULL;
}

/* A thread matches. May sleep. */
void sonde_finder_calls_watch(struct sonde_finder *finder,
			      struct task_struct *task)
{
	struct utrace_engine *engine;

	if (!calls_wanted(finder))
		return;
	engine = calls_engine(finder, task);
	if (!engine)
		return;
	if (utrace_set_events(task, engine, calls_events(finder)) &&
	    calls_unlink(engine->data))
		calls_detach(task, engine);	/* the thread ends */
	utrace_engine_put(engine);
}

/* The current thread no longer matches: its system calls get fast again. */
void sonde_finder_calls_leave(struct sonde_finder *finder)
{
	struct utrace_engine *engine;

	if (!calls_wanted(finder))
		return;
	engine = utrace_attach_task(current, UTRACE_ATTACH_MATCH_OPS,
				    &finder->engine_ops, NULL);
	if (IS_ERR(engine))
		return;
	if (utrace_set_events(current, engine, UTRACE_EVENT(DEATH)))
		calls_unlink(engine->data);	/* it is being detached */
	utrace_engine_put(engine);
}

static u32 calls_on_death(struct utrace_engine *engine, bool group_dead,
			  int signal)
{
	struct watch *w = engine->data;

	if (calls_unlink(w))
		utrace_engine_put(engine);
	return UTRACE_DETACH;
}

static void calls_report_mapped(struct sonde_finder *finder,
				struct sonde_finder_map *map)
{
	char *page = map->file ? (char *)__get_free_page(GFP_KERNEL) : NULL;

	if (page)
		sonde_finder_name(map, page);
	finder->ops.mapped(finder->data, current, map);
	free_page((unsigned long)page);
}

/*
 * Finds the first mapping that ends behind @address, with a reference to its
 * file. Return: whether there is one.
 */
static bool calls_look_behind(struct sonde_finder_map *map,
			      unsigned long address)
{
	struct vm_area_struct *vma;

	mmap_read_lock(current->mm);
	vma = find_vma(current->mm, address);
	if (vma)
		sonde_finder_describe(map, vma);
	if (vma && map->file)
		get_file(map->file);
	mmap_read_unlock(current->mm);
	return vma;
}

/* @protection: if another thread has removed the mapping meanwhile. */
static void calls_notify_mapped(struct sonde_finder *finder,
				unsigned long address, unsigned long length,
				unsigned long protection)
{
	struct sonde_finder_map map = {}, found;

	if (!finder->ops.mapped)
		return;
	if (calls_look_behind(&found, address)) {
		if (found.address <= address)
			map = found;
		else if (found.file)
			fput(found.file);
	}
	/* the kernel may have merged it with others */
	if (map.file)
		map.offset += address - map.address;
	if (!map.length)
		map.flags = protection;
	map.address = address;
	map.length = length;
	calls_report_mapped(finder, &map);
	if (map.file)
		fput(map.file);
}

static void calls_notify_unmapped(struct sonde_finder *finder,
				  unsigned long address, unsigned long length)
{
	if (finder->ops.unmapped)
		finder->ops.unmapped(finder->data, current, address, length);
}

/*
 * Reports the mappings that exec made for the new program. The lock is dropped
 * for each callback; the program has one thread and does not run yet.
 */
void sonde_finder_calls_program(struct sonde_finder *finder)
{
	struct sonde_finder_map map = {};

	while (finder->ops.mapped &&
	       calls_look_behind(&map, map.address + map.length)) {
		calls_report_mapped(finder, &map);
		if (map.file)
			fput(map.file);
	}
}

/* The calls that change mappings, under any ABI. */
enum map_call {
	MAP_OTHER, MAP_MMAP, MAP_OLD_MMAP, MAP_MUNMAP, MAP_MREMAP, MAP_MPROTECT,
	MAP_BRK,
};

static enum map_call calls_map_call_32(int nr)
{
	switch (nr) {
	case SONDE_COMPAT_BRK: return MAP_BRK;
	case SONDE_COMPAT_OLD_MMAP: return MAP_OLD_MMAP;
	case SONDE_COMPAT_MMAP2: return MAP_MMAP;
	case SONDE_COMPAT_MUNMAP: return MAP_MUNMAP;
	case SONDE_COMPAT_MREMAP: return MAP_MREMAP;
	case SONDE_COMPAT_MPROTECT:
	case SONDE_COMPAT_PKEY_MPROTECT: return MAP_MPROTECT;
	default: return MAP_OTHER;
	}
}

static enum map_call calls_map_call(struct pt_regs *regs)
{
	int nr = syscall_get_nr(current, regs);

	if (sonde_call_is_compat())
		return calls_map_call_32(nr);
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

/* brk() only returns the new break, so the old one is saved here. */
static u32 calls_on_syscall_entry(u32 action, struct utrace_engine *engine,
				  struct pt_regs *regs)
{
	struct watch *w = engine->data;

	if (calls_map_call(regs) == MAP_BRK && current->mm)
		w->old_break = READ_ONCE(current->mm->brk);
	return utrace_syscall_action(action) | UTRACE_RESUME;
}

static void calls_moved_break(struct watch *w, unsigned long now)
{
	unsigned long before = PAGE_ALIGN(w->old_break);
	struct sonde_finder *finder = w->finder;

	w->old_break = 0;
	now = PAGE_ALIGN(now);
	if (!before)	/* the call began before the engine was attached */
		return;
	if (now > before)
		calls_notify_mapped(finder, before, now - before,
				    VM_READ | VM_WRITE);
	else if (now < before)
		calls_notify_unmapped(finder, now, before - now);
}

/* The oldest 32-bit mmap() has its arguments in memory. */
static void calls_old_mmap(struct sonde_finder *finder, unsigned long address,
			   unsigned long where)
{
	u32 in[3];

	if (!copy_from_user(in, (void __user *)where, sizeof(in)))
		calls_notify_mapped(finder, address, PAGE_ALIGN(in[1]), in[2]);
}

/* The argument registers still have the values from the entry of the call. */
static u32 calls_on_syscall_exit(u32 action, struct utrace_engine *engine,
				 struct pt_regs *regs)
{
	struct watch *w = engine->data;
	struct sonde_finder *finder = w->finder;
	unsigned long args[6], result;

	if (syscall_get_error(current, regs))
		return UTRACE_RESUME;
	syscall_get_arguments(current, regs, args);
	result = syscall_get_return_value(current, regs);
	if (sonde_call_is_compat())
		result = (u32)result;
	switch (calls_map_call(regs)) {
	case MAP_MMAP:
		calls_notify_mapped(finder, result, PAGE_ALIGN(args[1]),
				    args[2]);
		break;
	case MAP_OLD_MMAP:
		calls_old_mmap(finder, result, args[0]);
		break;
	case MAP_MUNMAP:
		calls_notify_unmapped(finder, args[0], PAGE_ALIGN(args[1]));
		break;
	case MAP_MREMAP:
		if (args[1] && !(args[3] & MREMAP_DONTUNMAP))
			calls_notify_unmapped(finder, args[0],
					      PAGE_ALIGN(args[1]));
		calls_notify_mapped(finder, result, PAGE_ALIGN(args[2]),
				    0);
		break;
	case MAP_MPROTECT:
		if (finder->ops.protected)
			finder->ops.protected(finder->data, current, args[0],
					      PAGE_ALIGN(args[1]), args[2]);
		break;
	case MAP_BRK:
		calls_moved_break(w, result);
		break;
	case MAP_OTHER:
		break;
	}
	return UTRACE_RESUME;
}

static void calls_on_release(void *data)
{
	struct watch *w = data;

	if (w->engine)
		sonde_finder_put(w->finder);
	sonde_free(w);
}

void sonde_finder_calls_init(struct sonde_finder *finder)
{
	INIT_LIST_HEAD(&finder->watches);
	finder->engine_ops = (struct utrace_engine_ops){
		.report_death = calls_on_death,
		.report_syscall_entry = calls_on_syscall_entry,
		.report_syscall_exit = calls_on_syscall_exit,
		.release = calls_on_release,
	};
}

/* Detaches all engines. Sleeps. */
void sonde_finder_calls_end(struct sonde_finder *finder)
{
	struct watch *w;

	spin_lock(&finder->lock);
	finder->stopping = true;
	while ((w = list_first_entry_or_null(&finder->watches, struct watch,
					     link))) {
		list_del_init(&w->link);
		spin_unlock(&finder->lock);
		calls_detach(w->task, w->engine);
		spin_lock(&finder->lock);
	}
	spin_unlock(&finder->lock);
}
