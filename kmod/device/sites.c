// SPDX-License-Identifier: GPL-2.0
/*
 * Sites: taps that have no instruction and no timer of their own
 *
 * A site is a list (list.h) of (pid, probe): all taps of one kind, or on one
 * system call. A held tap is in no site: engines fire it (hold.c). It counts for
 * the limit all the same, because it also fires together with the others.
 */
#include <linux/nospec.h>
#include <linux/rcupdate.h>

#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/list.h"
#include "kmod/device/session.h"
#include "kmod/device/tap.h"

static struct sonde_list __rcu **site_place_of(struct sonde_session *session,
					       const struct sonde_tap *tap)
{
	u32 kind = array_index_nospec(tap->kind, SONDE_TAP_KIND_COUNT);
	u32 number = array_index_nospec(tap->number, SONDE_CALLS);
	struct sonde_site __rcu **site = &session->kinds[kind];

	BUILD_BUG_ON(offsetof(struct sonde_site, list));
	if (kind == SONDE_TAP_SYSCALL_ENTRY)
		site = &session->entries[number];
	else if (kind == SONDE_TAP_SYSCALL_RETURN)
		site = &session->returns[number];
	return (struct sonde_list __rcu **)site;
}

/* NULL: it has no taps. */
static struct sonde_site *site_of(struct sonde_session *session,
				  const struct sonde_tap *tap)
{
	struct sonde_list *list =
		rcu_dereference_protected(*site_place_of(session, tap),
					  lockdep_is_held(&session->lock));

	return (struct sonde_site *)list;
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

static unsigned long site_index_of(const struct sonde_tap *tap)
{
	bool call = tap->kind == SONDE_TAP_SYSCALL_ENTRY ||
		    tap->kind == SONDE_TAP_SYSCALL_RETURN;

	return tap->kind * SONDE_CALLS + (call ? tap->number : 0);
}

static unsigned long site_count(struct sonde_session *session,
				const struct sonde_tap *tap)
{
	void *count = xa_load(&session->places, site_index_of(tap));

	return count ? xa_to_value(count) : 0;
}

/* A lower count needs no memory. Return: 0 or -ENOMEM. */
static int site_set_count(struct sonde_session *session,
			  const struct sonde_tap *tap, unsigned long count)
{
	return xa_err(xa_store(&session->places, site_index_of(tap),
			       count ? xa_mk_value(count) : NULL,
			       GFP_KERNEL_ACCOUNT));
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
	lockdep_assert_held(&session->lock);
	if (site_count(session, tap) < SONDE_SITE_MAX)
		return 0;
	return sonde_refuse(why, -E2BIG, "at most %u taps at one place",
			    SONDE_SITE_MAX);
}

static int site_add(struct sonde_armed *armed)
{
	const struct sonde_site_entry entry = {
		.pid = armed->tap.pid,
		.tap = armed->tap.id,
		.probe = armed->probe,
	};
	int err = sonde_list_add(&sites,
				 site_place_of(armed->session, &armed->tap),
				 &entry, &armed->session->account->requested);

	if (!err)
		armed->session->tap_count[armed->tap.kind]++;
	return err;
}

/* Allocates nothing, so it cannot fail. */
static void site_remove(struct sonde_armed *armed)
{
	struct sonde_session *session = armed->session;
	struct sonde_site *site = site_of(session, &armed->tap);
	u32 n = 0;

	session->tap_count[armed->tap.kind]--;
	while (site->entries[n].tap != armed->tap.id || site->entries[n].gone)
		n++;
	sonde_list_remove(&sites, site_place_of(session, &armed->tap),
			  &site->entries[n]);
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
	struct sonde_session *session = armed->session;
	unsigned long count = site_count(session, &armed->tap);
	int err;

	lockdep_assert_held(&session->lock);
	err = site_set_count(session, &armed->tap, count + 1);
	if (err || armed->held)
		return err;
	err = site_add(armed);
	if (err)
		site_set_count(session, &armed->tap, count);
	return err;
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
	struct sonde_session *session = armed->session;

	lockdep_assert_held(&session->lock);
	site_set_count(session, &armed->tap,
		       site_count(session, &armed->tap) - 1);
	if (!armed->held)
		site_remove(armed);
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
		site_remove(armed);
	else
		err = site_add(armed);
	armed->held = held || err;
	return err;
}
