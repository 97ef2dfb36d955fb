// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks on system calls
 *
 *   by name   the function of the call, by an ftrace direct call. Other calls
 *             cost nothing more.
 *   of all    the function of all calls, if the kernel has it: one hook for every call,
 *             used when many are needed at once
 *   tracepoint  sys_enter, which puts every task of the machine on the slow path:
 *             used if direct calls are not possible
 *   compat    the function of all calls of 32-bit code, if the kernel has it:
 *             hooked while any call is needed; 64-bit code does not come
 *             there
 *
 * A number that sessions need is hooked in one of these ways, and in this way
 * until it is not needed any more. So no call fires twice, and none is missed
 * while other taps come and go. Numbers that are requested together share one
 * ftrace_ops, a batch, which is removed when none of them is needed.
 *
 * A number without a call in this kernel is not hooked by name; the other hooks
 * see attempts to call it.
 *
 * Locks: the callers hold calls_lock (syscall_taps.c).
 */
#include <linux/bitmap.h>
#include <linux/ftrace.h>
#include <linux/moduleparam.h>
#include <linux/tracepoint.h>
#include <asm/unistd.h>

#include "kmod/arch.h"
#include "kmod/compat.h"
#include "kmod/compat_direct.h"
#include "kmod/core/hooks.h"
#include "kmod/core/memory.h"
#include "kmod/device/session.h"
#include "kmod/device/syscall_hooks.h"
#include "kmod/device/syscalls.h"

#define FEW 48u /* functions: if more are needed, all are hooked together where possible */

/* The functions that one ftrace_ops hooks. */
struct batch {
	struct list_head node;
	struct ftrace_ops ops;
	DECLARE_BITMAP(numbers, SONDE_CALLS);
};

static bool direct_calls = true;
module_param(direct_calls, bool, 0644);
MODULE_PARM_DESC(direct_calls,
		 "hook system calls by ftrace direct calls; else by tracepoint");

u8 sonde_syscall_hook_of[SONDE_CALLS];
bool sonde_syscall_compat_hooked;

static u32 users[SONDE_CALLS]; /* number of sessions that need each number */
static LIST_HEAD(batches);
static struct batch *all __maybe_unused; /* the batch on all_calls */
static struct batch *compat __maybe_unused; /* the batch on compat_entry */
static bool on_tracepoint;

static unsigned long *call_table __ro_after_init; /* the kernel's */
/* Its entry for numbers without a call. */
static unsigned long no_call __ro_after_init;
/* Addresses of SONDE_NAME_ALL_CALLS, SONDE_NAME_COMPAT_CALLS; 0: the kernel has none. */
static unsigned long all_calls __ro_after_init;
static unsigned long compat_entry __ro_after_init;
static struct tracepoint *enter_point __ro_after_init;

#ifdef SONDE_DIRECT_CALLS

static unsigned long call_trampoline_of(const struct batch *batch)
{
	return (unsigned long)(batch == all ? sonde_tramp_syscall_of_all :
			       batch == compat ? sonde_tramp_syscall_of_compat :
						 sonde_tramp_syscall_by_name);
}

/* Return: 0 if the kernel has no such call. */
static unsigned long call_location_of_call(u32 number)
{
	if (number >= NR_syscalls || number >= SONDE_NATIVE_CALLS ||
	    call_table[number] == no_call)
		return 0;
	return sonde_location(call_table[number]);
}

static int call_start(struct batch *batch)
{
	return sonde_direct_register(&batch->ops, call_trampoline_of(batch));
}

static void call_drop(struct batch *batch)
{
	ftrace_free_filter(&batch->ops);
	sonde_free(batch);
}

/* Makes the batch @at, which hooks only the function at @ip. */
static int call_start_at(struct batch **at, unsigned long ip)
{
	struct batch *batch = sonde_alloc(SONDE_MEMORY_HOOKS, sizeof(*batch));
	int err;

	if (!batch)
		return -ENOMEM;
	*at = batch; /* for call_trampoline_of() */
	INIT_LIST_HEAD(&batch->node);
	err = ftrace_set_filter_ip(&batch->ops, ip, 0, 0);
	if (!err)
		err = call_start(batch);
	if (!err)
		return 0;
	call_drop(batch);
	*at = NULL;
	return err;
}

static void call_stop(struct batch *batch)
{
	sonde_direct_unregister(&batch->ops, call_trampoline_of(batch));
	list_del(&batch->node);
	if (batch == all)
		all = NULL;
	else if (batch == compat)
		compat = NULL;
	sonde_free(batch);
}

/*
 * Hooks or unhooks all calls of 32-bit code: 64-bit programs pay nothing for
 * this. If it fails, these calls are not seen, as on kernels without that
 * function.
 */
void sonde_syscall_hooks_compat(bool wanted)
{
	if (!compat_entry || wanted == sonde_syscall_compat_hooked)
		return;
	if (!wanted) {
		WRITE_ONCE(sonde_syscall_compat_hooked, false);
		call_stop(compat);
	} else if (READ_ONCE(direct_calls)) { /* else: the tracepoint sees them */
		WRITE_ONCE(sonde_syscall_compat_hooked,
			   !call_start_at(&compat, compat_entry));
	}
}

static int call_hook_all(void)
{
	int err;

	if (all)
		return 0;
	err = call_start_at(&all, all_calls);
	if (!err)
		list_add(&all->node, &batches);
	return err;
}

static int call_hook_by_name(const unsigned long *numbers)
{
	unsigned int number;
	struct batch *batch;
	bool any = false;
	int err = 0;

	if (!call_table)
		return -EOPNOTSUPP;
	batch = sonde_alloc(SONDE_MEMORY_HOOKS, sizeof(*batch));
	if (!batch)
		return -ENOMEM;
	for_each_set_bit(number, numbers, SONDE_CALLS) {
		unsigned long ip = call_location_of_call(number);

		if (!ip)
			continue;
		any = true;
		err = ftrace_set_filter_ip(&batch->ops, ip, 0, 0);
		if (err)
			break;
	}
	bitmap_copy(batch->numbers, numbers, SONDE_CALLS);
	if (any && !err)
		err = call_start(batch);
	if (any && !err)
		list_add(&batch->node, &batches);
	else
		call_drop(batch);
	return err;
}

static void call_stop_idle(void)
{
	struct batch *batch, *next;
	unsigned int number;

	list_for_each_entry_safe(batch, next, &batches, node) {
		bool idle = true;

		for_each_set_bit(number, batch->numbers, SONDE_CALLS)
			idle &= !users[number];
		if (!idle)
			continue;
		for_each_set_bit(number, batch->numbers, SONDE_CALLS)
			WRITE_ONCE(sonde_syscall_hook_of[number],
				   SONDE_SYSCALL_UNHOOKED);
		call_stop(batch);
	}
}

static int call_hook_directly(unsigned long *numbers,
			      enum sonde_syscall_hook *hook)
{
	int err;

	if (!READ_ONCE(direct_calls))
		return -EOPNOTSUPP;
	*hook = SONDE_SYSCALL_OF_ALL;
	if (all_calls && (all || bitmap_weight(numbers, SONDE_CALLS) > FEW)) {
		err = call_hook_all();
		if (err != -EBUSY)
			return err;
	}
	*hook = SONDE_SYSCALL_BY_NAME;
	return call_hook_by_name(numbers);
}

static void call_own(const unsigned long *numbers)
{
	if (all)
		bitmap_or(all->numbers, all->numbers, numbers, SONDE_CALLS);
}

#else /* no direct calls */

void sonde_syscall_hooks_compat(bool wanted)
{
}

static void call_stop_idle(void)
{
}

static int call_hook_directly(unsigned long *numbers,
			      enum sonde_syscall_hook *hook)
{
	return -EOPNOTSUPP;
}

static void call_own(const unsigned long *numbers)
{
}

#endif

static int call_hook_tracepoint(void)
{
	int err = -EOPNOTSUPP;

	if (on_tracepoint)
		return 0;
	if (enter_point)
		err = tracepoint_probe_register(enter_point,
						sonde_syscall_probe_enter,
						NULL);
	on_tracepoint = !err;
	return err;
}

static void call_stop_idle_tracepoint(void)
{
	bool wanted = false;
	u32 number;

	for (number = 0; number < SONDE_CALLS; number++) {
		if ((sonde_syscall_hook_of[number] & ~SONDE_SYSCALL_EXEC) !=
		    SONDE_SYSCALL_TRACEPOINT)
			continue;
		if (users[number])
			wanted = true;
		else
			WRITE_ONCE(sonde_syscall_hook_of[number],
				   SONDE_SYSCALL_UNHOOKED);
	}
	if (wanted || !on_tracepoint)
		return;
	tracepoint_probe_unregister(enter_point, sonde_syscall_probe_enter,
				    NULL);
	on_tracepoint = false;
}

/* Hooks those of @numbers that are not hooked yet. */
static int call_hook(unsigned long *numbers)
{
	enum sonde_syscall_hook hook = SONDE_SYSCALL_UNHOOKED;
	unsigned int number;
	int err;

	for_each_set_bit(number, numbers, SONDE_CALLS)
		if (sonde_syscall_hook_of[number] != SONDE_SYSCALL_UNHOOKED)
			__clear_bit(number, numbers);
	if (bitmap_empty(numbers, SONDE_CALLS))
		return 0;
	err = call_hook_directly(numbers, &hook);
	if (err && err != -ENOMEM) {
		hook = SONDE_SYSCALL_TRACEPOINT;
		err = call_hook_tracepoint();
	}
	if (err)
		return err;
	if (hook == SONDE_SYSCALL_OF_ALL)
		call_own(numbers);
	for_each_set_bit(number, numbers, SONDE_CALLS)
		WRITE_ONCE(sonde_syscall_hook_of[number],
			   SONDE_IS_EXEC(number) ? hook | SONDE_SYSCALL_EXEC :
						   hook);
	return 0;
}

static void call_unhook_idle(void)
{
	call_stop_idle();
	call_stop_idle_tracepoint();
}

/* Hooks the numbers that @session newly needs. Return: 0; otherwise nothing has changed. */
int sonde_syscall_hooks_take(struct sonde_session *session,
			     const unsigned long *wanted)
{
	DECLARE_BITMAP(fresh, SONDE_CALLS);
	unsigned int number;
	int err;

	bitmap_andnot(fresh, wanted, session->calls, SONDE_CALLS);
	err = call_hook(fresh);
	if (err)
		return err;
	bitmap_andnot(fresh, wanted, session->calls, SONDE_CALLS);
	for_each_set_bit(number, fresh, SONDE_CALLS)
		users[number]++;
	bitmap_or(session->calls, session->calls, fresh, SONDE_CALLS);
	return 0;
}

/* @session now needs only @wanted: unhooks the numbers that no session needs any more. */
void sonde_syscall_hooks_give_back(struct sonde_session *session,
				   const unsigned long *wanted)
{
	DECLARE_BITMAP(gone, SONDE_CALLS);
	unsigned int number;

	bitmap_andnot(gone, session->calls, wanted, SONDE_CALLS);
	for_each_set_bit(number, gone, SONDE_CALLS)
		users[number]--;
	bitmap_and(session->calls, session->calls, wanted, SONDE_CALLS);
	if (!bitmap_empty(gone, SONDE_CALLS))
		call_unhook_idle();
}

/* Whether every task of the machine is on the slow path. */
bool sonde_syscall_hooks_slow_all(void)
{
	return on_tracepoint;
}

/**
 * sonde_syscalls_see_compat() - whether calls of 32-bit code are seen
 *
 * Context: Any.
 */
bool sonde_syscalls_see_compat(void)
{
#ifdef SONDE_DIRECT_CALLS
	return IS_ENABLED(CONFIG_IA32_EMULATION) && compat_entry;
#else
	return IS_ENABLED(CONFIG_IA32_EMULATION);
#endif
}

/**
 * sonde_syscalls_init() - look up the functions that are hooked
 *
 * Context: Process context, module load.
 */
void sonde_syscalls_init(void)
{
	static const char all_type[] =
		"long int(struct pt_regs *, unsigned int)";
	unsigned long address = sonde_function(SONDE_NAME_ALL_CALLS, all_type);

#ifdef SONDE_DIRECT_CALLS
	BUILD_BUG_ON(offsetof(struct task_struct, thread_info.syscall_work) !=
		     SONDE_TASK_SYSCALL_WORK);
#endif
	enter_point = sonde_tracepoint("sys_enter");
	/* all calls have the same type */
	if (sonde_function(SONDE_NAME_OF_CALL("read"),
			   "long int(struct pt_regs *)"))
		call_table = (unsigned long *)sonde_lookup("sys_call_table");
	no_call = sonde_lookup(SONDE_NAME_OF_CALL("ni_syscall"));
	all_calls = address ? sonde_location(address) : 0;
	address = sonde_function(SONDE_NAME_COMPAT_CALLS, all_type);
	compat_entry = address ? sonde_location(address) : 0;
}
