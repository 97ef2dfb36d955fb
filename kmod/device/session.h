/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: what one open /dev/sonde has made
 *
 *   device.c    requests, events, the file
 *   programs.c  programs and ECBs
 *   list.c      what firings run through while it changes: ECBs, taps
 *   targets.c   which tasks are traced
 *   buffer.c    the rings, one a CPU
 *   writer.h    their writing end, inlined into the firing
 *   taps.c      taps that stand on tracepoints
 *   calls.c     system calls: what is hooked for their taps
 *   uprobe.c    taps in user programs
 *   reenter.c   arrivals at a function that are no entries
 *   timer.c     taps that a timer fires
 *   mappings.c  what programs map
 *   fire.c      a firing: ECBs, DIF's environment; fire.h, what is inlined of it
 *   jit.c       programs as native code; jit_calls.c, what that calls
 *   unwind.c    user stacks
 *   kernel.c    kernel memory and stacks
 *   slow.c      a firing that may sleep
 *   hold.c      held taps: engines of the utrace core
 *   release.c   what the consumer says of held threads
 *   works.c     what a thread does before it returns to user mode
 *   status.c    /proc/sonde
 *
 *   hook --> site (what is armed there) --> probe --> ECBs --> DIF --> ring
 *
 * What a firing reads (sites, ECB lists, targets) is replaced whole, under
 * session->lock, and freed by RCU: a firing runs with preemption off and takes
 * no lock. Programs and probes live as long as the session.
 *
 * Locks: session->lock (mutex) > cpu hotplug > sessions_lock (of the list of all
 * sessions) > rings_lock; covered_lock, threads_lock and events_lock are leaves
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

/* What a program must find ready when it runs. */
enum sonde_need {
	SONDE_NEED_ARGS = 1,
	SONDE_NEED_STACK_ARGS = 2, /* arg6 or later */
	SONDE_NEED_LOCALS = 4,
	SONDE_NEED_THREAD = 8, /* its thread variables */
	SONDE_NEED_USER = 16, /* user memory, which may be absent */
	SONDE_NEED_CARE = 32, /* it stores in variables */
	SONDE_NEED_TIME = 64,
	SONDE_NEED_EACH = 128, /* of a list: there are several */
};

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

struct sonde_uprobe;
struct sonde_uprobe_file;
struct sonde_timer;
struct sonde_grip;
struct sonde_grips;

struct sonde_armed {
	struct sonde_tap tap;
	struct sonde_probe *probe;
	struct sonde_session *session;
	bool held; /* by engines: its probe has ECBs that hold */
	struct list_head gone; /* of those that are being disarmed */
	struct sonde_timer *timer; /* of PROFILE and TICK */
	/* of a user tap */
	bool judged; /* what it does is decided when it is reached */
	union sonde_firing_start start; /* of its firings */
	struct sonde_uprobe *uprobe; /* NULL: never fires */
	struct sonde_armed __rcu *next; /* at the same uprobe */
};

/* The file of a user tap, and of those behind it that name none. */
struct sonde_uprobe_file {
	struct file *file; /* NULL: none */
	struct inode *inode;
	char *path;
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
	DECLARE_BITMAP(calls, SONDE_CALLS); /* hooked for it; under calls.c's lock */
	bool calls_listed; /* the hooks of calls.c look at it */
	struct list_head calls_node; /* of those */
	bool marks; /* it has marked threads for them */
	u32 return_taps; /* that they know of */
	struct sonde_writer __percpu *writers; /* NULL: no buffers yet */
	const struct cred *cred; /* who opened it */
	bool privileged; /* may trace every task; else it is a member's */
	bool unlimited; /* its rings are not bound by RLIMIT_MEMLOCK */
	bool perfmon; /* may have user functions and samples */
	bool sees_kernel; /* may have programs that do */
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
	struct sonde_grips *grips; /* engines; NULL: none was ever needed */
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

/* A task work. */
struct sonde_work {
	struct callback_head head;
	struct sonde_session *session;
	void (*run)(struct sonde_work *work, bool over);
};

/* A thread that waits for memory which somebody else must bring. */
struct sonde_pause {
	struct list_head node; /* of all that do */
	u32 pid;
};

#define SONDE_BAD_MAX 8u

/* A firing that may sleep, and be held by its ECBs. */
struct sonde_slow {
	struct list_head node; /* of those that wait in a grip, or behind another */
	struct list_head behind; /* put off later, by the same thread */
	struct sonde_work work;
	struct sonde_firing firing;
	struct pt_regs regs; /* as they were then */
	struct sonde_probe *probe;
	u32 last_epid; /* ECBs up to this one have run */
	bool timed; /* an ECB is recorded: the others get its time */
	u32 left; /* attempts that may still be made */
	u32 bad_count;
	u64 bad[SONDE_BAD_MAX]; /* addresses where nothing is */
	u64 locals[SONDE_DIF_LOCALS]; /* as the ECBs left them */
};

/* buffer.c */
int sonde_buffers_create(struct sonde_session *session, u64 bytes, u32 policy,
			 char *why);
void sonde_buffers_cpu_up(struct sonde_session *session, unsigned int cpu);
int sonde_buffers_scratch(struct sonde_session *session, u32 bytes);
void sonde_buffers_destroy(struct sonde_session *session);
int sonde_buffers_mmap(struct sonde_session *session,
		       struct vm_area_struct *vma);
void sonde_buffers_count(struct sonde_session *session,
			 struct sonde_statistics *statistics);
void sonde_writer_refuse(struct sonde_session *session,
			 struct sonde_writer *writer, u32 records);
struct sonde_record *sonde_writer_make_room(struct sonde_writer *writer,
					    u32 bytes);
void sonde_writer_put(struct sonde_writer *writer, u32 bytes);
void sonde_writer_wake(struct sonde_writer *writer);
void sonde_writer_drop(struct sonde_writer *writer, u64 records);

/* fire.c */
void sonde_fire_init(void);
void sonde_fire(struct sonde_firing *firing, struct sonde_probe *probe);
bool sonde_fire_site(struct sonde_firing *firing,
		     const struct sonde_site *site);
void sonde_lose_probe(struct sonde_session *session,
		      const struct sonde_probe *probe);
void sonde_lose_site(struct sonde_session *session,
		     const struct sonde_site *site, struct task_struct *task);
int sonde_read_user(u64 address, void *to, u32 length);
void sonde_thread_forget(struct sonde_session *session,
			 struct task_struct *task);
void sonde_threads_destroy(struct sonde_session *session);

/* slow.c */
void sonde_note_absent(u64 address, u32 length, bool text);
void sonde_run_late(void);
void sonde_fire_behind(struct sonde_firing *firing, struct sonde_probe *probe);
bool sonde_fire_slow(struct sonde_slow *slow, struct sonde_grip *grip);

/* hold.c */
int sonde_holds_update(struct sonde_session *session);
void sonde_hold_user(struct sonde_armed *armed, struct sonde_firing *firing);
bool sonde_hold_mapped(struct sonde_session *session);
void sonde_hold_unmapped(struct sonde_session *session);
void sonde_hold_newborn(struct sonde_session *session, struct task_struct *task);
void sonde_grip_hold(struct sonde_grip *grip, bool held);
bool sonde_grip_pauses(struct sonde_grip *grip, struct sonde_pause *pause);
bool sonde_grip_resumes(struct sonde_grip *grip, struct sonde_pause *pause);
int sonde_hold_release(struct sonde_session *session, u32 tid, u64 how,
		       char *why);
int sonde_hold_seen(struct sonde_session *session, u32 tid, char *why);
int sonde_hold_pause(struct sonde_session *session, u64 pid, bool pause,
		     char *why);
void sonde_holds_forget(struct sonde_session *session, u32 pid);
void sonde_holds_destroy(struct sonde_session *session);

/* programs.c */
struct sonde_probe *sonde_probe_get(struct sonde_session *session, u32 id);
int sonde_program_load(struct sonde_session *session, u32 id, const void *bytes,
		       u64 length, char *why);
int sonde_ecbs_add(struct sonde_session *session, void *bytes, u64 length,
		   char *why);
int sonde_ecbs_remove(struct sonde_session *session, const void *bytes,
		      u64 length, char *why);
void sonde_programs_destroy(struct sonde_session *session);

/* taps.c */
void sonde_taps_init(void);
int sonde_exit_status(void);
int sonde_points_update(struct sonde_session *session, char *why);
int sonde_taps_rehold(struct sonde_session *session, char *why);
int sonde_taps_arm(struct sonde_session *session, u64 count, const void *bytes,
		   u64 length, char *why);
int sonde_taps_disarm(struct sonde_session *session, const void *bytes,
		      u64 length, char *why);
void sonde_taps_destroy(struct sonde_session *session);

/* calls.c */
void sonde_calls_init(void);
bool sonde_calls_see_compat(void);
int sonde_calls_update(struct sonde_session *session, char *why);
void sonde_calls_destroy(struct sonde_session *session);
void sonde_calls_show(struct seq_file *to);
void sonde_calls_mark(struct task_struct *task);
bool sonde_calls_want_newborns(struct sonde_session *session);
void sonde_call_newborn(struct sonde_session *session);
void sonde_calls_lose_newborn(struct sonde_session *session,
			      struct task_struct *task);
void sonde_calls_mark_process(struct sonde_session *session,
			      struct task_struct *leader);

/* calls.c and tramp.S, to each other */
extern long sonde_call_everyone;
void sonde_tramp_call_by_name(void);
void sonde_tramp_call_of_all(void);
void sonde_tramp_call_of_compat(void);
void sonde_call_by_name(struct pt_regs *regs);
void sonde_call_of_all(struct pt_regs *regs);
void sonde_call_of_compat(struct pt_regs *regs);

/* targets.c */
int sonde_targets_init(struct sonde_session *session);
int sonde_target_add(struct sonde_session *session, u64 pid, char *why);
int sonde_target_remove(struct sonde_session *session, u64 pid, char *why);
int sonde_target_follow(struct sonde_session *session, u64 pid, char *why);
bool sonde_target_followed(struct sonde_session *session, u32 pid);
bool sonde_covers_target(struct sonde_session *session,
			 struct task_struct *task);
bool sonde_has_target(struct sonde_session *session, u32 pid);
void sonde_targets_changed(struct sonde_session *session);
void sonde_targets_end(struct sonde_session *session);
void sonde_targets_destroy(struct sonde_session *session);

/* mappings.c */
void sonde_mappings_image(void *data, const struct vm_area_struct *vma);
void sonde_mappings_end(void *data);
void sonde_mappings_missed(void *data, unsigned int count);
int sonde_mappings_follow(struct sonde_session *session);

/* works.c */
void sonde_session_put(struct sonde_session *session);
int sonde_work_queue(struct sonde_work *work, struct sonde_session *session,
		     struct task_struct *task);
struct sonde_work *sonde_work_take(struct sonde_session *session,
				   void (*run)(struct sonde_work *, bool));
void sonde_pause_begin(struct sonde_pause *pause);
void sonde_pause_end(struct sonde_pause *pause);
void sonde_work_pauses(struct sonde_pause *pause,
		       struct sonde_session *session);
bool sonde_work_resumes(struct sonde_pause *pause,
			struct sonde_session *session);
void sonde_pauses_show(struct seq_file *to);
void sonde_works_run(void (*run)(struct sonde_work *work, bool over));
void sonde_works_end(struct sonde_session *session);

/* kernel.c */
void sonde_kernel_init(void);
int sonde_kernel_check(struct sonde_session *session, char *why);

/* status.c */
int sonde_status_init(void);
void sonde_status_exit(void);

/* jit.c */
void sonde_jit_compile(struct sonde_program *program);
void sonde_jit_free(struct sonde_program *program);

/* uprobe.c */
void sonde_uprobes_init(void);
int sonde_uprobe_open(struct sonde_session *session, const char *path,
		      u32 length, struct sonde_uprobe_file *file, char *why);
void sonde_uprobe_close(struct sonde_uprobe_file *file);
int sonde_uprobe_arm(struct sonde_armed *armed,
		     const struct sonde_uprobe_file *file, char *why);
void sonde_uprobe_disarm(struct sonde_armed *armed);
void sonde_uprobe_free(struct sonde_armed *armed);
void sonde_uprobes_wait(void);
int sonde_uprobes_retarget(struct sonde_session *session, char *why);

/* reenter.c */
void sonde_reenter_note(struct sonde_session *session, u32 probe, u64 entry,
			u64 sp);
bool sonde_reenter_take(struct sonde_session *session, u32 probe, u64 entry,
			u64 sp);
void sonde_reenter_forget(struct sonde_session *session,
			  struct task_struct *task);
void sonde_reenter_destroy(struct sonde_session *session);

/* timer.c */
DECLARE_PER_CPU(bool, sonde_sampling);
int sonde_timers_init(void);
void sonde_timers_exit(void);
int sonde_timer_arm(struct sonde_armed *armed, char *why);
void sonde_timer_disarm(struct sonde_armed *armed);

/* Does the session trace this task now? Preemption is off; the task is the
 * current one, or cannot go away.
 */
static __always_inline bool sonde_covers(struct sonde_session *session,
					 struct task_struct *task)
{
	return likely(READ_ONCE(session->sees_all)) ||
	       READ_ONCE(session->covered[task->tgid % SONDE_COVERED]) ==
		       task->tgid ||
	       sonde_covers_target(session, task);
}

/* device.c */
void sonde_sessions_show(struct seq_file *to);
void sonde_event(struct sonde_session *session, u32 kind, u32 pid, u64 value);
bool sonde_event_text(struct sonde_session *session,
		      const struct sonde_event *event, const char *text);
void sonde_events_lose(struct sonde_session *session, u32 count);
void sonde_event_wake(struct sonde_session *session);
bool sonde_may_access(struct task_struct *task);

#endif
