// SPDX-License-Identifier: GPL-2.0
/*
 * Files that programs map: for symbols, and for probes in libraries that are
 * loaded later
 *
 *   MAPPED    a target maps a file as executable
 *   MAPPING   a process ends, or is about to run another program, and had this
 *             mapping
 *
 * The finder reports both (kmod/core/finder_images.c), MAPPED with preemption
 * off, and MAPPING where it may sleep. A session needs both
 * while it has targets; one that traces every process needs the second if one
 * of its programs records stacks.
 *
 * If the target is followed, or the file (wanted.c), a task work sends MAPPED, and
 * the thread waits for SONDE_ACKNOWLEDGE before it returns to user mode (hold.c).
 * So a process that is not a target waits for sonde only at a file that is followed
 * and new. It does not wait if sonde may be waiting for it: if it is one that sonde
 * has started, as system() does, or after some seconds (tracees.c).
 *
 * Of a process's mappings, the first event that is lost is the last one that is
 * made: it stands for the rest.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "kmod/compat.h"
#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/clock.h"
#include "kmod/device/covers.h"
#include "kmod/device/events.h"
#include "kmod/device/hold.h"
#include "kmod/device/mappings.h"
#include "kmod/device/session.h"
#include "kmod/device/task_work.h"
#include "kmod/device/wanted.h"
#include "kmod/finder.h"

#define GENERATIONS_MAX 64u

/* A MAPPED event whose thread may have to wait. */
struct notice {
	struct sonde_task_work work;
	struct sonde_event event;
	struct sonde_file_key file;
	char path[];
};

/*
 * Whether the current process descends from sonde. A user may make a longer line
 * of ancestors, so only the youngest are asked.
 */
static bool mappings_is_ours(const struct sonde_session *session)
{
	struct task_struct *task = current;
	bool ours = false;
	u32 n;

	rcu_read_lock();
	for (n = 0; n < GENERATIONS_MAX && task->pid && !ours; n++) {
		ours = task->tgid == session->opener;
		task = rcu_dereference(task->real_parent);
	}
	rcu_read_unlock();
	return ours;
}

/* @news: the file is followed, and new. */
static bool mappings_must_wait(struct sonde_session *session, bool news)
{
	bool covered;

	preempt_disable_notrace();
	covered = sonde_covers(session, current);
	preempt_enable_notrace();
	if (!covered)
		return false;
	if (sonde_has_target(session, current->tgid))
		return news || sonde_finder_is_marked(session->finder,
						      current->tgid);
	return news && !mappings_is_ours(session);
}

/* Context: The thread. May sleep. */
static void mappings_notify_and_wait(struct sonde_task_work *work, bool over)
{
	struct notice *notice = container_of(work, struct notice, work);
	struct sonde_session *session = work->session;
	bool news;

	if (over)
		goto out_free;
	news = sonde_wanted_is_news(session, notice->path, &notice->file);
	if (!news && !sonde_has_target(session, current->tgid))
		goto out_free;
	if (mappings_must_wait(session, news) && sonde_hold_mapped(session))
		notice->event.value = task_pid_nr(current);
	if (sonde_event_text(session, &notice->event, notice->path))
		goto out_free;
	if (news)
		sonde_wanted_forget(session, &notice->file);
	if (notice->event.value)
		sonde_hold_unmapped(session);
out_free:
	sonde_free(notice);
}

/* Whether the session follows files, and the current process may map such a one. */
static bool mappings_follows_files(struct sonde_session *session)
{
	if (!READ_ONCE(session->wildcard_count))
		return false;
	return READ_ONCE(session->targeted) ?
		       sonde_has_target(session, current->tgid) :
		       session->privileged;
}

static bool mappings_may_wait(struct sonde_session *session)
{
	return mappings_follows_files(session) ||
	       (sonde_covers(session, current) &&
		sonde_finder_is_marked(session->finder, current->tgid));
}

/*
 * Not for a file without a name, such as those of JIT compilers: no probes can
 * be requested there. Return: whether the task work will send the event.
 */
static bool mappings_notify_later(struct sonde_session *session,
				  const struct sonde_event *event,
				  const struct sonde_finder_map *map)
{
	const struct inode *inode = sonde_shown_inode(map->file);
	struct notice *notice;

	if (!mappings_may_wait(session) ||
	    d_unlinked(map->file->f_path.dentry))
		return false;
	notice = sonde_alloc_within(&session->account->fired, SONDE_MEMORY_LATE,
				    sizeof(*notice) + strlen(map->path) + 1,
				    GFP_NOWAIT);
	if (!notice)
		return false;
	notice->work.run = mappings_notify_and_wait;
	notice->event = *event;
	notice->file = (struct sonde_file_key){
		.device = inode->i_sb->s_dev,
		.inode = inode->i_ino,
		.written = sonde_written(inode),
	};
	strcpy(notice->path, map->path);
	if (!sonde_task_work_queue(&notice->work, session, current))
		return true;
	sonde_free(notice);
	return false;
}

/*
 * An exec may still fail; if it succeeds, a target's EXEC event says so. For
 * other processes there is none.
 */
static u64 mappings_when(struct sonde_session *session)
{
	return !(current->flags & PF_EXITING) &&
			       sonde_finder_has(session->finder, current->tgid) ?
		       SONDE_MAPPING_SEEN :
		       SONDE_MAPPING_ENDS;
}

static struct sonde_event mappings_event(struct sonde_session *session,
					 u32 kind,
					 const struct sonde_finder_map *map)
{
	const struct inode *inode = sonde_shown_inode(map->file);

	return (struct sonde_event){
		.kind = kind,
		.pid = current->tgid,
		.value = kind == SONDE_EVENT_MAPPING ? mappings_when(session) : 0,
		.time = sonde_clock(),
		.address = map->address,
		.size = map->length,
		.offset = map->offset,
		.inode = inode->i_ino,
		.major = MAJOR(inode->i_sb->s_dev),
		.minor = MINOR(inode->i_sb->s_dev),
		.origin = kind == SONDE_EVENT_MAPPED ?
				  sonde_finder_origin(session->finder,
						      current->tgid) : 0,
	};
}

/**
 * sonde_mappings_image() - a process maps a file as executable: a target, or any
 * one if the session follows files
 * @data: the session
 * @map: the mapping
 *
 * Context: image() of the finder.
 */
void sonde_mappings_image(void *data, const struct sonde_finder_map *map)
{
	struct sonde_session *session = data;
	struct sonde_event event;

	if (!map->path)
		return;
	event = mappings_event(session, SONDE_EVENT_MAPPED, map);
	if (mappings_notify_later(session, &event, map))
		return;
	if (sonde_has_target(session, current->tgid))
		sonde_event_text(session, &event, map->path);
}

/**
 * sonde_mappings_end() - whether the session wants the mappings of the current
 * process, which ends or runs another program
 * @data: the session
 *
 * Context: ends() of the finder.
 */
bool sonde_mappings_end(void *data)
{
	struct sonde_session *session = data;
	bool covered;

	if (sonde_finder_has(session->finder, current->tgid))
		return true;
	if (READ_ONCE(session->targeted) || !READ_ONCE(session->keeps_mappings))
		return false;
	preempt_disable_notrace();
	covered = sonde_covers(session, current);
	preempt_enable_notrace();
	return covered;
}

/**
 * sonde_mappings_had() - one of the mappings of a process that ends or runs
 * another program
 * @data: the session
 * @map: the mapping
 *
 * Context: had() of the finder.
 * Return: whether there is room for more.
 */
bool sonde_mappings_had(void *data, const struct sonde_finder_map *map)
{
	struct sonde_event event;

	if (!map->path)
		return true;
	event = mappings_event(data, SONDE_EVENT_MAPPING, map);
	return sonde_event_text(data, &event, map->path);
}

/**
 * sonde_mappings_missed() - mappings and ends that the kernel did not report
 * @data: the session
 * @count: their number
 *
 * Context: missed() of the finder.
 */
void sonde_mappings_missed(void *data, unsigned int count)
{
	sonde_events_lose(data, count);
}

/**
 * sonde_mappings_follow() - report mappings to a session
 * @session: its lock is held; it has targets, records stacks, or follows files
 *
 * If the kernel cannot report them, the user gets a notice.
 *
 * Context: Process context. May sleep.
 * Return: 0, or an error of sonde_finder_follow() or
 * sonde_finder_follow_images().
 */
int sonde_mappings_follow(struct sonde_session *session)
{
	const struct sonde_event notice = { .kind = SONDE_EVENT_NOTICE };
	int err;

	lockdep_assert_held(&session->lock);
	err = sonde_finder_follow(session->finder) ?:
	      sonde_finder_follow_images(session->finder);
	if (err && !session->lacks_mappings)
		sonde_event_text(session, &notice,
				 "this kernel does not report what programs map: libraries that are loaded later have no symbols");
	session->lacks_mappings = err;
	return err;
}

/**
 * sonde_mappings_keep() - the same, with the mappings of all processes that end, if
 * the session traces all
 * @session: its lock is held; it records stacks
 *
 * Context: Process context. May sleep.
 * Return: 0, or an error of sonde_mappings_follow().
 */
int sonde_mappings_keep(struct sonde_session *session)
{
	WRITE_ONCE(session->keeps_mappings, true);
	return sonde_mappings_follow(session);
}

/**
 * sonde_mappings_follow_files() - let threads wait that map certain files
 * @session: its lock is held
 *
 * Context: Process context. May sleep.
 * Return: 0, or an error of sonde_mappings_follow() or
 * sonde_finder_follow_all_images().
 */
int sonde_mappings_follow_files(struct sonde_session *session)
{
	return sonde_mappings_follow(session) ?:
	       sonde_finder_follow_all_images(session->finder);
}
