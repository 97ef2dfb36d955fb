/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The utrace API: control of user threads from kernel modules.
 *
 * An engine is one tracer's hold on one thread. It asks for events; their
 * callbacks run in the traced thread itself, may sleep for memory and the
 * like, and answer with what the thread shall do next. The most constrained
 * answer of all engines is done. docs/kernel-module.md has the whole of it.
 */
#ifndef SONDE_UTRACE_H
#define SONDE_UTRACE_H

#include <linux/binfmts.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/types.h>

struct pt_regs;
struct utrace;

enum utrace_resume_action {
	UTRACE_STOP = 0,
	UTRACE_INTERRUPT = 1,
	UTRACE_REPORT = 2,
	UTRACE_SINGLESTEP = 3,
	UTRACE_BLOCKSTEP = 4,
	UTRACE_RESUME = 5,
	UTRACE_DETACH = 6,
};

#define UTRACE_RESUME_MASK 0x07

enum utrace_signal_action {
	UTRACE_SIGNAL_DELIVER = 0x00,
	UTRACE_SIGNAL_IGN = 0x10,
	UTRACE_SIGNAL_TERM = 0x20,
	UTRACE_SIGNAL_CORE = 0x30,
	UTRACE_SIGNAL_STOP = 0x40,
	UTRACE_SIGNAL_TSTP = 0x50,
	UTRACE_SIGNAL_REPORT = 0x60,
	UTRACE_SIGNAL_HANDLER = 0x70,
};

#define UTRACE_SIGNAL_MASK 0xf0
#define UTRACE_SIGNAL_HOLD 0x100

enum utrace_syscall_action {
	UTRACE_SYSCALL_RUN = 0x00,
	UTRACE_SYSCALL_ABORT = 0x10,
};

#define UTRACE_SYSCALL_MASK 0xf0
#define UTRACE_SYSCALL_RESUMED 0x100

enum utrace_events {
	_UTRACE_EVENT_QUIESCE,
	_UTRACE_EVENT_REAP,
	_UTRACE_EVENT_CLONE,
	_UTRACE_EVENT_EXEC,
	_UTRACE_EVENT_EXIT,
	_UTRACE_EVENT_DEATH,
	_UTRACE_EVENT_SYSCALL_ENTRY,
	_UTRACE_EVENT_SYSCALL_EXIT,
	_UTRACE_EVENT_SIGNAL,
	_UTRACE_EVENT_SIGNAL_IGN,
	_UTRACE_EVENT_SIGNAL_STOP,
	_UTRACE_EVENT_SIGNAL_TERM,
	_UTRACE_EVENT_SIGNAL_CORE,
	_UTRACE_EVENT_JCTL,
	_UTRACE_NEVENTS
};

#define UTRACE_EVENT(type) (1UL << _UTRACE_EVENT_##type)
#define UTRACE_EVENT_SYSCALL \
	(UTRACE_EVENT(SYSCALL_ENTRY) | UTRACE_EVENT(SYSCALL_EXIT))
#define UTRACE_EVENT_SIGNAL_ALL \
	(UTRACE_EVENT(SIGNAL) | UTRACE_EVENT(SIGNAL_IGN) | \
	 UTRACE_EVENT(SIGNAL_STOP) | UTRACE_EVENT(SIGNAL_TERM) | \
	 UTRACE_EVENT(SIGNAL_CORE))

enum utrace_attach_flags {
	UTRACE_ATTACH_MATCH_OPS = 1,
	UTRACE_ATTACH_MATCH_DATA = 2,
	UTRACE_ATTACH_EXCLUSIVE = 4,
	UTRACE_ATTACH_CREATE = 8,
};

static inline enum utrace_resume_action utrace_resume_action(u32 action)
{
	return action & UTRACE_RESUME_MASK;
}

static inline enum utrace_signal_action utrace_signal_action(u32 action)
{
	return action & UTRACE_SIGNAL_MASK;
}

static inline enum utrace_syscall_action utrace_syscall_action(u32 action)
{
	return action & UTRACE_SYSCALL_MASK;
}

struct utrace_engine;

/**
 * struct utrace_engine_ops - tracing engine callbacks
 * @report_quiesce: the thread is at a safe place; before every other event
 * @report_signal: a signal was taken off the queue and is about to act
 * @report_clone: a child was made and has not run yet
 * @report_jctl: the thread stops for, or goes on after, job control
 * @report_exec: a new program is about to start
 * @report_syscall_entry: before a system call
 * @report_syscall_exit: after a system call
 * @report_exit: the thread is exiting, all its state still lives
 * @report_death: the thread is dead
 * @report_reap: the thread was reaped; the last callback
 * @release: the last reference to the engine is gone
 */
struct utrace_engine_ops {
	u32 (*report_quiesce)(u32 action, struct utrace_engine *engine,
			      unsigned long event);
	u32 (*report_signal)(u32 action, struct utrace_engine *engine,
			     struct pt_regs *regs, kernel_siginfo_t *info,
			     const struct k_sigaction *orig_ka,
			     struct k_sigaction *return_ka);
	u32 (*report_clone)(u32 action, struct utrace_engine *engine,
			    unsigned long clone_flags,
			    struct task_struct *child);
	u32 (*report_jctl)(u32 action, struct utrace_engine *engine,
			   int type, int notify);
	u32 (*report_exec)(u32 action, struct utrace_engine *engine,
			   const struct linux_binfmt *fmt,
			   const struct linux_binprm *bprm,
			   struct pt_regs *regs);
	u32 (*report_syscall_entry)(u32 action, struct utrace_engine *engine,
				    struct pt_regs *regs);
	u32 (*report_syscall_exit)(u32 action, struct utrace_engine *engine,
				   struct pt_regs *regs);
	u32 (*report_exit)(u32 action, struct utrace_engine *engine,
			   long orig_code, long *code);
	u32 (*report_death)(struct utrace_engine *engine, bool group_dead,
			    int signal);
	void (*report_reap)(struct utrace_engine *engine,
			    struct task_struct *task);
	void (*release)(void *data);
};

/**
 * struct utrace_engine - one tracer's hold on one thread
 * @ops: the callbacks
 * @data: the tracer's own
 * @flags: events wanted; read only, changed by utrace_set_events()
 *
 * A reference to it, also to one that is detached, keeps the thread's
 * task_struct: drop it in report_death or report_reap.
 */
struct utrace_engine {
	/* public: */
	const struct utrace_engine_ops *ops;
	void *data;
	unsigned long flags;
	/* private: */
	struct utrace *utrace;
	struct list_head link;
	refcount_t ref;
	u64 seq;
	u8 resume;
	bool want_report;
	bool controlled;
	bool detached;
};

/**
 * struct utrace_examiner - what utrace_prepare_examine() notes
 * @switches: context switches of the thread so far
 */
struct utrace_examiner {
	/* private: */
	unsigned long switches;
};

struct utrace_engine *utrace_attach_task(struct task_struct *task, int flags,
					 const struct utrace_engine_ops *ops,
					 void *data);
struct utrace_engine *utrace_attach_pid(struct pid *pid, int flags,
					const struct utrace_engine_ops *ops,
					void *data);
void utrace_engine_get(struct utrace_engine *engine);
void utrace_engine_put(struct utrace_engine *engine);
int __must_check utrace_set_events(struct task_struct *task,
				   struct utrace_engine *engine,
				   unsigned long events);
int __must_check utrace_set_events_pid(struct pid *pid,
				       struct utrace_engine *engine,
				       unsigned long events);
int __must_check utrace_control(struct task_struct *task,
				struct utrace_engine *engine,
				enum utrace_resume_action action);
int __must_check utrace_control_pid(struct pid *pid,
				    struct utrace_engine *engine,
				    enum utrace_resume_action action);
int __must_check utrace_barrier(struct task_struct *task,
				struct utrace_engine *engine);
int __must_check utrace_barrier_pid(struct pid *pid,
				    struct utrace_engine *engine);
int __must_check utrace_prepare_examine(struct task_struct *task,
					struct utrace_engine *engine,
					struct utrace_examiner *exam);
int __must_check utrace_finish_examine(struct task_struct *task,
				       struct utrace_engine *engine,
				       struct utrace_examiner *exam);

#endif
