/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: the state of one open of /dev/sonde
 *
 *   device.c    requests, the file
 *   account.c   what all sessions of a user may take together
 *   events.c    events for the reader
 *   programs.c  programs and ECBs
 *   list.c      lists that firings read while they change: ECBs, taps
 *   probes.c    probes
 *   targets.c   which tasks are traced; covers.c, whether a task is
 *   buffer.c    the rings, one per CPU
 *   writer.h    their writing end, inlined into firings
 *   taps.c      taps; tap.h, the interface of their backends
 *   sites.c     the taps that fire together
 *   points.c    taps on tracepoints
 *   syscalls.c  system calls: their firings; syscall_hooks.c, their hooks;
 *               syscall_taps.c, their taps
 *   uprobe.c    taps in user programs
 *   reenter.c   jumps to a function's start that are not entries
 *   named.c     taps on tracepoints that they name
 *   functions.c taps on functions of the kernel; returns.c, their returns
 *   timer.c     taps that a timer fires
 *   mappings.c  files that programs map; wanted.c, which of them are followed
 *   fire.c      a firing: ECBs, DIF's environment; fire.h, its inlined part
 *   jit.c       programs as native code; jit_calls.c, functions that they call
 *   spares.c    variables of threads for firings that must not allocate
 *   unwind.c    user stacks
 *   kernel.c    kernel memory and stacks
 *   deferred.c  firings that may sleep
 *   hold.c      held taps: the events that engines of the utrace core report
 *   tracees.c   the threads that have these engines
 *   release.c   the consumer's requests for held threads
 *   task_work.c work that threads do before they return to user mode
 *   status.c    /proc/sonde
 *
 *   hook --> site (the taps armed there) --> probe --> ECBs --> DIF --> ring
 *
 * A firing runs with preemption off and takes no lock. So what it reads (sites,
 * ECB lists, targets) is replaced as a whole, under session->lock, and freed by
 * RCU. Programs and probes live as long as the session.
 *
 * Locks: session->lock (mutex) > cpu hotplug > sessions_lock (of the list of all
 * sessions) > rings_lock; session->lock > a process's exec_update_lock, for reading
 * (targets.c); covered_lock, threads_lock and events_lock are leaves
 * (irqsave, each taken alone), and so is wanted_lock.
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
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "kmod/core/memory.h"
#include "kmod/device/list.h"
#include "kmod/shared/abi.h"
#include "kmod/shared/request.h"

/* System call numbers: those of 64-bit code, then those of calls that only 32-bit code has. */
#define SONDE_CALLS 1024u
#define SONDE_NATIVE_CALLS 512u
#define SONDE_RING_MIN 4096ull
#define SONDE_RING_MAX BIT_ULL(30)
#define SONDE_COVERED 64u /* a power of two */
#define SONDE_DISCARDS 4096u /* pending at the same time */
#define SONDE_SITE_MAX 4096u /* taps that fire together */
#define SONDE_WHY sizeof(((struct sonde_reply *)0)->why)

/* Stores in @why the message for the user. Return: @err. */
__printf(3, 4) int sonde_refuse(char *why, int err, const char *format, ...);

struct sonde_account;
struct sonde_firing;
struct sonde_finder;
struct sonde_session;
struct bpf_prog;
struct seq_file;

#define SONDE_MARKS 64u

/* Starts of records, one position for each 64th of a ring. */
struct sonde_marks {
	u64 last; /* the part of the ring that was marked last */
	u64 at[SONDE_MARKS];
};

/* The writing end of a ring. Only its CPU accesses it, with preemption off. */
struct sonde_writer {
	struct sonde_ring *ring; /* shared with the reader, so never trusted */
	bool busy; /* a firing is running on this CPU, or there is no ring */
	u32 cpu; /* the next two fields as in a record */
	u32 sequence;
	u8 *next; /* position of head in the data */
	u64 room; /* free bytes there without wrapping */
	u64 head;
	u64 last_time; /* of the last reading of the clock */
	u64 wake_at; /* at this head, check whether the reader must be woken */
	u64 firings;
	u64 records;
	/* rarely used */
	u8 *data;
	u64 size;
	u64 tail; /* the last known tail of the reader */
	u64 woken_at; /* the tail when the reader was last woken */
	u64 drops;
	u64 drops_before; /* drops of earlier rings */
	u32 policy;
	struct sonde_marks *marks; /* policy ring */
	u32 reserved; /* size of a record that is reserved elsewhere than at next */
	u32 scratch_size;
	void *outside; /* that record is here, not in the ring */
	void *scratch; /* of scratch_size bytes, for records that may not fit */
	char *path; /* a page, for d_path() and stack walks */
	struct irq_work wake;
	struct sonde_session *session;
	u64 locals[SONDE_DIF_LOCALS];
};

#define SONDE_NEED_EACH BIT(31) /* in the needs of a list: it has several entries */

struct sonde_program {
	struct sonde_dif_program view;
	u32 needs; /* enum sonde_need, one bit each */
	u32 reserve; /* bytes: record_max, and room for copied stacks */
	u32 stack_bytes; /* of each user stack, that are copied; 0: none is */
	u32 cost; /* maximal cost of a run, in plain instructions */
	u32 (*run)(struct sonde_firing *firing, struct sonde_record *record);
	struct bpf_prog *native; /* of run; NULL: it is interpreted */
	bool empty; /* always makes a record without values */
	u8 bytes[] __aligned(8); /* insns, kinds, pool */
};

struct sonde_ecb_entry {
	u32 epid; /* the next two fields as in a record */
	u32 probe;
	struct sonde_program *program;
	bool held; /* the thread waits for a release */
	bool gone; /* the entry has been removed */
};

struct sonde_ecb_list {
	struct sonde_list list;
	u32 needs; /* of all programs, and SONDE_NEED_EACH */
	struct sonde_ecb_entry entries[]; /* in the order of epids */
};

struct sonde_probe {
	u32 id;
	u32 held; /* number of ECBs that hold */
	u32 cost; /* of the programs of its ECBs */
	u32 urgent; /* taps that fire with interrupts off */
	u32 entries; /* taps on function entries */
	u32 reenters; /* taps on jumps to the start of a function that are not entries */
	struct sonde_ecb_list __rcu *ecbs;
};

struct sonde_site_entry {
	u32 pid;
	u32 tap;
	bool gone; /* the tap has been disarmed */
	struct sonde_probe *probe;
};

struct sonde_site {
	struct sonde_list list;
	struct sonde_probe *only; /* the probe, if there is only one, and for any process */
	struct sonde_site_entry entries[];
};

/* The source of a firing's args[], if a program needs them. */
enum sonde_args_source {
	SONDE_ARGS_READY,
	SONDE_ARGS_CALL, /* the registers of a system call */
	SONDE_ARGS_COMPAT, /* of a system call of 32-bit code */
	SONDE_ARGS_RESULT, /* result, twice */
	SONDE_ARGS_USER, /* the registers of a user function */
};

/* What is known at the start of a firing, in one word. */
union sonde_firing_start {
	struct {
		union {
			s32 error; /* errno of a system call */
			u32 tap; /* if it is located: the tap with the locations of the arguments */
		};
		bool at_edge : 1; /* the return address is at the top of the stack */
		bool located : 1; /* of a user function: `tap` is valid */
		bool stack_args; /* args[6] and later are still on the stack */
		bool has_text; /* text_address is valid */
		u8 args_source; /* enum sonde_args_source */
	};
	u64 word;
};

struct sonde_tap_ops;
struct sonde_uprobe;
struct sonde_uprobe_file;
struct sonde_named;
struct sonde_functions;
struct sonde_timer;
struct sonde_tracee;
struct sonde_tracees;

struct sonde_armed {
	struct sonde_tap tap;
	struct sonde_probe *probe;
	struct sonde_session *session;
	const struct sonde_tap_ops *ops; /* its backend */
	bool held; /* by engines: its probe has ECBs that hold */
	bool leaving; /* it leaves the engines, but is still on their list */
	struct list_head gone; /* list of taps that are being disarmed */
	struct sonde_timer *timer; /* of PROFILE and TICK */
	struct sonde_named *named; /* of TRACEPOINT */
	unsigned long ip; /* of KERNEL_*: where ftrace calls from in the function */
	/* for user taps */
	bool judged; /* whether it fires is decided at each hit */
	union sonde_firing_start start; /* for its firings */
	struct sonde_location *locations; /* of the arguments, tap.arguments of them; or NULL */
	u64 counter; /* in the file of a user tap: raised while it is armed; 0: none */
	struct sonde_uprobe *uprobe; /* NULL: never fires */
	struct sonde_armed __rcu *next; /* at the same uprobe */
};

struct sonde_thread { /* self-> variables of one thread */
	struct hlist_node node;
	struct task_struct *task; /* only compared */
	u64 variables[SONDE_DIF_THREAD];
};

struct sonde_queued_event {
	struct list_head node;
	struct sonde_event event;
	char bytes[];
};

/* The tracepoints that taps use. */
enum sonde_point {
	SONDE_POINT_NEWTASK,
	SONDE_POINT_EXEC,
	SONDE_POINT_EXIT,
	SONDE_POINT_FREE,
	SONDE_POINT_SIGNAL_GENERATE,
	SONDE_POINT_SIGNAL_DELIVER,
	SONDE_POINT_COUNT
};

/* What tells a file from all others, also from one that gets its number later. */
struct sonde_file_key {
	dev_t device;
	u64 inode;
	s64 written; /* when it was, in ns */
};

struct sonde_session {
	struct list_head node; /* list of all sessions */
	u32 opener; /* the process that opened it */
	char command[TASK_COMM_LEN];
	bool keeps_mappings; /* the consumer wants those of processes that end */
	bool lacks_mappings; /* the kernel does not report mappings; the user was told */

	/* read by every firing */
	struct sonde_site __rcu *entries[SONDE_CALLS];
	struct sonde_site __rcu *returns[SONDE_CALLS];
	struct sonde_site __rcu *kinds[SONDE_TAP_KIND_COUNT];
	DECLARE_BITMAP(calls, SONDE_CALLS); /* hooked for this session; under calls_lock */
	bool calls_listed; /* it is in the list of syscalls.c */
	struct list_head calls_node; /* of those */
	bool marks; /* it has marked threads for system calls */
	u32 return_taps; /* number of taps on returns, as last seen there */
	struct sonde_writer __percpu *writers; /* NULL: no buffers yet */
	const struct cred *cred; /* of the opener */
	bool privileged; /* may trace every task; else it is a member's session */
	bool unlimited; /* RLIMIT_MEMLOCK does not limit its rings */
	bool perfmon; /* may trace user functions and take samples */
	bool sees_kernel; /* both, and the kernel was not locked down */
	bool targeted; /* traces only targets; never cleared */
	bool going; /* after SONDE_GO; before, nothing fires */
	bool sees_all; /* it is going, and traces every task */
	u32 covered[SONDE_COVERED]; /* targets that it is known to trace, by number */
	struct sonde_finder *finder; /* for targets */
	struct list_head wildcards; /* of files that are followed; none is removed */
	u32 wildcard_count;
	spinlock_t wanted_lock; /* protects known_files */
	struct rb_root known_files; /* that the consumer was told of */
	DECLARE_HASHTABLE(threads, 10);
	DECLARE_HASHTABLE(reentries, 8);

	struct hlist_head spares; /* of self-> variables; under threads_lock */
	u32 spare_count;
	bool wants_spares; /* it has had taps that must not allocate */
	struct irq_work spares_low;
	struct work_struct spares_work;

	struct mutex lock; /* held during requests */
	bool greeted;
	u32 points; /* registered tracepoints, one bit each */
	struct list_head ends_node; /* of sessions that fire where threads end */
	bool sees_ends; /* it is one of them */
	u32 tap_count[SONDE_TAP_KIND_COUNT];
	struct xarray programs, probes, ecbs, taps;
	struct xarray places; /* number of taps at each place of sites.c, held ones, too */
	struct rb_root uprobes;
	u32 reenter_taps;
	u32 timers;
	u32 scratch_size;
	struct mutex rings_lock; /* protects rings, ring_count, ring_size, policy */
	long locked; /* pages of rings, charged to the user */
	long locked_most; /* pages that the user could lock when the rings were made */
	bool full; /* policy fill: recording has ended */
	u32 policy;
	u64 ring_size;
	u32 ring_count;
	struct sonde_writer **rings; /* in the order of mmap */
	atomic64_t lost; /* records that no ring counts: no ring, memory or thread */

	spinlock_t covered_lock; /* held to change covered */
	spinlock_t threads_lock; /* held to change threads, spares and reentries */

	spinlock_t events_lock; /* protects events, their counts, and data */
	struct list_head events;
	u32 event_count;
	u64 event_bytes;
	u32 events_lost;
	bool data; /* a ring is a quarter full */
	wait_queue_head_t wait;
	struct sonde_functions *functions; /* of KERNEL_* taps; NULL: none was needed yet */
	struct sonde_tracees *tracees; /* engines; NULL: none was needed yet */
	struct delayed_work patience; /* ends waits for SONDE_ACKNOWLEDGE */
	atomic_t held; /* number of threads that wait for a release */
	atomic64_t stops; /* how often one did */
	struct sonde_account *account; /* limits its memory */
	refcount_t ref; /* the open file, each task work */
	spinlock_t queued_lock; /* protects queued */
	struct list_head queued; /* task works */
	atomic_t discards; /* discarded signals that their receivers have yet to fire */
	atomic_t works; /* number that are running */
	bool over; /* task works do nothing any more */
};

/*
 * For a large variable of a firing, in kernels that zero all variables: that
 * takes 32 instructions for a firing, a fifth of what a call's tap costs. A word
 * that is forgotten would show the kernel's stack to a program. So only the four
 * firings that nearly every hit makes have it: tests/checks/uninitialized.py
 * names them, and device/words.c reads each word of theirs.
 */
#define SONDE_UNINITIALIZED __attribute__((uninitialized))

/* One firing of one probe. Native code reads and writes it. */
struct sonde_firing {
	struct sonde_session *session;
	struct sonde_writer *writer;
	struct task_struct *task; /* current */
	struct pt_regs *regs; /* of user mode; NULL: there are none */
	s64 call;
	union sonde_firing_start start;
	s64 result; /* of a system call */
	u64 text_address; /* of text 0, in user memory */
	u32 probe;
	u32 depth; /* of the user stack, plus 1; 0: not known yet */
	u64 timestamp; /* 0: not read yet; for programs that may read it */
	/* of the running program; native code initialises what it uses */
	struct sonde_record *record;
	u64 *thread_variables;
	u64 faults; /* of the record's slots */
	u64 fault_address;
	u32 used; /* bytes of the record */
	u32 faulted; /* a load faulted, and no capture has taken the fault over */
	u32 lacks; /* of the user stacks in the record: SONDE_RECORD_STACK... */
	u32 stack_bytes; /* as of the program, if that reads user memory */
	u64 args[SONDE_DIF_ARGS];
};

#endif
