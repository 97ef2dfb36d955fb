/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Look-ups of symbols that the kernel does not export, and the hooks on its
 * functions.
 */
#ifndef SONDE_HOOKS_H
#define SONDE_HOOKS_H

#include <linux/ftrace.h>
#include <linux/sched.h>
#include <linux/task_work.h>
#include <linux/tracepoint.h>
#include <linux/types.h>

#include "kmod/arch.h"

enum sonde_hook_index {
	SONDE_HOOK_SYSCALL_ENTRY,
	SONDE_HOOK_SYSCALL_EXIT,
	SONDE_HOOK_GET_SIGNAL,
	SONDE_HOOK_DEQUEUE_SIGNAL,
	SONDE_HOOK_PREPARE_SIGNAL,
	SONDE_HOOK_SETUP_DONE,
	SONDE_HOOK_SIGNAL_STOP,
	SONDE_HOOK_NOTIFY_PARENT,
	SONDE_HOOK_EXIT,
	SONDE_HOOK_DEATH,
	SONDE_HOOK_RELEASE,
	SONDE_HOOK_NEW_TASK, /* from here on also for threads without engines */
	SONDE_HOOK_EXEC,
	SONDE_HOOK_REPLACES,
	SONDE_HOOK_BECOMES,
	SONDE_HOOK_ENDS,
	SONDE_HOOK_REGFUNC,
	SONDE_HOOK_UNREGFUNC,
	SONDE_HOOK_PROBE_ADD,
	SONDE_HOOK_PROBE_ADD_PRIO,
	SONDE_HOOK_PROBE_ADD_AGAIN,
	SONDE_HOOK_PROBE_REMOVE,
	SONDE_HOOKS
};

/* Functions and data of the kernel that are reached by look-up. */
struct sonde_kernel {
	void (*do_group_exit)(int code);
	void (*do_coredump)(const kernel_siginfo_t *info);
	struct callback_head *
	(*task_work_cancel_match)(struct task_struct *task,
				  bool (*match)(struct callback_head *head,
						void *data),
				  void *data);
	void (*user_enable_single_step)(struct task_struct *task);
	void (*user_enable_block_step)(struct task_struct *task);
	void (*user_disable_single_step)(struct task_struct *task);
	int (*is_current_pgrp_orphaned)(void);
	struct file *(*get_task_exe_file)(struct task_struct *task);
	rwlock_t *tasklist_lock;
	int *sys_tracepoint_refcount;
};

extern struct sonde_kernel sonde_kernel;

/* Bits for sonde_lacks(), for uses of hooks other than events. */
#define SONDE_CAN_ATTACH BIT(28)	/* to trace a thread at all */
#define SONDE_CAN_SHARE BIT(27)	/* to share the work bit of system calls with other users */

/*
 * Called in each thread that ends, while it still has its memory, if
 * sonde_ends_wanted is not 0. May sleep.
 */
extern void (*sonde_ends)(void);
extern int sonde_ends_wanted;

unsigned long sonde_lookup(const char *name);
unsigned long sonde_function(const char *name, const char *signature);
void *sonde_function_call(const char *name, const char *signature);
const char *sonde_lacks(unsigned long events);
const char *sonde_hook_missing(enum sonde_hook_index index);
unsigned long sonde_location(unsigned long function);
void sonde_filter_free(struct ftrace_ops *ops);
struct tracepoint *sonde_tracepoint(const char *name);
unsigned long sonde_body(enum sonde_hook_index index);

int sonde_hooks_init(void);
void sonde_hooks_found(void);
void sonde_hooks_stop(void);
void sonde_hooks_enter(void);
void sonde_hooks_leave(void);
long sonde_hooks_busy(void);

/* In tramp.S: each jumps to the target of its index; see hook_thunk_to() in hooks.c. */
#define SONDE_THUNKS 32
extern void (*const sonde_thunks[SONDE_THUNKS])(void);
extern unsigned long sonde_thunk_targets[SONDE_THUNKS];

/* In tramp.S: call the body of a hooked function. */
void sonde_call_body(unsigned long body, unsigned long argument);
unsigned long sonde_call_body_of(unsigned long body, struct sonde_args *args);

#define TRAMPOLINE(name) \
	void sonde_tramp_##name(void); \
	unsigned long sonde_hook_##name(struct sonde_args *args)
#include "kmod/core/trampolines.h"
#undef TRAMPOLINE

/* Decisions of the ftrace handler, called with preemption off. */
bool sonde_wants_probe(const struct tracepoint *tp);
bool sonde_wants_dequeue(const struct sonde_args *args);
bool sonde_wants_release(struct task_struct *task);
void sonde_prepare_signal(int signr, struct task_struct *task);
void sonde_notifies_parent(struct task_struct *task, bool for_ptracer, int why);

#endif
