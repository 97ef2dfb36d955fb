// SPDX-License-Identifier: GPL-2.0
/*
 * Files that a session follows by wildcards: for probes in whatever process
 * maps them
 *
 *   SONDE_FOLLOW "*" "/libfoo.so"      a thread of any process that the session
 *            |                         traces maps a file as executable
 *            v                                     |
 *       wildcards <---- does its path match? ------+
 *                                                  |
 *       files     <---- is it a new one? ----------+--> MAPPED; it waits
 *
 * One process tells of a file for all of them: the consumer's taps are in the
 * file, so the kernel puts their breakpoints into each process that maps it,
 * now or later. Only the first one waits for the consumer.
 *
 * A path is compared where the thread may sleep (mappings.c), because a user
 * chooses both the wildcards and the paths. Wildcards are only added, and freed
 * when no thread looks at them any more; so readers take no lock.
 */
#include <linux/glob.h>
#include <linux/rbtree.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/events.h"
#include "kmod/device/hold.h"
#include "kmod/device/mappings.h"
#include "kmod/device/session.h"
#include "kmod/device/wanted.h"

#define WILDCARDS_MAX 1024u

struct wildcard {
	struct list_head node;
	char text[];
};

struct known_file {
	struct rb_node node;
	struct sonde_file_key key;
};

/* Returns < 0, 0 or > 0: the order of @a and @b. */
static int wanted_compare(const struct sonde_file_key *a,
			  const struct sonde_file_key *b)
{
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	if (a->written != b->written)
		return a->written < b->written ? -1 : 1;
	return 0;
}

/*
 * The file with this key. NULL: there is none; then @parent and @link are its
 * place.
 */
static struct known_file *wanted_find(struct sonde_session *session,
				      const struct sonde_file_key *key,
				      struct rb_node **parent,
				      struct rb_node ***link)
{
	lockdep_assert_held(&session->wanted_lock);
	*link = &session->known_files.rb_node;
	*parent = NULL;
	while (**link) {
		struct known_file *known =
			rb_entry(**link, struct known_file, node);
		int side = wanted_compare(key, &known->key);

		if (!side)
			return known;
		*parent = **link;
		*link = side < 0 ? &(*parent)->rb_left : &(*parent)->rb_right;
	}
	return NULL;
}

/*
 * A comparison takes the product of the lengths, and there may be many: neither a
 * killed thread nor the end of the session waits for all of them.
 */
static bool wanted_matches(const struct sonde_session *session,
			   const char *path)
{
	const struct wildcard *one;

	/* none is freed while a task work may run */
	list_for_each_entry_rcu(one, &session->wildcards, node, true) {
		if (fatal_signal_pending(current) || READ_ONCE(session->over))
			return false;
		if (glob_match(one->text, path))
			return true;
		cond_resched();
	}
	return false;
}

/**
 * sonde_wanted_is_news() - whether a file is followed, and the consumer does not
 * know it yet
 * @session: any
 * @path: of the file
 * @key: of the file
 *
 * From now on it counts as known. If there is no memory to remember it, it may be
 * news again.
 *
 * Context: A task work. May sleep.
 */
bool sonde_wanted_is_news(struct sonde_session *session, const char *path,
			  const struct sonde_file_key *key)
{
	struct known_file *fresh, *found;
	struct rb_node *parent, **link;

	might_sleep();
	if (!wanted_matches(session, path))
		return false;
	fresh = sonde_alloc_within(&session->account->fired,
				   SONDE_MEMORY_TARGETS, sizeof(*fresh),
				   GFP_KERNEL);
	spin_lock(&session->wanted_lock);
	found = wanted_find(session, key, &parent, &link);
	if (!found && fresh) {
		fresh->key = *key;
		rb_link_node(&fresh->node, parent, link);
		rb_insert_color(&fresh->node, &session->known_files);
	}
	spin_unlock(&session->wanted_lock);
	if (found)
		sonde_free(fresh);
	return !found;
}

/**
 * sonde_wanted_forget() - let a file be news again
 * @session: any
 * @key: of the file
 *
 * Context: A task work.
 */
void sonde_wanted_forget(struct sonde_session *session,
			 const struct sonde_file_key *key)
{
	struct rb_node *parent, **link;
	struct known_file *known;

	spin_lock(&session->wanted_lock);
	known = wanted_find(session, key, &parent, &link);
	if (known)
		rb_erase(&known->node, &session->known_files);
	spin_unlock(&session->wanted_lock);
	sonde_free(known);
}

/* Return: 0, -E2BIG, -ENOMEM. */
static int wanted_add(struct sonde_session *session, const char *text,
		      u64 length, char *why)
{
	struct wildcard *one;

	list_for_each_entry(one, &session->wildcards, node)
		if (strlen(one->text) == length &&
		    !memcmp(one->text, text, length))
			return 0;
	if (session->wildcard_count == WILDCARDS_MAX)
		return sonde_refuse(why, -E2BIG,
				    "at most %u wildcards of files can be followed",
				    WILDCARDS_MAX);
	one = sonde_alloc_within(&session->account->requested,
				 SONDE_MEMORY_TARGETS,
				 sizeof(*one) + length + 1, GFP_KERNEL);
	if (!one)
		return -ENOMEM;
	memcpy(one->text, text, length);
	list_add_tail_rcu(&one->node, &session->wildcards);
	WRITE_ONCE(session->wildcard_count, session->wildcard_count + 1);
	return 0;
}

/**
 * sonde_wanted_follow() - let threads wait that map a new file whose path matches
 * @session: its lock is held
 * @wildcard: with * ? [...]; without a NUL
 * @length: of @wildcard, in bytes
 * @why: the message for the user on failure
 *
 * Context: Process context. May sleep.
 * Return: 0; -EINVAL; -EPERM: without targets this needs root; -E2BIG; -ENOMEM;
 * or an error of sonde_hold_check() or sonde_mappings_follow_files().
 */
int sonde_wanted_follow(struct sonde_session *session, const char *wildcard,
			u64 length, char *why)
{
	int err;

	lockdep_assert_held(&session->lock);
	if (length >= SONDE_PATH_MAX || memchr(wildcard, 0, length))
		return sonde_refuse(why, -EINVAL,
				    "malformed request: wildcard of a path");
	if (!session->privileged && !session->targeted)
		return sonde_refuse(why, -EPERM,
				    "only root may follow a file in every process: name targets first");
	err = sonde_hold_check(SONDE_TAP_CREATE, why);
	if (err)
		return err;
	if (!sonde_tracees_of(session))
		return -ENOMEM;
	err = sonde_mappings_follow_files(session);
	return err ?: wanted_add(session, wildcard, length, why);
}

/**
 * sonde_wanted_destroy() - forget wildcards and files
 * @session: none of its task works runs any more
 *
 * Context: Process context.
 */
void sonde_wanted_destroy(struct sonde_session *session)
{
	struct known_file *known, *after;
	struct wildcard *one, *next;

	list_for_each_entry_safe(one, next, &session->wildcards, node)
		sonde_free(one);
	rbtree_postorder_for_each_entry_safe(known, after,
					     &session->known_files, node) {
		sonde_free(known);
		cond_resched();
	}
}
