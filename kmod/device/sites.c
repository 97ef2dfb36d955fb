// SPDX-License-Identifier: GPL-2.0
/*
 * Sites: taps that have no instruction and no timer of their own
 *
 * A site is a list (list.h) of (pid, probe): all taps of one kind, or on one
 * system call. A held tap is in no site: engines fire it (hold.c).
 */
#include <linux/nospec.h>
#include <linux/rcupdate.h>

#include "kmod/core/memory.h"
#include "kmod/device/list.h"
#include "kmod/device/session.h"
#include "kmod/device/tap.h"

static struct sonde_site __rcu **site_of(struct sonde_session *session,
					 const struct sonde_tap *tap)
{
	u32 kind = array_index_nospec(tap->kind, SONDE_TAP_KIND_COUNT);

	if (kind == SONDE_TAP_SYSCALL_ENTRY)
		return &session->entries[array_index_nospec(tap->number,
							    SONDE_CALLS)];
	if (kind == SONDE_TAP_SYSCALL_RETURN)
		return &session->returns[array_index_nospec(tap->number,
							    SONDE_CALLS)];
	return &session->kinds[kind];
}

static struct sonde_site *site_now(struct sonde_session *session,
				   struct sonde_site __rcu **place)
{
	return rcu_dereference_protected(*place,
					 lockdep_is_held(&session->lock));
}

static void site_note_only(struct sonde_list *list, const void *entry)
{
	struct sonde_site *site = container_of(list, struct sonde_site, list);
	const struct sonde_site_entry *one = entry;

	WRITE_ONCE(site->only, list->count || one->pid ? NULL : one->probe);
}

static const struct sonde_list_kind sites = {
	.memory = SONDE_MEMORY_TAPS,
	.head = offsetof(struct sonde_site, entries),
	.size = sizeof(struct sonde_site_entry),
	.gone = offsetof(struct sonde_site_entry, gone),
	.note = site_note_only,
};

static void site_replace(struct sonde_session *session,
			 struct sonde_site __rcu **place,
			 struct sonde_site *fresh)
{
	struct sonde_site *old = site_now(session, place);

	rcu_assign_pointer(*place, fresh);
	sonde_free_rcu(old);
}

static int site_add(struct sonde_armed *armed)
{
	struct sonde_session *session = armed->session;
	struct sonde_site __rcu **place = site_of(session, &armed->tap);
	const struct sonde_site_entry entry = {
		.pid = armed->tap.pid,
		.tap = armed->tap.id,
		.probe = armed->probe,
	};
	struct sonde_site *site = site_now(session, place);
	struct sonde_list *list =
		sonde_list_add(&sites, site ? &site->list : NULL, &entry);

	if (!list)
		return -ENOMEM;
	if (!site || list != &site->list)
		site_replace(session, place,
			     container_of(list, struct sonde_site, list));
	return 0;
}

/* Allocates nothing, so it cannot fail. */
static void site_remove(struct sonde_armed *armed)
{
	struct sonde_session *session = armed->session;
	struct sonde_site __rcu **place = site_of(session, &armed->tap);
	struct sonde_site *site = site_now(session, place);
	u32 n = 0;

	while (site->entries[n].tap != armed->tap.id || site->entries[n].gone)
		n++;
	if (sonde_list_remove(&sites, &site->list, &site->entries[n]))
		site_replace(session, place, NULL);
}

/**
 * sonde_site_check() - check whether there is room for one more tap
 * @session: its lock is held
 * @tap: any
 * @why: the message for the user if not
 *
 * Context: Process context.
 * Return: 0 or -E2BIG.
 */
int sonde_site_check(struct sonde_session *session, const struct sonde_tap *tap,
		     char *why)
{
	const struct sonde_site *site = site_now(session,
						 site_of(session, tap));

	lockdep_assert_held(&session->lock);
	if (!site || site->list.live < SONDE_SITE_MAX)
		return 0;
	return sonde_refuse(why, -E2BIG, "at most %u taps at one place",
			    SONDE_SITE_MAX);
}

static int site_place(struct sonde_armed *armed)
{
	int err = site_add(armed);

	if (!err)
		armed->session->tap_count[armed->tap.kind]++;
	return err;
}

static void site_displace(struct sonde_armed *armed)
{
	armed->session->tap_count[armed->tap.kind]--;
	site_remove(armed);
}

/**
 * sonde_site_arm() - add a tap to its site
 * @armed: the tap; its session's lock is held
 * @path: unused
 * @arming: unused
 * @why: unused
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ENOMEM.
 */
int sonde_site_arm(struct sonde_armed *armed, const char *path,
		   struct sonde_arming *arming, char *why)
{
	lockdep_assert_held(&armed->session->lock);
	return armed->held ? 0 : site_place(armed);
}

/**
 * sonde_site_disarm() - remove a tap from its site
 * @armed: the tap; its session's lock is held
 *
 * It may still fire until an RCU grace period has passed.
 *
 * Context: Process context. Allocates nothing.
 */
void sonde_site_disarm(struct sonde_armed *armed)
{
	lockdep_assert_held(&armed->session->lock);
	if (!armed->held)
		site_displace(armed);
}

/**
 * sonde_site_hold() - pass a tap to the engines, or take it back from them
 * @armed: the tap; its session's lock is held
 * @held: whether it shall be held
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ENOMEM: then the engines keep it and fire it.
 */
int sonde_site_hold(struct sonde_armed *armed, bool held)
{
	int err = 0;

	lockdep_assert_held(&armed->session->lock);
	if (held)
		site_displace(armed);
	else
		err = site_place(armed);
	armed->held = held || err;
	return err;
}
