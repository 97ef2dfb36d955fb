// SPDX-License-Identifier: GPL-2.0
/*
 * The task finder: executable files that are mapped, and execs
 *
 *   image     a process maps a file as executable, by exec, dlopen() or other
 *             means: a kprobe on perf_event_mmap(), which the kernel calls
 *             for each such mapping
 *   had       a process ends: a hook on taskstats_exit(), the last place where
 *             its mappings exist, so threads that end fire there, too; or it
 *             replaces its program: a hook on begin_new_exec(), which a call
 *             that fails for a user's reasons does not reach
 *   becomes   a process is about to run another program, which is not
 *             mapped yet: a hook on security_bprm_committing_creds()
 *
 * A process may have very many mappings. So its end and its exec are hooked by
 * the core's ftrace_ops, whose hooks may sleep: one walk reports each mapping to
 * all finders that want it, and others can run between any two. `becomes`
 * decides whether a member may go on tracing, so it must not be a kprobe either:
 * root can disarm all of them without a word.
 *
 * The kprobe exists while a finder wants images. It looks at one mapping, with
 * preemption off. A thread that maps nothing pays nothing; engines, as in
 * finder_calls.c, would put each thread on the slow path.
 */
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "kmod/arch.h"
#include "kmod/core/finder.h"
#include "kmod/core/hooks.h"

#define LOCK_ATTEMPTS 10u /* a tick apart */

void (*sonde_ends)(void);
int sonde_ends_wanted;

static u32 users; /* number of finders that want them; under finders_lock */
static const bool *kprobes_disarmed __ro_after_init; /* NULL: not known */

/* Fills in all but the path. Context: the mmap lock is held. */
void sonde_finder_describe(struct sonde_finder_map *map,
			   const struct vm_area_struct *vma)
{
	*map = (struct sonde_finder_map){
		.address = vma->vm_start,
		.length = vma->vm_end - vma->vm_start,
		.offset = (u64)vma->vm_pgoff << PAGE_SHIFT,
		.flags = vma->vm_flags,
		.file = vma->vm_file,
	};
}

/* Sets the path, which is in @page. */
void sonde_finder_name(struct sonde_finder_map *map, char *page)
{
	const char *path;

	if (!map->file)
		return;
	path = d_path(&map->file->f_path, page, PAGE_SIZE);
	if (!IS_ERR(path) && *path == '/')
		map->path = path;
}

static void images_lose(struct sonde_finder *finder, unsigned int count)
{
	if (finder->ops.missed)
		finder->ops.missed(finder->data, count);
}

/* The kernel skips a kprobe that is hit inside the handler of another one. */
static void images_lose_skipped(struct kprobe *probe)
{
	struct sonde_finder *finder;
	unsigned long skipped;

	if (likely(!READ_ONCE(probe->nmissed)))
		return;
	skipped = xchg(&probe->nmissed, 0);
	list_for_each_entry_rcu(finder, &sonde_finder_list, node)
		if (READ_ONCE(finder->follows_images))
			images_lose(finder, skipped);
}

static bool images_reports(struct sonde_finder *finder)
{
	return READ_ONCE(finder->follows_images) && finder->ops.image &&
	       (READ_ONCE(finder->follows_all_images) ||
		sonde_finder_has(finder, current->tgid));
}

static void images_notify_image(const struct vm_area_struct *vma)
{
	struct sonde_finder_map map = {};
	struct sonde_finder *finder;
	unsigned long page = 0;

	list_for_each_entry_rcu(finder, &sonde_finder_list, node) {
		if (!images_reports(finder))
			continue;
		if (!page) { /* one look at the file for all of them */
			page = __get_free_page(GFP_NOWAIT | __GFP_NOWARN);
			sonde_finder_describe(&map, vma);
			if (page)
				sonde_finder_name(&map, (char *)page);
		}
		if (page)
			finder->ops.image(finder->data, &map);
		else
			images_lose(finder, 1);
	}
	free_page(page);
}

static int images_on_mmap(struct kprobe *probe, struct pt_regs *regs)
{
	const struct vm_area_struct *vma = (void *)sonde_function_argument(regs, 0);

	images_lose_skipped(probe);
	if (current->mm && vma->vm_mm == current->mm && vma->vm_file &&
	    (vma->vm_flags & VM_EXEC))
		images_notify_image(vma);
	return 0;
}

static struct kprobe probe = { .pre_handler = images_on_mmap };

/* Address of perf_event_mmap(); 0: it does not have the expected signature. */
static unsigned long place __ro_after_init;

/*
 * The mappings of a process that ends or replaces its program
 */

struct images_walk {
	struct sonde_finder **wanting; /* NULL: it wants no more */
	u32 count, left;
	unsigned long at;
	char *page;
};

static bool images_wants(struct sonde_finder *finder)
{
	return READ_ONCE(finder->follows_images) && finder->ops.ends &&
	       finder->ops.had &&
	       sonde_finder_matches(finder, current->tgid) &&
	       finder->ops.ends(finder->data);
}

/*
 * Others may hold the lock for ever: a file server in user space, that does not
 * answer. The end of a finder waits for us, so we must not wait for that.
 */
static bool images_lock(struct mm_struct *mm)
{
	u32 n;

	for (n = 0; n < LOCK_ATTEMPTS; n++) {
		if (mmap_read_trylock(mm))
			return true;
		schedule_timeout_killable(1);
	}
	return false;
}

/* The next mapping of an executable file, with a reference to that. Return: 1; 0: none; -EBUSY. */
static int images_next(struct images_walk *walk, struct sonde_finder_map *map)
{
	struct vm_area_struct *vma;
	int found = 0;

	if (!images_lock(current->mm))
		return -EBUSY;
	while (!found && (vma = find_vma(current->mm, walk->at))) {
		walk->at = vma->vm_end;
		found = vma->vm_file && (vma->vm_flags & VM_EXEC);
		if (found) {
			sonde_finder_describe(map, vma);
			get_file(map->file);
		}
		cond_resched();
	}
	mmap_read_unlock(current->mm);
	return found;
}

static void images_report(struct images_walk *walk,
			  const struct sonde_finder_map *map)
{
	struct sonde_finder *finder;
	u32 n;

	for (n = 0; n < walk->count; n++) {
		finder = walk->wanting[n];
		if (finder && !finder->ops.had(finder->data, map)) {
			walk->wanting[n] = NULL;
			walk->left--;
		}
	}
}

static void images_lose_rest(struct images_walk *walk)
{
	u32 n;

	for (n = 0; n < walk->count; n++)
		if (walk->wanting[n])
			images_lose(walk->wanting[n], 1);
}

static void images_walk(struct images_walk *walk)
{
	struct sonde_finder_map map;
	int found = 1;

	while (found > 0 && walk->left) {
		found = images_next(walk, &map);
		if (found <= 0)
			break;
		sonde_finder_name(&map, walk->page);
		images_report(walk, &map);
		fput(map.file);
		cond_resched();
	}
	if (found < 0)
		images_lose_rest(walk);
}

/* Puts the finders that want the mappings into @wanting, if not NULL. Return: their number. */
static u32 images_collect(struct sonde_finder **wanting, u32 room)
{
	struct sonde_finder *finder;
	u32 count = 0;

	list_for_each_entry_rcu(finder, &sonde_finder_list, node,
				srcu_read_lock_held(&sonde_finder_calling)) {
		if (count == room)
			break;
		if (!images_wants(finder))
			continue;
		if (wanting)
			wanting[count] = finder;
		count++;
	}
	return count;
}

static void images_lose_all(void)
{
	struct sonde_finder *finder;

	list_for_each_entry_rcu(finder, &sonde_finder_list, node,
				srcu_read_lock_held(&sonde_finder_calling))
		if (images_wants(finder))
			images_lose(finder, 1);
}

static void images_notify_mappings(u32 room)
{
	struct images_walk walk = {
		.wanting = kvmalloc_array(room, sizeof(*walk.wanting), GFP_KERNEL),
		.page = (char *)__get_free_page(GFP_KERNEL),
	};

	if (walk.wanting && walk.page) {
		walk.count = images_collect(walk.wanting, room);
		walk.left = walk.count;
		images_walk(&walk);
	} else {
		images_lose_all();
	}
	free_page((unsigned long)walk.page);
	kvfree(walk.wanting);
}

/* The current process ends or replaces its program; its mappings still exist. */
static void images_notify_end(void)
{
	int index = srcu_read_lock(&sonde_finder_calling);
	u32 count = images_collect(NULL, U32_MAX);

	if (count)
		images_notify_mappings(count);
	srcu_read_unlock(&sonde_finder_calling, index);
}

unsigned long sonde_hook_replaces(struct sonde_args *args)
{
	might_sleep();
	sonde_hooks_enter();
	images_notify_end();
	sonde_hooks_leave();
	return sonde_body(SONDE_HOOK_REPLACES);
}

/* Firings come first: they have addresses in the mappings. */
unsigned long sonde_hook_ends(struct sonde_args *args)
{
	bool last = (int)SONDE_ARG(args, 1);

	might_sleep();
	sonde_hooks_enter();
	if (READ_ONCE(sonde_ends_wanted))
		sonde_ends();
	if (last)
		images_notify_end();
	sonde_hooks_leave();
	return sonde_body(SONDE_HOOK_ENDS);
}

static void images_notify_becoming(const struct linux_binprm *program)
{
	int index = srcu_read_lock(&sonde_finder_calling);
	struct sonde_finder *finder;

	list_for_each_entry_rcu(finder, &sonde_finder_list, node,
				srcu_read_lock_held(&sonde_finder_calling))
		if (finder->ops.becomes &&
		    sonde_finder_matches(finder, current->tgid) &&
		    !finder->ops.becomes(finder->data, program))
			sonde_finder_drop(finder);
	srcu_read_unlock(&sonde_finder_calling, index);
}

unsigned long sonde_hook_becomes(struct sonde_args *args)
{
	might_sleep();
	sonde_hooks_enter();
	images_notify_becoming((void *)SONDE_ARG(args, 0));
	sonde_hooks_leave();
	return sonde_body(SONDE_HOOK_BECOMES);
}

/* Finds the function. Context: module load. */
void sonde_finder_images_init(void)
{
	place = sonde_function("perf_event_mmap",
			       "void(struct vm_area_struct *)");
	kprobes_disarmed = (const bool *)sonde_lookup("kprobes_all_disarmed");
}

/**
 * sonde_finder_images_lack() - why images, ends and execs cannot be reported
 *
 * Context: Any.
 * Return: the name of a function that is not the one that we know, or of the
 * switch that disarms kprobes; NULL: they can.
 */
const char *sonde_finder_images_lack(void)
{
	if (!place)
		return "perf_event_mmap";
	if (kprobes_disarmed && READ_ONCE(*kprobes_disarmed))
		return "debug/kprobes/enabled";
	return sonde_hook_missing(SONDE_HOOK_REPLACES) ?:
	       sonde_hook_missing(SONDE_HOOK_BECOMES) ?:
	       sonde_hook_missing(SONDE_HOOK_ENDS);
}

/* Counts one more finder. Return: 0, or an error of register_kprobe(). */
int sonde_finder_images_start(void)
{
	int err = 0;

	if (!users) {
		probe.addr = (kprobe_opcode_t *)place;
		probe.flags = 0; /* what an earlier registration left */
		err = register_kprobe(&probe);
	}
	users += !err;
	return err;
}

/* Counts one finder less. */
void sonde_finder_images_stop(void)
{
	if (!--users)
		unregister_kprobe(&probe);
}
