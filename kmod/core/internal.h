/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of one traced thread, and the interface between the files of the
 * core.
 *
 * Lock order: siglock > table lock > utrace.lock; work bit lock > tasklist
 * lock. utrace.lock is a leaf and always taken with interrupts off; a thread
 * may be woken, and a task work queued, under it.
 */
#ifndef SONDE_INTERNAL_H
#define SONDE_INTERNAL_H

#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "kmod/compat.h"
#include "kmod/core/hooks.h"
#include "kmod/utrace.h"

/* Events whose report waits for the safe point. */
#define SONDE_DEFERRED_SYSCALL_EXIT 1
#define SONDE_DEFERRED_HANDLER 2
#define SONDE_DEFERRED_CONTINUED 4

/* Internal event bits, beyond those of the API. */
#define SONDE_FLAG_KEPT BIT(31)
#define SONDE_EVENT_REPORT BIT(30)	/* report_signal(SIGNAL_REPORT) */
#define SONDE_EVENT_HANDLER BIT(29)	/* report_signal(SIGNAL_HANDLER) */

/* What to do with a signal, at the next place that can do it. */
enum sonde_kept {
	SONDE_KEPT_NONE,
	SONDE_KEPT_HAND,	/* dequeue_signal() returns it */
	SONDE_KEPT_DELIVER,	/* to the handler in ka */
	SONDE_KEPT_TERM,
	SONDE_KEPT_CORE,
};

/**
 * struct utrace - the state of one traced thread
 * @node: in the table, until retired
 * @all: in the list of all states, until freed
 * @rcu: for freeing
 * @ref: table, engines, queued works, hooks in progress
 * @task: the thread; a reference is held
 * @lock: protects everything below, unless noted otherwise
 * @engines: the attached engines, ordered by seq
 * @flags: union of the events of the engines, and SONDE_FLAG_KEPT
 * @next_seq: seq of the next engine
 * @reporting: the engine whose callback runs
 * @wait: for utrace_barrier() and the like
 * @work: the safe point
 * @kick: interrupts a sleeping call if @work is already queued
 * @reap_work: report_reap from the parent's context
 * @later: SONDE_DEFERRED_*
 * @work_queued: @work is queued
 * @kick_queued: @kick is queued
 * @hashed: in the table
 * @stopped: sleeps in sonde_stop(); cleared by the waker
 * @killed: SIGKILL was seen: the thread must not stop any more
 * @stepping: single or block step is on
 * @exiting: past report_exit: the thread must not stop any more
 * @dying: report_death is running
 * @dead: report_death is over, or there will be none
 * @reaping: report_reap has begun
 * @reap_wait: the thread was reaped before report_death was over
 * @let_go: the unload has visited it
 * @kept: what to do with a signal; only the thread itself uses this and the
 *	next three
 * @signr: its number
 * @info: the signal last reported
 * @ka: the handler for SONDE_KEPT_DELIVER
 * @held_signr: number of a signal to be reported again, or 0
 * @held: its info
 * @notified: the CLD_ code with which this thread notified its parent when it
 *	continued
 * @stop_signal: the signal to deliver is a stop that an engine asked for
 * @clone_flags: of the child that this thread is creating
 * @bprm: of the exec that this thread is in
 * @left_out: number of a system call that was skipped
 * @has_left_out: whether there is one
 * @real_blocked: the bit that sonde_prepare_signal() set, or 0; under siglock
 * @real_next: next state with such a bit
 */
struct utrace {
	struct hlist_node node;
	struct list_head all;
	struct rcu_head rcu;
	refcount_t ref;
	struct task_struct *task;
	spinlock_t lock;	/* see above */
	struct list_head engines;
	unsigned long flags;
	u64 next_seq;
	struct utrace_engine *reporting;
	wait_queue_head_t wait;
	struct callback_head work;
	struct callback_head kick;
	struct work_struct reap_work;
	unsigned int later;
	bool work_queued, kick_queued;
	bool hashed;
	bool stopped;
	bool killed;
	bool stepping;
	bool exiting;
	bool dying, dead;
	bool reaping, reap_wait;
	bool let_go;
	enum sonde_kept kept;
	int signr;
	kernel_siginfo_t info;
	struct k_sigaction ka;
	int held_signr;
	kernel_siginfo_t held;
	int notified;
	bool stop_signal;
	int real_blocked;
	struct utrace *real_next;
	unsigned long clone_flags;
	const struct linux_binprm *bprm;
	long left_out;
	bool has_left_out;
};

/**
 * struct sonde_report - one event on its way through the engines
 * @event: its bit, 0 for report_quiesce alone
 * @bits: the action without the resume bits, as returned by the last callback
 * @resume: most restrictive answer of the engines called so far
 * @requested: for SONDE_EVENT_HANDLER: an engine asked for a report, or steps
 * @regs: the thread's user registers
 * @signal: what report_signal is about
 * @clone: what report_clone is about
 * @jctl: what report_jctl is about
 * @bprm: what report_exec is about
 * @exit: what report_exit is about
 * @death: what report_death is about
 */
struct sonde_report {
	unsigned long event;
	u32 bits;
	u32 resume;
	bool requested;
	struct pt_regs *regs;
	union {
		struct {
			kernel_siginfo_t *info;
			const struct k_sigaction *orig_ka;
			struct k_sigaction *return_ka;
		} signal;
		struct {
			unsigned long flags;
			struct task_struct *child;
		} clone;
		struct {
			int type, notify;
		} jctl;
		const struct linux_binprm *bprm;
		struct {
			long orig_code;
			long *code;
		} exit;
		struct {
			bool group_dead;
			int signal;
		} death;
	};
};

/* utrace.c */
extern atomic_t sonde_states, sonde_engines;
struct utrace *sonde_find(struct task_struct *task);
bool sonde_group_is_traced(struct task_struct *task);
struct utrace *sonde_find_get(struct task_struct *task);
unsigned long sonde_flags(struct task_struct *task);
int sonde_with_state(struct task_struct *task, bool create,
		     int (*add)(struct utrace *u, void *data), void *data);
void sonde_get(struct utrace *u);
void sonde_put(struct utrace *u);
void sonde_report(struct utrace *u, struct sonde_report *r);
void sonde_wake(struct utrace *u);
bool sonde_stop(struct utrace *u);
bool sonde_wants_stop(struct utrace *u);
bool sonde_goes_to_die(struct utrace *u);
bool sonde_take_report(struct utrace *u);
void sonde_safe_point(struct utrace *u);
void sonde_queue_if_needed(struct utrace *u);
void sonde_step(struct utrace *u);
void sonde_defer_report(struct utrace *u, unsigned int what);
void sonde_queue(struct utrace *u, enum task_work_notify_mode mode);
void sonde_retire(struct utrace *u);
void sonde_unhash(struct utrace *u);
void sonde_detach_locked(struct utrace *u, struct utrace_engine *engine);
void sonde_recalc(struct utrace *u);
void sonde_reap(struct utrace *u);
void sonde_reap_later(struct utrace *u);
int sonde_utrace_init(void);
void sonde_utrace_stop(void);
void sonde_utrace_exit(void);

/*
 * A hook calls these two around its work on the current thread. Returns the
 * thread's state with a reference, or NULL if the thread is not traced.
 */
static inline struct utrace *sonde_enter(void)
{
	sonde_hooks_enter();
	return sonde_find_get(current);
}

static inline void sonde_leave(struct utrace *u)
{
	if (u) {
		sonde_retire(u);
		sonde_put(u);
	}
	sonde_hooks_leave();
}

/* syscall.c */
void sonde_update_syscall_work(struct utrace *u);
void sonde_report_syscall_exit(struct utrace *u);
int sonde_syscall_init(void);
void sonde_syscall_stop(void);
/*
 * The device has this one (device/syscalls.c). It is declared here because the
 * core may not include the device, and called without a pointer because each
 * call whose return is traced passes there.
 */
void sonde_syscall_exit(struct pt_regs *regs, long result);

/* signal.c */
void sonde_report_handler(struct utrace *u);
void sonde_report_continued(struct utrace *u);
void sonde_report_request(struct utrace *u);
void sonde_keep_signal(struct utrace *u, enum sonde_kept kept, int signr);
void sonde_set_sigpending(struct utrace *u);
bool sonde_finish_stopped(struct utrace *u);
int sonde_signal_init(void);
void sonde_signal_stop(void);

/* life.c */
int sonde_life_init(void);
void sonde_life_stop(void);

#endif
