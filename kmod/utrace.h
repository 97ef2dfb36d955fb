/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The utrace API: control of user threads from kernel modules.
 *
 * An engine is one tracer's hold on one thread. It asks for events; their
 * callbacks run in the traced thread itself, may sleep (for memory, for
 * example), and return what the thread shall do next. The most restrictive
 * answer of all engines wins. docs/kernel-module.md describes the API in full.
 */
#ifndef SONDE_UTRACE_H
#define SONDE_UTRACE_H

#include <linux/binfmts.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/types.h>

/* Relative to this file: modules outside of this tree include this header. */
#include "shared/utrace_actions.h"

struct pt_regs;
struct utrace;

#define UTRACE_EVENT(type) ((unsigned long)UTRACE_EVENT_##type)

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
 * @report_quiesce: the thread is at a safe point; also before every other event
 * @report_signal: a signal was dequeued and is about to take effect
 * @report_clone: a child was created and has not run yet
 * @report_jctl: the thread stops for job control, or continues after it
 * @report_exec: a new program is about to start
 * @report_syscall_entry: before a system call
 * @report_syscall_exit: after a system call
 * @report_exit: the thread is exiting; all its state still exists
 * @report_death: the thread is dead
 * @report_reap: the thread was reaped; the last callback
 * @release: the last reference to the engine was dropped
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
 * @data: private to the tracer
 * @flags: the requested events; read-only, utrace_set_events() changes them
 *
 * A reference to an engine, even a detached one, keeps the thread's
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
 * struct utrace_examiner - filled in by utrace_prepare_examine()
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
