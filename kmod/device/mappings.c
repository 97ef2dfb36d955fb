// SPDX-License-Identifier: GPL-2.0
/*
 * What programs map: for symbols, and for probes in libraries that come later;
 * and what they become, for who may trace them
 *
 *   MAPPED    a target maps a file that it may execute, by exec, dlopen() or as
 *             it likes: a kprobe on perf_event_mmap(), which the kernel calls
 *             for each such mapping
 *   MAPPING   a process ends, and had this mapping: a kprobe on
 *             taskstats_exit(), the last place where its memory map is there
 *   exec        a process is about to be another program, of which nothing is
 *             mapped yet: a kprobe on security_bprm_committing_creds()
 *
 * A session wants both while it has targets; one that traces every process wants
 * the second if a program of it records stacks. Nothing is probed while no
 * session wants it. Who maps nothing pays nothing: the finder's way, by the
 * return of system calls, would put each thread on the slow path.
 *
 * Where the target is followed, a task work tells MAPPED, and the thread waits
 * for SONDE_SEEN before it is back in user mode (hold.c).
 *
 * Both run with preemption off. A map that somebody is changing at its end is
 * counted as a lost event, and so is what there is no memory to tell.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "kmod/core/hooks.h"
#include "kmod/device/session.h"

static DEFINE_MUTEX(mappings_lock); /* of users, probed */
static LIST_HEAD(users); /* RCU */
static bool probed;

static bool is_executable(const struct vm_area_struct *vma)
{
	return (vma->vm_flags & VM_EXEC) && vma->vm_file;
}

/* An event MAPPED whose thread is to wait. */
struct told {
	struct sonde_work work;
	struct sonde_event event;
	char path[];
};

/* Context: The thread. May sleep. */
static void tell_and_wait(struct sonde_work *work, bool over)
{
	struct told *told = container_of(work, struct told, work);
	struct sonde_session *session = work->session;

	if (over)
		goto out_free;
	if (sonde_hold_mapped(session))
		told->event.value = task_pid_nr(current);
	if (!sonde_event_text(session, &told->event, told->path) &&
	    told->event.value)
		sonde_hold_unmapped(session);
out_free:
	sonde_free(told);
}

/*
 * Not for a file without a name, as a compiler's at run time: no probes are asked
 * for there. Return: whether the thread itself will tell.
 */
static bool tell_later(struct sonde_session *session,
		       const struct sonde_event *event, struct file *file,
		       const char *path)
{
	struct told *told;

	if (!sonde_covers(session, current) ||
	    !sonde_target_followed(session, current->tgid) ||
	    d_unlinked(file->f_path.dentry))
		return false;
	told = sonde_alloc_within(&session->purse, SONDE_MEMORY_LATE,
				  sizeof(*told) + strlen(path) + 1, GFP_NOWAIT);
	if (!told)
		return false;
	told->work.run = tell_and_wait;
	told->event = *event;
	strcpy(told->path, path);
	if (!sonde_work_queue(&told->work, session, current))
		return true;
	sonde_free(told);
	return false;
}

static void tell(struct sonde_session *session, u32 kind,
		 const struct vm_area_struct *vma, const char *path)
{
	struct sonde_event event = {
		.kind = kind,
		.pid = current->tgid,
		.value = kind == SONDE_EVENT_MAPPING ?
				 vma->vm_end - vma->vm_start : 0,
		.address = vma->vm_start,
		.offset = (u64)vma->vm_pgoff << PAGE_SHIFT,
	};

	if (kind != SONDE_EVENT_MAPPED || !tell_later(session, &event, vma->vm_file, path))
		sonde_event_text(session, &event, path);
}

static bool wants(struct sonde_session *session, u32 kind)
{
	if (!READ_ONCE(session->targeted))
		return kind == SONDE_EVENT_MAPPING &&
		       sonde_covers(session, current);
	return sonde_has_target(session, current->tgid);
}

/* Tells every session that wants it; @page is for the path. */
static void tell_all(u32 kind, const struct vm_area_struct *vma, char *page)
{
	struct sonde_session *session;
	const char *path = NULL;

	list_for_each_entry_rcu(session, &users, mappings) {
		if (!wants(session, kind))
			continue;
		if (!path)
			path = d_path(&vma->vm_file->f_path, page, PAGE_SIZE);
		if (IS_ERR(path) || *path != '/')
			return; /* no file that has a name */
		tell(session, kind, vma, path);
	}
}

static char *get_page_now(void)
{
	return (char *)__get_free_page(GFP_NOWAIT | __GFP_NOWARN);
}

/* What could not be told. */
static void lose(u32 kind, u32 count)
{
	struct sonde_session *session;

	list_for_each_entry_rcu(session, &users, mappings)
		if (wants(session, kind))
			sonde_events_lose(session, count);
}

/* The kernel leaves out a kprobe that is reached from another's handler. */
static void lose_missed(struct kprobe *probe)
{
	unsigned long missed = READ_ONCE(probe->nmissed);
	struct sonde_session *session;

	if (likely(!missed))
		return;
	missed = xchg(&probe->nmissed, 0);
	list_for_each_entry_rcu(session, &users, mappings)
		sonde_events_lose(session, missed);
}

static int on_mmap(struct kprobe *probe, struct pt_regs *regs)
{
	const struct vm_area_struct *vma = (void *)regs->di;
	char *page;

	lose_missed(probe);
	if (!current->mm || vma->vm_mm != current->mm || !is_executable(vma))
		return 0;
	page = get_page_now();
	if (!page) {
		lose(SONDE_EVENT_MAPPED, 1);
		return 0;
	}
	tell_all(SONDE_EVENT_MAPPED, vma, page);
	free_page((unsigned long)page);
	return 0;
}

static bool anybody_wants(u32 kind)
{
	struct sonde_session *session;

	list_for_each_entry_rcu(session, &users, mappings)
		if (wants(session, kind))
			return true;
	return false;
}

static void tell_map(struct mm_struct *mm, char *page)
{
	struct vm_area_struct *vma;
	unsigned long at = 0;

	while ((vma = find_vma(mm, at))) {
		if (is_executable(vma))
			tell_all(SONDE_EVENT_MAPPING, vma, page);
		at = vma->vm_end;
	}
}

static int on_exit(struct kprobe *probe, struct pt_regs *regs)
{
	struct mm_struct *mm = current->mm;
	bool last = (int)regs->si;
	char *page;

	lose_missed(probe);
	if (!last || !mm || !anybody_wants(SONDE_EVENT_MAPPING))
		return 0;
	page = get_page_now();
	if (page && mmap_read_trylock(mm)) {
		tell_map(mm, page);
		mmap_read_unlock(mm);
	} else {
		lose(SONDE_EVENT_MAPPING, 1);
	}
	free_page((unsigned long)page);
	return 0;
}

static int on_exec(struct kprobe *probe, struct pt_regs *regs)
{
	const struct linux_binprm *program = (void *)regs->di;
	struct sonde_session *session;

	lose_missed(probe);
	list_for_each_entry_rcu(session, &users, mappings)
		sonde_target_becomes(session, program);
	return 0;
}

static struct kprobe probes[] = {
	{ .pre_handler = on_mmap },
	{ .pre_handler = on_exit },
	{ .pre_handler = on_exec },
};

/* Of the functions, 0 where one is not as we know it. */
static unsigned long places[ARRAY_SIZE(probes)];

/**
 * sonde_mappings_init() - find the functions that tell of mappings
 *
 * Context: Process context, module load.
 */
void sonde_mappings_init(void)
{
	places[0] = sonde_function("perf_event_mmap",
				   "void(struct vm_area_struct *)");
	places[1] = sonde_function("taskstats_exit",
				   "void(struct task_struct *, int)");
	places[2] = sonde_function("security_bprm_committing_creds",
				   "void(struct linux_binprm *)");
}

static struct kprobe *all_probes[] = { &probes[0], &probes[1], &probes[2] };

static int probe_all(void)
{
	int err, n;

	if (probed)
		return 0;
	for (n = 0; n < ARRAY_SIZE(probes); n++) {
		if (!places[n])
			return -EOPNOTSUPP;
		probes[n].addr = (kprobe_opcode_t *)places[n];
		probes[n].flags = 0; /* what an earlier registration left */
	}
	err = register_kprobes(all_probes, ARRAY_SIZE(all_probes));
	probed = !err;
	return err;
}

/**
 * sonde_mappings_follow() - tell a session what programs map
 * @session: its lock is held; it has targets, or records stacks
 *
 * Where the kernel cannot tell, the user is told that.
 *
 * Context: Process context. May sleep.
 * Return: 0, or what register_kprobes() says.
 */
int sonde_mappings_follow(struct sonde_session *session)
{
	const struct sonde_event notice = { .kind = SONDE_EVENT_NOTICE };
	int err;

	lockdep_assert_held(&session->lock);
	if (!list_empty(&session->mappings))
		return 0;
	mutex_lock(&mappings_lock);
	err = probe_all();
	if (!err)
		list_add_rcu(&session->mappings, &users);
	else if (!session->follows_mappings)
		sonde_event_text(session, &notice,
				 "this kernel does not tell what programs map: libraries that are loaded later have no symbols");
	session->follows_mappings = true;
	mutex_unlock(&mappings_lock);
	return err;
}

/**
 * sonde_mappings_leave() - undo sonde_mappings_follow()
 * @session: that is being closed
 *
 * Context: Process context. May sleep.
 */
void sonde_mappings_leave(struct sonde_session *session)
{
	if (!session->follows_mappings)
		return;
	mutex_lock(&mappings_lock);
	if (!list_empty(&session->mappings)) {
		list_del_rcu(&session->mappings);
		synchronize_rcu();
	}
	if (probed && list_empty(&users)) {
		unregister_kprobes(all_probes, ARRAY_SIZE(all_probes));
		probed = false;
	}
	mutex_unlock(&mappings_lock);
}
