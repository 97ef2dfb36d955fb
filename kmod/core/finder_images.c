// SPDX-License-Identifier: GPL-2.0
/*
 * The task finder: executable files that are mapped, and execs
 *
 *   image     a process maps a file as executable, by exec, dlopen() or other
 *             means: a kprobe on perf_event_mmap(), which the kernel calls
 *             for each such mapping
 *   ends      a process ends: a kprobe on taskstats_exit(), the last place where
 *             its mappings exist; or it may be about to run another program: a kprobe on
 *             security_bprm_check(), which is called twice for a script
 *   becomes   a process is about to run another program, which is not
 *             mapped yet: a kprobe on security_bprm_committing_creds()
 *
 * There are no kprobes while no finder wants them. A thread that maps nothing
 * pays nothing; engines, as in finder_calls.c, would put each thread on the
 * slow path.
 *
 * All run with preemption off.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/rculist.h>

#include "kmod/arch.h"
#include "kmod/core/finder.h"
#include "kmod/core/hooks.h"

static u32 users; /* number of finders that want them; under finders_lock */

/* Calls @notify for each finder that follows images and matches the current process. */
static void images_notify(void (*notify)(struct sonde_finder *finder,
					 const void *what),
			  const void *what)
{
	struct sonde_finder *finder;

	lockdep_assert_preemption_disabled();
	list_for_each_entry_rcu(finder, &sonde_finder_list, node)
		if (READ_ONCE(finder->follows_images) &&
		    sonde_finder_matches(finder, current->tgid))
			notify(finder, what);
}

/* The kernel skips a kprobe that is hit inside the handler of another one. */
static void images_lose_missed(struct kprobe *probe)
{
	struct sonde_finder *finder;
	unsigned long missed;

	if (likely(!READ_ONCE(probe->nmissed)))
		return;
	missed = xchg(&probe->nmissed, 0);
	list_for_each_entry_rcu(finder, &sonde_finder_list, node)
		if (READ_ONCE(finder->follows_images) && finder->ops.missed)
			finder->ops.missed(finder->data, missed);
}

static void images_notify_image(struct sonde_finder *finder, const void *vma)
{
	if (finder->ops.image)
		finder->ops.image(finder->data, vma);
}

static int images_on_mmap(struct kprobe *probe, struct pt_regs *regs)
{
	const struct vm_area_struct *vma = (void *)sonde_function_argument(regs, 0);

	images_lose_missed(probe);
	if (current->mm && vma->vm_mm == current->mm && vma->vm_file &&
	    (vma->vm_flags & VM_EXEC))
		images_notify(images_notify_image, vma);
	return 0;
}

static void images_notify_end(struct sonde_finder *finder, const void *unused)
{
	if (finder->ops.ends)
		finder->ops.ends(finder->data);
}

static int images_on_exit(struct kprobe *probe, struct pt_regs *regs)
{
	bool last = (int)sonde_function_argument(regs, 1);

	images_lose_missed(probe);
	if (last && current->mm)
		images_notify(images_notify_end, NULL);
	return 0;
}

static int images_on_check(struct kprobe *probe, struct pt_regs *regs)
{
	images_lose_missed(probe);
	if (current->mm)
		images_notify(images_notify_end, NULL);
	return 0;
}

static void images_notify_becoming(struct sonde_finder *finder,
				   const void *program)
{
	if (finder->ops.becomes && !finder->ops.becomes(finder->data, program))
		sonde_finder_drop(finder);
}

static int images_on_exec(struct kprobe *probe, struct pt_regs *regs)
{
	images_lose_missed(probe);
	images_notify(images_notify_becoming,
		      (void *)sonde_function_argument(regs, 0));
	return 0;
}

static struct kprobe probes[] = {
	{ .pre_handler = images_on_mmap },
	{ .pre_handler = images_on_exit },
	{ .pre_handler = images_on_exec },
	{ .pre_handler = images_on_check },
};

static struct kprobe *all_probes[] = { &probes[0], &probes[1], &probes[2],
				       &probes[3] };

/* Addresses of the functions; 0: it does not have the expected signature. */
static unsigned long places[ARRAY_SIZE(probes)];

/* Finds the functions. Context: module load. */
void sonde_finder_images_init(void)
{
	places[0] = sonde_function("perf_event_mmap",
				   "void(struct vm_area_struct *)");
	places[1] = sonde_function("taskstats_exit",
				   "void(struct task_struct *, int)");
	places[2] = sonde_function("security_bprm_committing_creds",
				   "void(struct linux_binprm *)");
	places[3] = sonde_function("security_bprm_check",
				   "int(struct linux_binprm *)");
}

static int images_probe(void)
{
	int n;

	for (n = 0; n < ARRAY_SIZE(probes); n++) {
		if (!places[n])
			return -EOPNOTSUPP;
		probes[n].addr = (kprobe_opcode_t *)places[n];
		probes[n].flags = 0; /* what an earlier registration left */
	}
	return register_kprobes(all_probes, ARRAY_SIZE(all_probes));
}

/* Counts one more finder. Return: 0, or an error of register_kprobes(). */
int sonde_finder_images_start(void)
{
	int err = users ? 0 : images_probe();

	users += !err;
	return err;
}

/* Counts one finder less. */
void sonde_finder_images_stop(void)
{
	if (!--users)
		unregister_kprobes(all_probes, ARRAY_SIZE(all_probes));
}
