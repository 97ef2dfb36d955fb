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
 * If the target is followed, a task work sends MAPPED, and the thread waits for
 * SONDE_ACKNOWLEDGE before it returns to user mode (hold.c).
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
#include "kmod/finder.h"

/* A MAPPED event whose thread shall wait. */
struct notice {
	struct sonde_task_work work;
	struct sonde_event event;
	char path[];
};

/* Context: The thread. May sleep. */
static void mappings_notify_and_wait(struct sonde_task_work *work, bool over)
{
	struct notice *notice = container_of(work, struct notice, work);
	struct sonde_session *session = work->session;

	if (over)
		goto out_free;
	if (sonde_hold_mapped(session))
		notice->event.value = task_pid_nr(current);
	if (!sonde_event_text(session, &notice->event, notice->path) &&
	    notice->event.value)
		sonde_hold_unmapped(session);
out_free:
	sonde_free(notice);
}

/*
 * Not for a file without a name, such as those of JIT compilers: no probes can
 * be requested there. Return: whether the task work will send the event.
 */
static bool mappings_notify_later(struct sonde_session *session,
				  const struct sonde_event *event,
				  const struct sonde_finder_map *map)
{
	struct notice *notice;

	if (!sonde_covers(session, current) ||
	    !sonde_finder_is_marked(session->finder, current->tgid) ||
	    d_unlinked(map->file->f_path.dentry))
		return false;
	notice = sonde_alloc_within(&session->account->fired, SONDE_MEMORY_LATE,
				    sizeof(*notice) + strlen(map->path) + 1,
				    GFP_NOWAIT);
	if (!notice)
		return false;
	notice->work.run = mappings_notify_and_wait;
	notice->event = *event;
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
 * sonde_mappings_image() - a target maps a file as executable
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
	if (!mappings_notify_later(session, &event, map))
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
	if (READ_ONCE(session->targeted))
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
 * @session: its lock is held; it has targets, or records stacks
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
