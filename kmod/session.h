/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: what one open /dev/sonde has made
 *
 *   device.c   requests, events, the file
 *   buffer.c   the rings, one a CPU
 *   kmod_programs.c  programs and ECBs
 *   kmod_targets.c   which tasks are traced
 *   taps.c     taps that stand on tracepoints
 *   uprobe.c   taps in user programs
 *   jit.c      programs as native code
 *   kmod_fire.c  a firing: ECBs, DIF's environment
 *
 *   tracepoint --> site (what is armed there) --> probe --> ECBs --> DIF --> ring
 *
 * What a firing reads (sites, ECB lists, targets) is replaced whole, under
 * session->lock, and freed by RCU: a firing runs with preemption off and takes
 * no lock. Programs and probes live as long as the session.
 *
 * Locks: session->lock (mutex) > targets_lock, threads_lock, events_lock (leaves,
 * irqsave, each taken alone).
 */
#ifndef SONDE_SESSION_H
#define SONDE_SESSION_H

#include <linux/hashtable.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include "kmod/shared/abi.h"

#define SONDE_CALLS 512u /* system call numbers */
#define SONDE_RING_STRIDE (1ull << 31) /* between rings, as mmap sees them */
#define SONDE_RING_MIN 4096ull
#define SONDE_RING_MAX (1ull << 30)
#define SONDE_DEATHS 256u
#define SONDE_WHY sizeof(((struct sonde_reply *)0)->why)

struct sonde_session;
struct bpf_prog;

/* The writing end of a ring. Only its CPU touches it, with preemption off. */
struct sonde_writer {
	struct sonde_ring *ring; /* shared with the reader: never believed */
	u8 *data;
	u64 size;
	u64 head;
	u64 tail; /* no newer than the reader's */
	u64 last_time; /* of the last firing */
	u64 woken_at; /* the tail when the reader was last woken */
	u64 firings;
	u64 records;
	u64 drops;
	u32 sequence;
	u32 reserved;
	bool busy; /* a firing is under way here */
	void *outside; /* the reserved record lies here, not in the ring */
	void *scratch; /* of scratch_size bytes, for a record that may not fit */
	u32 scratch_size;
	char *path; /* a page, for d_path() */
	struct irq_work wake;
	struct sonde_session *session;
	u64 locals[SONDE_DIF_LOCALS];
};

struct sonde_program {
	struct sonde_dif_program view;
	bool wants_locals;
	bool wants_thread; /* has thread variables of its own */
	bool wants_stack_args; /* reads arg6 or later */
	struct bpf_prog *native; /* NULL: it is interpreted */
	u8 bytes[] __aligned(8); /* insns, kinds, pool */
};

struct sonde_ecb_entry {
	u32 epid;
	struct sonde_program *program;
};

struct sonde_ecb_list {
	struct rcu_head rcu;
	u32 count;
	bool wants_locals; /* one of the programs does */
	struct sonde_ecb_entry entries[]; /* by epid */
};

struct sonde_probe {
	u32 id;
	struct sonde_ecb_list __rcu *ecbs;
};

struct sonde_site_entry {
	u32 pid;
	u32 tap;
	struct sonde_probe *probe;
};

struct sonde_site {
	struct rcu_head rcu;
	u32 count;
	struct sonde_site_entry entries[];
};

struct sonde_uprobe;

/* What native code can reach. */
struct sonde_jit_context {
	const struct sonde_dif_env *env;
	void *firing;
	const u64 *args;
	u64 *locals;
	u64 *thread_variables;
	const char *execname;
	struct sonde_record *record;
	u64 faults; /* of its slots */
	u32 used; /* bytes of it */
};

struct sonde_armed {
	struct sonde_tap tap;
	struct sonde_probe *probe;
	struct sonde_session *session;
	struct sonde_uprobe *uprobe; /* of a user tap */
};

struct sonde_target {
	struct hlist_node node;
	struct rcu_head rcu;
	u32 pid;
	bool requested; /* attached by name, not by birth */
};

struct sonde_thread { /* self-> of one thread */
	struct hlist_node node;
	struct rcu_head rcu;
	struct task_struct *task; /* only compared */
	u64 variables[SONDE_DIF_THREAD];
};

struct sonde_queued_event {
	struct list_head node;
	struct sonde_event event;
	char bytes[];
};

/* The tracepoints that taps stand on. */
enum sonde_point {
	SONDE_POINT_SYS_ENTER,
	SONDE_POINT_SYS_EXIT,
	SONDE_POINT_NEWTASK,
	SONDE_POINT_EXEC,
	SONDE_POINT_EXIT,
	SONDE_POINT_SIGNAL_GENERATE,
	SONDE_POINT_SIGNAL_DELIVER,
	SONDE_POINT_COUNT
};

struct sonde_session {
	/* read by every firing */
	struct sonde_site __rcu *entries[SONDE_CALLS];
	struct sonde_site __rcu *returns[SONDE_CALLS];
	struct sonde_site __rcu *kinds[SONDE_TAP_KIND_COUNT];
	struct sonde_writer __percpu *writers; /* NULL: no buffers yet */
	const struct cred *cred; /* who opened it */
	bool privileged; /* may trace every task */
	bool targeted; /* only targets; never cleared */
	bool going; /* SONDE_GO was said: before that nothing fires */
	DECLARE_HASHTABLE(targets, 8);
	DECLARE_HASHTABLE(threads, 10);

	struct mutex lock; /* of requests */
	bool greeted;
	u32 points; /* tracepoints registered, one bit each */
	u32 tap_count[SONDE_TAP_KIND_COUNT];
	struct xarray programs, probes, ecbs, taps;
	u64 program_bytes;
	u32 scratch_size;
	u64 ring_size;
	u32 ring_count;
	struct sonde_writer **rings; /* in the order of mmap */
	atomic64_t lost; /* firings on a CPU without a ring, counted a record each */

	spinlock_t targets_lock; /* targets, target_count, deaths */
	u32 target_count;
	u32 deaths[SONDE_DEATHS]; /* processes that ended lately */
	u32 next_death;
	spinlock_t threads_lock;

	spinlock_t events_lock;
	struct list_head events;
	u32 event_count;
	u32 events_lost;
	bool data; /* a ring is a quarter full */
	wait_queue_head_t wait;
	atomic_t newborn; /* task works that have not run */
};

/* For a variable of a firing: kernels that zero all of them take their time. */
#define SONDE_UNINITIALIZED __attribute__((uninitialized))

/* One firing of one probe. */
struct sonde_firing {
	struct sonde_session *session;
	struct sonde_writer *writer;
	struct pt_regs *regs; /* the user's; NULL where there are none */
	u64 text_address; /* of text 0, in user memory */
	s64 call;
	int error;
	bool at_entry; /* the return address is on top of the stack */
	bool stack_args; /* args[6] and on are still on the stack */
	u32 probe;
	u64 timestamp;
	u64 args[SONDE_DIF_ARGS];
};

/* buffer.c */
int sonde_buffers_create(struct sonde_session *session, u64 bytes);
int sonde_buffers_scratch(struct sonde_session *session, u32 bytes);
void sonde_buffers_destroy(struct sonde_session *session);
int sonde_buffers_mmap(struct sonde_session *session,
		       struct vm_area_struct *vma);
void sonde_buffers_count(struct sonde_session *session,
			 struct sonde_statistics *statistics);
struct sonde_writer *sonde_writer_begin(struct sonde_session *session,
					u32 records);
void sonde_writer_end(struct sonde_writer *writer);
struct sonde_record *sonde_writer_reserve(struct sonde_writer *writer,
					  u32 bytes);
void sonde_writer_commit(struct sonde_writer *writer, u32 bytes);
void sonde_writer_drop(struct sonde_writer *writer, u64 records);

/* kmod_fire.c */
void sonde_fire_init(void);
void sonde_fire(struct sonde_firing *firing, struct sonde_probe *probe);
int sonde_read_user(u64 address, void *to, u32 length);
void sonde_thread_forget(struct sonde_session *session,
			 struct task_struct *task);
void sonde_threads_destroy(struct sonde_session *session);

/* kmod_programs.c */
struct sonde_probe *sonde_probe_get(struct sonde_session *session, u32 id);
int sonde_program_load(struct sonde_session *session, u32 id, const void *bytes,
		       u64 length, char *why);
int sonde_ecbs_add(struct sonde_session *session, const void *bytes, u64 length,
		   char *why);
int sonde_ecbs_remove(struct sonde_session *session, const void *bytes,
		      u64 length, char *why);
void sonde_programs_destroy(struct sonde_session *session);

/* taps.c */
void sonde_taps_init(void);
int sonde_points_update(struct sonde_session *session, char *why);
int sonde_taps_arm(struct sonde_session *session, u64 count, const void *bytes,
		   u64 length, char *why);
int sonde_taps_disarm(struct sonde_session *session, const void *bytes,
		      u64 length, char *why);
void sonde_taps_destroy(struct sonde_session *session);

/* kmod_targets.c */
int sonde_target_add(struct sonde_session *session, u64 pid, char *why);
int sonde_target_remove(struct sonde_session *session, u64 pid, char *why);
bool sonde_covers(struct sonde_session *session, struct task_struct *task);
bool sonde_has_target(struct sonde_session *session, u32 pid);
void sonde_target_born(struct sonde_session *session, struct task_struct *task);
void sonde_target_exec(struct sonde_session *session);
bool sonde_last_thread(struct sonde_session *session);
void sonde_target_gone(struct sonde_session *session, u64 status);
void sonde_targets_destroy(struct sonde_session *session);

/* jit.c */
void sonde_jit_compile(struct sonde_program *program);
void sonde_jit_free(struct sonde_program *program);
u32 sonde_jit_run(const struct sonde_program *program,
		  const struct sonde_dif_firing *view,
		  struct sonde_record *record);

/* uprobe.c */
int sonde_uprobe_arm(struct sonde_armed *armed, const char *path, char *why);
void sonde_uprobe_disarm(struct sonde_armed *armed);
int sonde_uprobes_retarget(struct sonde_session *session, char *why);

/* device.c */
void sonde_event(struct sonde_session *session, u32 kind, u32 pid, u64 value);
void sonde_event_wake(struct sonde_session *session);
bool sonde_may_access(struct task_struct *task);

#endif
