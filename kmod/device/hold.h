/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What hold.c, grips.c and release.c share: the engines of held taps.
 * hold.c has the theory.
 */
#ifndef SONDE_HOLD_H
#define SONDE_HOLD_H

#include "kmod/device/session.h"
#include "kmod/device/works.h"
#include "kmod/utrace.h"

/* What every grip wants. */
#define SONDE_HOLD_EVENTS \
	(UTRACE_EVENT(QUIESCE) | UTRACE_EVENT(CLONE) | UTRACE_EVENT(EXIT) | \
	 UTRACE_EVENT(DEATH))

struct sonde_leave;
struct held_taps;

struct sonde_grips {
	refcount_t ref; /* the session, each grip; they keep the session's memory */
	struct utrace_engine_ops ops; /* a copy tells our engines from others' */
	struct sonde_session *session;
	struct held_taps __rcu *taps; /* NULL: none is held */
	unsigned long events; /* that the engines want */
	spinlock_t lock; /* of table, exited */
	bool ended;
	DECLARE_HASHTABLE(table, 8);
};

struct sonde_grip {
	struct hlist_node node; /* by task; until it is let go */
	struct sonde_grips *grips;
	struct utrace_engine *engine; /* a reference while in the table */
	struct task_struct *task; /* kept by the engine */
	u32 tgid;
	bool exited;
	bool newborn; /* START and LWP_START are to be fired */
	spinlock_t lock;
	bool held; /* the first that waits does so for a release */
	u32 mapped; /* files whose SONDE_SEEN it waits for */
	bool absent; /* the thread waits for memory that somebody else must bring */
	bool dropped; /* nothing that the session points to may be looked at */
	struct list_head waiting;
	struct list_head drop; /* of those that are let go */
};

/* hold.c */
int sonde_holds_update(struct sonde_session *session);
void sonde_holds_mark(struct sonde_session *session);
void sonde_hold_user(struct sonde_armed *armed, struct sonde_firing *firing,
		     const struct sonde_leave *leave);
extern const struct utrace_engine_ops sonde_hold_ops;

/* grips.c */
void sonde_grips_put(struct sonde_grips *grips);
void sonde_grips_set_events(struct sonde_grips *grips);
bool sonde_grip_exits_last(struct sonde_grip *grip);
bool sonde_grip_unlink(struct sonde_grip *grip);
bool sonde_hold_mapped(struct sonde_session *session);
void sonde_hold_unmapped(struct sonde_session *session);
void sonde_hold_newborn(struct sonde_session *session,
			struct task_struct *task);
void sonde_holds_forget(struct sonde_session *session, u32 pid);
void sonde_holds_destroy(struct sonde_session *session);
void sonde_grip_hold(struct sonde_grip *grip, bool held);
bool sonde_grip_pauses(struct sonde_grip *grip, struct sonde_pause *pause);
bool sonde_grip_resumes(struct sonde_grip *grip, struct sonde_pause *pause);
struct sonde_grip *sonde_grip_own(struct sonde_grips *grips);
int sonde_grip_tell(struct sonde_grip *grip, enum utrace_resume_action action);
u32 sonde_grip_resume(struct sonde_grip *grip);
void sonde_grip_seen(struct sonde_grip *grip);
struct sonde_grip *sonde_grip_get(struct sonde_grips *grips,
				  struct task_struct *task);
struct sonde_grips *sonde_grips_of(struct sonde_session *session);
int sonde_grips_take(struct sonde_grips *grips);
int sonde_hold_check(u32 kind, char *why);

/* release.c */
int sonde_hold_release(struct sonde_session *session, u32 tid, u64 how,
		       char *why);
int sonde_hold_seen(struct sonde_session *session, u32 tid, char *why);

#endif
