/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: what one open /dev/sonde has made
 *
 *   device.c    requests, the file
 *   events.c    what the reader is told
 *   programs.c  programs and ECBs
 *   list.c      what firings run through while it changes: ECBs, taps
 *   probes.c    probes
 *   targets.c   which tasks are traced; covers.c, whether one is
 *   buffer.c    the rings, one a CPU
 *   writer.h    their writing end, inlined into the firing
 *   taps.c      taps; tap.h, what they stand on
 *   sites.c     where those fire together that are of a kind
 *   points.c    taps on tracepoints
 *   syscalls.c  system calls: what fires at them; syscall_hooks.c, what is hooked
 *               for that; syscall_taps.c, who wants it
 *   uprobe.c    taps in user programs
 *   reenter.c   arrivals at a function that are no entries
 *   timer.c     taps that a timer fires
 *   mappings.c  what programs map
 *   fire.c      a firing: ECBs, DIF's environment; fire.h, what is inlined of it
 *   jit.c       programs as native code; jit_calls.c, what that calls
 *   unwind.c    user stacks
 *   kernel.c    kernel memory and stacks
 *   deferred.c  firings that may sleep
 *   hold.c      held taps: what engines of the utrace core report
 *   tracees.c   the threads that have these engines
 *   release.c   what the consumer says of held threads
 *   task_work.c what a thread does before it returns to user mode
 *   status.c    /proc/sonde
 *
 *   hook --> site (what is armed there) --> probe --> ECBs --> DIF --> ring
 *
 * What a firing reads (sites, ECB lists, targets) is replaced whole, under
 * session->lock, and freed by RCU: a firing runs with preemption off and takes
 * no lock. Programs and probes live as long as the session.
 *
 * Locks: session->lock (mutex) > cpu hotplug > sessions_lock (of the list of all
 * sessions) > rings_lock; session->lock > a process's exec_update_lock, for reading
 * (targets.c); covered_lock, threads_lock and events_lock are leaves
 * (irqsave, each taken alone).
 */
#ifndef SONDE_SESSION_H
#define SONDE_SESSION_H

#include <linux/hashtable.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include "kmod/core/memory.h"
#include "kmod/device/list.h"
#include "kmod/shared/abi.h"
#include "kmod/shared/request.h"

/* System call numbers: 64-bit code's, then what only 32-bit code has. */
#define SONDE_CALLS 1024u
#define SONDE_NATIVE_CALLS 512u
#define SONDE_RING_MIN 4096ull
#define SONDE_RING_MAX BIT_ULL(30)
#define SONDE_COVERED 64u /* a power of two */
#define SONDE_DISCARDS 4096u /* at once */
#define SONDE_SITE_MAX 4096u /* taps that fire together */
#define SONDE_WHY sizeof(((struct sonde_reply *)0)->why)

/* Writes to @why what the user is told. Return: @err. */
__printf(3, 4) int sonde_refuse(char *why, int err, const char *format, ...);

struct sonde_firing;
struct sonde_finder;
struct sonde_session;
struct bpf_prog;
struct seq_file;

#define SONDE_MARKS 64u

/* Where records begin, one position each 64th of a ring. */
struct sonde_marks {
	u64 last; /* the part that was marked last */
	u64 at[SONDE_MARKS];
};

/* The writing end of a ring. Only its CPU touches it, with preemption off. */
struct sonde_writer {
	struct sonde_ring *ring; /* shared with the reader: never believed */
	bool busy; /* a firing is under way here, or there is no ring */
	u32 cpu; /* the next two as in a record */
	u32 sequence;
	u8 *next; /* where the head is in the data */
	u64 room; /* free bytes there, up to the end of the data */
	u64 head;
	u64 last_time; /* of the last look at the clock */
	u64 wake_at; /* the head at which to see if the reader must be woken */
	u64 firings;
	u64 records;
	/* seldom used */
	u8 *data;
	u64 size;
	u64 tail; /* no newer than the reader's */
	u64 woken_at; /* the tail when the reader was last woken */
	u64 drops;
	u64 drops_before; /* those of earlier rings */
	u32 policy;
	struct sonde_marks *marks; /* policy ring */
	u32 reserved; /* the record that is not at next */
	u32 scratch_size;
	void *outside; /* it lies here, not in the ring */
	void *scratch; /* of scratch_size bytes, for a record that may not fit */
	char *path; /* a page, for d_path() and walks of the stack */
	struct irq_work wake;
	struct sonde_session *session;
	u64 locals[SONDE_DIF_LOCALS];
};

#define SONDE_NEED_EACH BIT(31) /* beside enum sonde_need, of a list: there are several */

struct sonde_program {
	struct sonde_dif_program view;
	u32 needs; /* enum sonde_need, one bit each */
	u32 reserve; /* bytes: record_max, rounded up */
	u32 cost; /* of a run, in plain instructions, at most */
	u32 (*run)(struct sonde_firing *firing, struct sonde_record *record);
	struct bpf_prog *native; /* what run is of; NULL: it is interpreted */
	bool empty; /* always records, and no value */
	u8 bytes[] __aligned(8); /* insns, kinds, pool */
};

struct sonde_ecb_entry {
	u32 epid; /* the next two as in a record */
	u32 probe;
	struct sonde_program *program;
	bool held; /* the thread waits for a release */
	bool gone; /* it has been removed */
};

struct sonde_ecb_list {
	struct sonde_list list;
	u32 needs; /* of all the programs, and SONDE_NEED_EACH */
	struct sonde_ecb_entry entries[]; /* by epid */
};

struct sonde_probe {
	u32 id;
	u32 held; /* ECBs that hold */
	u32 cost; /* of its ECBs' programs */
	u32 entries; /* taps on functions' entries */
	u32 reenters; /* taps on jumps to them that are no entries */
	struct sonde_ecb_list __rcu *ecbs;
};

struct sonde_site_entry {
	u32 pid;
	u32 tap;
	bool gone; /* it has been disarmed */
	struct sonde_probe *probe;
};

struct sonde_site {
	struct sonde_list list;
	struct sonde_probe *only; /* where one is all there is, for any process */
	struct sonde_site_entry entries[];
};

/* Where a firing's args[] come from when a program wants them. */
enum sonde_args_source {
	SONDE_ARGS_READY,
	SONDE_ARGS_CALL, /* the registers of a system call */
	SONDE_ARGS_COMPAT, /* of one that 32-bit code makes */
	SONDE_ARGS_RESULT, /* result, twice */
	SONDE_ARGS_USER, /* the registers of a user function */
};

/* What is known of a firing from its beginning, in one word. */
union sonde_firing_start {
	struct {
		s32 error; /* errno of a system call */
		bool at_edge; /* the return address is on top of the stack */
		bool stack_args; /* args[6] and on are still on the stack */
		bool has_text; /* text_address is valid */
		u8 args_source; /* enum sonde_args_source */
	};
	u64 word;
};

struct sonde_tap_ops;
struct sonde_uprobe;
struct sonde_uprobe_file;
struct sonde_timer;
struct sonde_tracee;
struct sonde_tracees;

struct sonde_armed {
	struct sonde_tap tap;
	struct sonde_probe *probe;
	struct sonde_session *session;
	const struct sonde_tap_ops *ops; /* what it stands on */
	bool held; /* by engines: its probe has ECBs that hold */
	bool leaving; /* the engines, but they still know it */
	struct list_head gone; /* of those that are being disarmed */
	struct sonde_timer *timer; /* of PROFILE and TICK */
	/* of a user tap */
	bool judged; /* what it does is decided when it is reached */
	union sonde_firing_start start; /* of its firings */
	struct sonde_uprobe *uprobe; /* NULL: never fires */
	struct sonde_armed __rcu *next; /* at the same uprobe */
};

struct sonde_thread { /* self-> of one thread */
	struct hlist_node node;
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
	SONDE_POINT_NEWTASK,
	SONDE_POINT_EXEC,
	SONDE_POINT_EXIT,
	SONDE_POINT_SIGNAL_GENERATE,
	SONDE_POINT_SIGNAL_DELIVER,
	SONDE_POINT_COUNT
};

struct sonde_session {
	struct list_head node; /* of all sessions */
	u32 opener; /* the process that opened it */
	char command[TASK_COMM_LEN];
	bool lacks_mappings; /* the kernel does not tell of them, and the user knows */

	/* read by every firing */
	struct sonde_site __rcu *entries[SONDE_CALLS];
	struct sonde_site __rcu *returns[SONDE_CALLS];
	struct sonde_site __rcu *kinds[SONDE_TAP_KIND_COUNT];
	DECLARE_BITMAP(calls, SONDE_CALLS); /* hooked for it; calls_lock's */
	bool calls_listed; /* the hooks of syscalls.c look at it */
	struct list_head calls_node; /* of those */
	bool marks; /* it has marked threads for them */
	u32 return_taps; /* that they know of */
	struct sonde_writer __percpu *writers; /* NULL: no buffers yet */
	const struct cred *cred; /* who opened it */
	bool privileged; /* may trace every task; else it is a member's */
	bool unlimited; /* its rings are not bound by RLIMIT_MEMLOCK */
	bool perfmon; /* may have user functions and samples */
	bool sees_kernel; /* both, and the kernel was not locked down */
	bool targeted; /* only targets; never cleared */
	bool going; /* SONDE_GO was said: before that nothing fires */
	bool sees_all; /* it goes, and traces every task */
	u32 covered[SONDE_COVERED]; /* targets that it is known to trace, by number */
	struct sonde_finder *finder; /* of targets */
	DECLARE_HASHTABLE(threads, 10);
	DECLARE_HASHTABLE(reentries, 8);

	struct mutex lock; /* of requests */
	bool greeted;
	u32 points; /* tracepoints registered, one bit each */
	u32 tap_count[SONDE_TAP_KIND_COUNT];
	struct xarray programs, probes, ecbs, taps;
	struct rb_root uprobes;
	u32 reenter_taps;
	u32 timers;
	bool reentered; /* reentries has had some */
	u64 program_bytes;
	u32 scratch_size;
	struct mutex rings_lock; /* of rings, ring_count, ring_size, policy */
	long locked; /* pages of rings, charged to the user */
	bool full; /* policy fill: nothing is recorded any more */
	u32 policy;
	u64 ring_size;
	u32 ring_count;
	struct sonde_writer **rings; /* in the order of mmap */
	atomic64_t lost; /* records that no ring counts: no ring, memory, or thread */

	spinlock_t covered_lock; /* to change covered */
	spinlock_t threads_lock; /* threads, reentries: to add and remove */

	spinlock_t events_lock; /* events, their counts, data */
	struct list_head events;
	u32 event_count;
	u64 event_bytes;
	u32 events_lost;
	bool data; /* a ring is a quarter full */
	wait_queue_head_t wait;
	struct sonde_tracees *tracees; /* engines; NULL: none was ever needed */
	atomic_t held; /* threads that wait for a release */
	atomic64_t stops; /* times that one did */
	struct sonde_purse purse; /* of firings, events, children */
	refcount_t ref; /* the open file, each task work */
	atomic_t discards; /* signals that their receivers have still to fire */
	atomic_t works; /* that run now */
	bool over; /* they do nothing any more */
};

/* For a variable of a firing: kernels that zero all of them take their time. */
#define SONDE_UNINITIALIZED __attribute__((uninitialized))

/* One firing of one probe. Native code reads it and writes to it. */
struct sonde_firing {
	struct sonde_session *session;
	struct sonde_writer *writer;
	struct task_struct *task; /* current */
	struct pt_regs *regs; /* the user's; NULL where there are none */
	s64 call;
	union sonde_firing_start start;
	s64 result; /* of a system call */
	u64 text_address; /* of text 0, in user memory */
	u32 probe;
	u32 depth; /* of the user's stack, and 1; 0: nobody has asked for it */
	u64 timestamp; /* 0: nobody has asked for it; where a program may ask */
	/* of the program that runs; what native code wants it sets first */
	struct sonde_record *record;
	u64 *thread_variables;
	u64 faults; /* of the record's slots */
	u64 fault_address;
	u32 used; /* bytes of the record */
	u32 faulted; /* a load did, and nothing has taken the fault over */
	u64 args[SONDE_DIF_ARGS];
};

#endif
