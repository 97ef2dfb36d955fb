/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engines of held taps: what hold.c, tracees.c and release.c share. hold.c
 * describes how it works.
 */
#ifndef SONDE_HOLD_H
#define SONDE_HOLD_H

#include "kmod/device/session.h"
#include "kmod/device/task_work.h"
#include "kmod/utrace.h"

/* The events of every tracee's engine. */
#define SONDE_HOLD_EVENTS \
	(UTRACE_EVENT(QUIESCE) | UTRACE_EVENT(CLONE) | UTRACE_EVENT(EXIT) | \
	 UTRACE_EVENT(DEATH))

struct sonde_leave;
struct held_taps;

struct sonde_tracees {
	refcount_t ref; /* the session and each tracee; keeps the session's memory */
	struct utrace_engine_ops ops; /* a copy, which distinguishes our engines from others */
	struct sonde_session *session;
	struct held_taps __rcu *taps; /* NULL: no tap is held */
	unsigned long events; /* of the engines */
	spinlock_t lock; /* protects table, exited */
	bool ended;
	DECLARE_HASHTABLE(table, 10);
};

struct sonde_tracee {
	struct hlist_node node; /* by task; until it is released for good */
	struct sonde_tracees *tracees;
	struct utrace_engine *engine; /* a reference, while it is in the table */
	struct task_struct *task; /* the engine keeps it */
	u32 tgid;
	bool exited;
	bool newborn; /* START and LWP_START have yet to fire */
	spinlock_t lock;
	bool held; /* the first waiting firing waits for a release */
	u32 mapped; /* number of mapped files whose SONDE_ACKNOWLEDGE it waits for */
	bool impatient; /* until then only */
	unsigned long until; /* jiffies */
	bool absent; /* the thread waits for memory that another process must supply */
	bool dropped; /* it must not access anything of the session */
	struct list_head waiting;
	struct list_head drop; /* list of tracees that are being released for good */
};

/* hold.c */
int sonde_holds_update(struct sonde_session *session);
void sonde_holds_mark(struct sonde_session *session);
void sonde_hold_user(struct sonde_armed *armed, struct sonde_firing *firing,
		     const struct sonde_leave *leave);
extern const struct utrace_engine_ops sonde_hold_ops;

/* tracees.c */
void sonde_tracees_init(struct sonde_session *session);
void sonde_tracees_put(struct sonde_tracees *tracees);
void sonde_tracees_set_events(struct sonde_tracees *tracees);
bool sonde_tracee_exits_last(struct sonde_tracee *tracee);
bool sonde_tracee_unlink(struct sonde_tracee *tracee);
bool sonde_hold_mapped(struct sonde_session *session);
void sonde_hold_unmapped(struct sonde_session *session);
void sonde_hold_newborn(struct sonde_session *session,
			struct task_struct *task);
void sonde_holds_forget(struct sonde_session *session, u32 pid);
void sonde_holds_destroy(struct sonde_session *session);
void sonde_tracee_hold(struct sonde_tracee *tracee, bool held);
bool sonde_tracee_pauses(struct sonde_tracee *tracee,
			 struct sonde_pause *pause);
bool sonde_tracee_resumes(struct sonde_tracee *tracee,
			  struct sonde_pause *pause);
struct sonde_tracee *sonde_tracee_own(struct sonde_tracees *tracees);
int sonde_tracee_control(struct sonde_tracee *tracee,
			 enum utrace_resume_action action);
u32 sonde_tracee_resume(struct sonde_tracee *tracee);
void sonde_tracee_acknowledged(struct sonde_tracee *tracee);
struct sonde_tracee *sonde_tracee_get(struct sonde_tracees *tracees,
				      struct task_struct *task);
struct sonde_tracees *sonde_tracees_of(struct sonde_session *session);
int sonde_tracees_take(struct sonde_tracees *tracees);
int sonde_hold_check(u32 kind, char *why);

/* release.c */
int sonde_hold_release(struct sonde_session *session, u32 tid, u64 how,
		       char *why);
int sonde_hold_acknowledge(struct sonde_session *session, u32 tid, char *why);

#endif
