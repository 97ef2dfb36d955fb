// SPDX-License-Identifier: GPL-2.0
/*
 * Taps: arms and disarms them, and passes them to engines if an ECB holds
 *
 * A tap is a place where a probe fires. Its backend (tap.h) implements it.
 */
#include <linux/rcupdate.h>
#include <linux/tracepoint.h>

#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/events.h"
#include "kmod/device/hold.h"
#include "kmod/device/programs.h"
#include "kmod/device/session.h"
#include "kmod/device/tap.h"
#include "kmod/device/taps.h"
#include "kmod/device/task_work.h"
#include "kmod/shared/locate.h"

static const struct sonde_tap_ops *const backends[] = {
	&sonde_point_taps,
	&sonde_syscall_taps,
	&sonde_user_taps,
	&sonde_timer_taps,
	&sonde_named_taps,
	&sonde_function_taps,
};

/**
 * sonde_taps_update() - install the hooks that the taps of a session need
 * @session: its lock is held
 * @why: the message for the user on failure
 *
 * Hooks that are not needed any more are removed.
 *
 * Context: Process context. May sleep.
 * Return: 0, -EOPNOTSUPP, or an error of the hooks.
 */
int sonde_taps_update(struct sonde_session *session, char *why)
{
	int err = 0, one, n;

	lockdep_assert_held(&session->lock);
	for (n = 0; n < ARRAY_SIZE(backends); n++) {
		if (!backends[n]->update)
			continue;
		one = backends[n]->update(session, why);
		err = err ?: one;
	}
	return err;
}

/**
 * sonde_taps_retarget() - update the taps after a change of the traced tasks
 * @session: its lock is held
 * @why: the message for the user on failure
 *
 * Context: Process context. May sleep.
 * Return: 0, or an error of a backend.
 */
int sonde_taps_retarget(struct sonde_session *session, char *why)
{
	int err = 0, n;

	lockdep_assert_held(&session->lock);
	for (n = 0; n < ARRAY_SIZE(backends) && !err; n++)
		if (backends[n]->retarget)
			err = backends[n]->retarget(session, why);
	return err;
}

/* Whether the leave description of a tap fits its kind. */
static bool tap_leave_fits(const struct sonde_tap *tap)
{
	u8 how = tap->leave.how;
	bool reenters = how == SONDE_LEAVE_REENTER ||
			how == SONDE_LEAVE_REENTER_IF;

	if (sonde_leave_check(&tap->leave))
		return false;
	if (tap->kind == SONDE_TAP_USER_RETURN)
		return how != SONDE_LEAVE_NONE && !reenters;
	return how == SONDE_LEAVE_NONE ||
	       (tap->kind == SONDE_TAP_USER_ENTRY && reenters);
}

/* The backend of a kind of tap. Return: NULL if there is no such kind. */
static const struct sonde_tap_ops *tap_ops_of(u32 kind)
{
	int n;

	for (n = 0; n < ARRAY_SIZE(backends); n++)
		if (kind < SONDE_TAP_KIND_COUNT &&
		    (backends[n]->kinds & BIT(kind)))
			return backends[n];
	return NULL;
}

static int tap_check_tap(struct sonde_session *session,
			 const struct sonde_tap *tap,
			 const struct sonde_arming *arming, char *why)
{
	const struct sonde_tap_ops *ops = tap_ops_of(tap->kind);
	const char *fault;

	if (!ops)
		return sonde_refuse(why, -EINVAL,
				    "malformed request: unknown kind of tap");
	fault = sonde_tap_fault(tap);
	if (fault)
		return sonde_refuse(why, -EINVAL, "malformed request: %s",
				    fault);
	if (xa_load(&session->taps, tap->id))
		return sonde_refuse(why, -EEXIST,
				    "tap %u: this id is armed already",
				    tap->id);
	if (!tap->probe)
		return sonde_refuse(why, -EINVAL, "tap %u: it names no probe",
				    tap->id);
	if (tap->counters > 1)
		return sonde_refuse(why, -EOPNOTSUPP,
				    "tap %u: the kernel raises one counter for a probe, not %u",
				    tap->id, tap->counters);
	if (ops->has_file ? !tap->path_length && !arming->file.file :
			    tap->path_length)
		return sonde_refuse(why, -EINVAL,
				    "tap %u: the name of a file or a tracepoint is %s",
				    tap->id,
				    tap->path_length ? "not for this kind" :
						       "missing");
	if (!tap_leave_fits(tap))
		return sonde_refuse(why, -EINVAL,
				    "tap %u: malformed leaving instruction",
				    tap->id);
	return ops->check(session, tap, why);
}

/*
 * Taps in interrupts, or under the locks of a sender, cannot hold: their
 * records are not HELD.
 */
static bool tap_holds(const struct sonde_armed *armed)
{
	return armed->probe->held && armed->ops->hold &&
	       armed->tap.kind != SONDE_TAP_SIGNAL_SEND;
}

static int tap_rehold_one(struct sonde_armed *armed, char *why)
{
	bool held = tap_holds(armed);
	int err;

	if (armed->held == held)
		return 0;
	err = held ? sonde_hold_check(armed->tap.kind, why) : 0;
	if (err)
		return err;
	if (held && !sonde_tracees_of(armed->session))
		return -ENOMEM;
	err = armed->ops->hold(armed, held);
	armed->leaving = !held && !err;
	return err;
}

/* Taps that leave their engines go back, because their hooks failed. Allocates nothing. */
static void tap_keep_leaving(struct sonde_session *session)
{
	struct sonde_armed *armed;
	unsigned long id;

	xa_for_each(&session->taps, id, armed)
		if (armed->leaving) {
			armed->ops->hold(armed, true);
			cond_resched();
		}
	sonde_holds_mark(session);
}

/* The engines release the taps that have left them. */
static void tap_end_leaving(struct sonde_session *session)
{
	struct sonde_armed *armed;
	unsigned long id;
	bool some = false;

	xa_for_each(&session->taps, id, armed) {
		some |= armed->leaving;
		armed->leaving = false;
		cond_resched();
	}
	if (some)
		sonde_holds_update(session);
}

/**
 * sonde_taps_rehold() - move taps between tracepoints and engines
 * @session: its lock is held; ECBs that hold will be added, or were removed
 * @why: the message for the user on failure
 *
 * A tap that cannot be moved stays where it is, and the others are moved. A tap
 * that leaves the engines stays on their list, without firing, until its hook
 * is installed: so it can return to them if there is no memory for the hook.
 *
 * Context: Process context. May sleep.
 * Return: 0, -ENOMEM, or an error of sonde_hold_check().
 */
int sonde_taps_rehold(struct sonde_session *session, char *why)
{
	struct sonde_armed *armed;
	unsigned long id;
	int err = 0, one;

	lockdep_assert_held(&session->lock);
	xa_for_each(&session->taps, id, armed) {
		one = tap_rehold_one(armed, why);
		err = err ?: one;
		cond_resched();
	}
	one = sonde_holds_update(session);
	err = err ?: one;
	one = sonde_taps_update(session, why);
	if (one)
		tap_keep_leaving(session);
	tap_end_leaving(session);
	return err ?: one;
}

static void tap_report_left_out(struct sonde_session *session,
				const struct sonde_arming *arming)
{
	const struct sonde_event notice = { .kind = SONDE_EVENT_NOTICE };
	char text[SONDE_WHY + 40];

	if (!arming->left_out)
		return;
	scnprintf(text, sizeof(text), arming->left_out > 1 ?
		  "%s (and %u more)" : "%s",
		  arming->first, arming->left_out - 1);
	sonde_event_text(session, &notice, text);
}

/* Counts the taps of its probe that fire with interrupts off. */
static int tap_note_urgent(struct sonde_armed *armed, char *why)
{
	struct sonde_probe *probe = armed->probe;
	int err;

	if (!(BIT(armed->tap.kind) & SONDE_URGENT_KINDS))
		return 0;
	err = sonde_cost_check(armed->session, probe->id, probe->cost, true,
			       why);
	probe->urgent += !err;
	return err;
}

static void tap_forget_urgent(const struct sonde_armed *armed)
{
	if (BIT(armed->tap.kind) & SONDE_URGENT_KINDS)
		armed->probe->urgent--;
}

/* The previous tap was of another kind, or the last one. */
static void tap_leave_kind(struct sonde_arming *arming,
			   const struct sonde_tap_ops *next)
{
	if (arming->ops && arming->ops != next && arming->ops->leave)
		arming->ops->leave(arming);
	arming->ops = next;
}

static void tap_free(struct sonde_armed *armed)
{
	if (armed->locations)
		sonde_free(armed->locations);
	sonde_free(armed);
}

/* @bytes: tap.arguments locations, checked, at any address. */
static int tap_take_locations(struct sonde_armed *armed, const void *bytes)
{
	size_t size = armed->tap.arguments * sizeof(*armed->locations);

	if (!size)
		return 0;
	armed->locations =
		sonde_alloc_within(&armed->session->account->requested,
				   SONDE_MEMORY_TAPS, size, GFP_KERNEL);
	if (!armed->locations)
		return -ENOMEM;
	memcpy(armed->locations, bytes, size);
	return 0;
}

static int tap_arm_one(struct sonde_session *session,
		       const struct sonde_tap *tap, const char *path,
		       const void *locations, const void *counters,
		       struct sonde_arming *arming, char *why)
{
	struct sonde_armed *armed;
	int err = tap_check_tap(session, tap, arming, why);

	if (err)
		return err;
	armed = sonde_alloc_within(&session->account->requested,
				   SONDE_MEMORY_TAPS, sizeof(*armed),
				   GFP_KERNEL);
	if (!armed)
		return -ENOMEM;
	armed->tap = *tap;
	armed->session = session;
	if (tap->counters)
		memcpy(&armed->counter, counters, sizeof(armed->counter));
	err = tap_take_locations(armed, locations);
	if (err)
		goto out_free;
	armed->ops = tap_ops_of(tap->kind);
	armed->probe = sonde_probe_get(session, tap->probe);
	err = -ENOMEM;
	if (!armed->probe)
		goto out_free;
	armed->held = tap_holds(armed);
	if (armed->held) {
		err = sonde_hold_check(tap->kind, why);
		if (err)
			goto out_free;
		err = -ENOMEM;
	}
	if (armed->held && !sonde_tracees_of(session))
		goto out_free; /* it may be hit as soon as it is armed */
	err = xa_err(xa_store(&session->taps, tap->id, armed,
			      GFP_KERNEL_ACCOUNT));
	if (err)
		goto out_free;
	tap_leave_kind(arming, armed->ops);
	err = tap_note_urgent(armed, why);
	if (err)
		goto out_erase;
	err = armed->ops->arm(armed, path, arming, why);
	if (err)
		goto out_forget;
	return 0;

out_forget:
	tap_forget_urgent(armed);
out_erase:
	xa_erase(&session->taps, tap->id);
out_free:
	tap_free(armed);
	return err;
}

/* The tap may still fire until tap_bury(). */
static void tap_disarm_one(struct sonde_session *session, u32 id,
			   struct list_head *gone)
{
	struct sonde_armed *armed = xa_erase(&session->taps, id);

	if (!armed)
		return;
	armed->ops->disarm(armed);
	tap_forget_urgent(armed);
	list_add(&armed->gone, gone);
	cond_resched();
}

static bool tap_has_some(struct list_head *gone,
			 const struct sonde_tap_ops *ops)
{
	struct sonde_armed *armed;

	list_for_each_entry(armed, gone, gone)
		if (armed->ops == ops)
			return true;
	return false;
}

/* Waits until neither firings nor filters of uprobes use the taps, and frees them. */
static void tap_bury(struct list_head *gone)
{
	struct sonde_armed *armed, *next;
	int n;

	for (n = 0; n < ARRAY_SIZE(backends); n++)
		if (backends[n]->wait && tap_has_some(gone, backends[n]))
			backends[n]->wait();
	synchronize_rcu();
	list_for_each_entry_safe(armed, next, gone, gone) {
		if (armed->ops->free)
			armed->ops->free(armed);
		tap_free(armed);
		cond_resched();
	}
}

static void tap_undo(struct sonde_session *session,
		     const struct sonde_tap *taps, u64 count)
{
	char why[SONDE_WHY];
	LIST_HEAD(gone);

	while (count--)
		tap_disarm_one(session, taps[count].id, &gone);
	sonde_holds_update(session);
	sonde_taps_update(session, why);
	tap_bury(&gone);
}

/* @bytes is the rest of the request, which may be of any length. */
static bool tap_are_locations(const char *bytes, u64 length, u32 count)
{
	struct sonde_location location;
	u32 n;

	if (count > length / sizeof(location))
		return false;
	for (n = 0; n < count; n++) {
		memcpy(&location, bytes + n * sizeof(location),
		       sizeof(location));
		if (sonde_location_check(&location))
			return false;
	}
	return true;
}

/*
 * Checks all that follows the taps. Return: the address of their locations, or
 * NULL: the request is malformed.
 */
static const char *tap_find_locations(const struct sonde_tap *taps, u64 count,
				      u64 length, char *why)
{
	const char *end = (const char *)taps + length, *locations, *at;
	u64 n;

	at = (const char *)&taps[count];
	for (n = 0; n < count; n++) {
		u32 size = taps[n].path_length;

		if (size > SONDE_PATH_MAX - 1 || size > end - at ||
		    memchr(at, 0, size)) {
			sonde_refuse(why, 0, "malformed request: path of a tap");
			return NULL;
		}
		at += size;
		cond_resched();
	}
	locations = at;
	for (n = 0; n < count; n++) {
		if (!tap_are_locations(at, end - at, taps[n].arguments)) {
			sonde_refuse(why, 0,
				     "malformed request: location of a tap");
			return NULL;
		}
		at += taps[n].arguments * sizeof(struct sonde_location);
	}
	for (n = 0; n < count; n++) {
		u64 size = taps[n].counters * sizeof(u64);

		if (taps[n].counters > SONDE_COUNTERS_MAX || size > end - at) {
			sonde_refuse(why, 0,
				     "malformed request: counters of a tap");
			return NULL;
		}
		at += size;
	}
	if (at == end)
		return locations;
	sonde_refuse(why, 0, "malformed request: bytes after the taps");
	return NULL;
}

/**
 * sonde_taps_arm() - arm taps: all or none
 * @session: its lock is held
 * @count: number of taps
 * @bytes: an array of sonde_tap, then their paths, their locations, their
 *	counters
 * @length: of @bytes
 * @why: the message for the user on failure
 *
 * Context: Process context. May sleep.
 * Return: 0, -EINVAL, -EEXIST, -EOPNOTSUPP, -ENOMEM, or an error of opening the
 * file.
 */
int sonde_taps_arm(struct sonde_session *session, u64 count, const void *bytes,
		   u64 length, char *why)
{
	const struct sonde_tap *taps = bytes;
	struct sonde_arming arming = {};
	const char *path, *locations, *counters;
	int err = 0;
	u64 n;

	lockdep_assert_held(&session->lock);
	if (count > length / sizeof(*taps))
		return sonde_refuse(why, -EINVAL,
				    "malformed request: array of taps");
	path = (const char *)&taps[count];
	locations = tap_find_locations(taps, count, length, why);
	if (!locations)
		return -EINVAL;
	counters = locations;
	for (n = 0; n < count; n++)
		counters += taps[n].arguments * sizeof(struct sonde_location);
	for (n = 0; n < count; n++) {
		err = tap_arm_one(session, &taps[n], path, locations, counters,
				  &arming, why);
		if (err)
			break;
		path += taps[n].path_length;
		locations += taps[n].arguments * sizeof(struct sonde_location);
		counters += taps[n].counters * sizeof(u64);
		cond_resched();
	}
	tap_leave_kind(&arming, NULL);
	if (!err)
		err = sonde_holds_update(session);
	if (!err)
		err = sonde_taps_update(session, why);
	if (err)
		tap_undo(session, taps, n);
	else
		tap_report_left_out(session, &arming);
	return err;
}

/**
 * sonde_taps_disarm() - disarm taps
 * @session: its lock is held
 * @bytes: an array of tap ids
 * @length: of @bytes, which sonde_request_fault() has checked
 * @why: the message for the user on failure
 *
 * On return none of them fires any more. Existing taps are disarmed even if
 * others do not exist.
 *
 * Context: Process context. May sleep.
 * Return: 0; -ENOENT: a tap does not exist.
 */
int sonde_taps_disarm(struct sonde_session *session, const void *bytes,
		      u64 length, char *why)
{
	const u32 *ids = bytes;
	LIST_HEAD(gone);
	int err = 0;
	u64 n;

	lockdep_assert_held(&session->lock);
	for (n = 0; n < length / sizeof(*ids); n++) {
		if (!xa_load(&session->taps, ids[n])) {
			scnprintf(why, SONDE_WHY, "no such tap");
			err = -ENOENT;
			continue;
		}
		tap_disarm_one(session, ids[n], &gone);
	}
	sonde_holds_update(session);
	sonde_taps_update(session, why);
	tap_bury(&gone);
	return err;
}

/**
 * sonde_taps_destroy() - disarm all taps, and wait until nothing fires
 * @session: it is being closed
 *
 * Context: Process context. May sleep.
 */
void sonde_taps_destroy(struct sonde_session *session)
{
	struct sonde_armed *armed;
	unsigned long id;
	LIST_HEAD(gone);
	int n;

	might_sleep();
	mutex_lock(&session->lock);
	xa_for_each(&session->taps, id, armed)
		tap_disarm_one(session, id, &gone);
	for (n = 0; n < ARRAY_SIZE(backends); n++)
		if (backends[n]->close)
			backends[n]->close(session);
	mutex_unlock(&session->lock);
	tracepoint_synchronize_unregister();
	tap_bury(&gone);
	sonde_task_work_end(session);
	synchronize_rcu();
	xa_destroy(&session->taps);
	xa_destroy(&session->places);
}
