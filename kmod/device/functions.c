// SPDX-License-Identifier: GPL-2.0
/*
 * Taps on functions of the kernel
 *
 * A session has one ftrace_ops, whose filter has the functions of all its taps:
 * arming a thousand of them changes the kernel's text once. Its handler finds
 * the taps in a table by the address that ftrace calls from; the table is
 * replaced as a whole. ftrace decides which functions can be traced, so an
 * address is only believed if ftrace has a call there.
 *
 *   function --> ftrace --> handler --> table --> entry taps: fire
 *                              `------> return taps: returns.c
 *
 * A function may run under any lock and in any context. So a firing is as that
 * of a tracepoint (named.c): it takes no lock that the kernel could hold, wakes
 * nobody and waits for nothing. It is of the whole machine.
 *
 * What a firing itself calls does not fire: in each context of a CPU (task,
 * softirq, interrupt) at most one firing runs, and the calls in it are the
 * tracer's own, not the machine's. They are not counted as drops, or each
 * firing of a tap on ktime_get() would count one. Calls that are the machine's
 * and cannot fire are counted: in NMIs, where RCU is not watching, and in an
 * interrupt that hits a firing of the same session.
 */
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "kmod/arch.h"
#include "kmod/compat.h"
#include "kmod/compat_function.h"
#include "kmod/core/hooks.h"
#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/fire.h"
#include "kmod/device/functions.h"
#include "kmod/device/kernel.h"
#include "kmod/device/named.h"
#include "kmod/device/session.h"
#include "kmod/device/spares.h"
#include "kmod/device/tap.h"

#define SHOWN_MAX 80 /* bytes of a function's name in a message */
#define STACK_ARGUMENTS (SONDE_DIF_ARGS - 6)

/* A tap; ip 0: none. The taps of a function are in adjacent places. */
struct function_place {
	unsigned long ip;
	struct sonde_armed *armed;
};

struct function_table {
	u32 mask;
	struct function_place places[]; /* at least one is empty */
};

struct sonde_functions {
	struct ftrace_ops ops;
	struct sonde_session *session;
	struct function_table __rcu *table;
	struct rethook *returns; /* NULL: no tap has needed it yet */
	u32 taps;
	bool changed; /* the table and the filter are not those of the taps */
	bool registered;
};

DEFINE_PER_CPU(u32, sonde_holding);

enum { IN_TASK = 1, IN_SOFTIRQ = 2, IN_HARDIRQ = 4 };

/* The contexts of this CPU in which a firing runs. */
static DEFINE_PER_CPU(u8, firing_contexts);

static u8 function_context(void)
{
	if (hardirq_count())
		return IN_HARDIRQ;
	return in_serving_softirq() ? IN_SOFTIRQ : IN_TASK;
}

/* Whether a firing of another tap, such as that of a system call, has made the call. */
static bool function_is_firing(const struct sonde_session *session)
{
	const struct sonde_writer *writer;

	if (!session->writers)
		return false;
	writer = this_cpu_ptr(session->writers);
	return writer->busy && writer->ring;
}

/*
 * Begins a firing, with preemption off. Return: the context, or 0: it is the
 * tracer's own call. An interrupt that finds a firing has hit it.
 */
static u8 function_begin(const struct sonde_session *session)
{
	u8 context = function_context();

	if (this_cpu_read(firing_contexts) & context ||
	    this_cpu_read(sonde_holding) ||
	    (context == IN_TASK && function_is_firing(session)))
		return 0;
	this_cpu_or(firing_contexts, context);
	return context;
}

static void function_end(u8 context)
{
	this_cpu_and(firing_contexts, ~context);
}

/* Whether programs may run here; if not, their records are lost. */
static bool function_may_fire(struct sonde_session *session)
{
	if (likely(!in_nmi() && rcu_is_watching()))
		return true;
	atomic64_inc(&session->lost);
	return false;
}

static u32 function_hash(unsigned long ip)
{
	return hash_64(ip, 32);
}

/* The next tap at @ip, from place @n on, which becomes the one after it; or NULL. */
static struct sonde_armed *function_next(const struct function_table *table,
					 unsigned long ip, u32 *n)
{
	const struct function_place *place;

	for (;;) {
		place = &table->places[(*n)++ & table->mask];
		if (place->ip == ip)
			return place->armed;
		if (!place->ip)
			return NULL;
	}
}

static void function_fire(struct sonde_armed *armed, struct sonde_firing *firing,
			  const struct sonde_origin *origin)
{
	struct sonde_origin *here = this_cpu_ptr(&sonde_origin);
	struct sonde_origin before = *here;

	*here = *origin;
	here->firing = firing;
	firing->session = armed->session;
	firing->task = current;
	firing->call = -1;
	if (current->mm && !(current->flags & PF_KTHREAD))
		firing->regs = task_pt_regs(current);
	sonde_fire_under_locks(firing, armed->probe);
	*here = before;
}

/* @regs: at the function's first instruction. */
static void function_fetch_arguments(struct pt_regs *regs, u64 *args)
{
	u64 address = sonde_stack_arguments(regs);

	sonde_fetch_registers(regs, false, args);
	if (sonde_read_kernel(address, &args[6], STACK_ARGUMENTS * sizeof(u64)))
		memset(&args[6], 0, STACK_ARGUMENTS * sizeof(u64));
}

/* There is no node for a call whose return would fire. */
static void function_lose_returns(const struct function_table *table,
				  unsigned long ip)
{
	u32 n = function_hash(ip);
	struct sonde_armed *armed;

	while ((armed = function_next(table, ip, &n)))
		if (armed->tap.kind == SONDE_TAP_KERNEL_RETURN)
			sonde_lose_probe(armed->session, armed->probe);
}

static void function_entered(struct sonde_functions *functions,
			     unsigned long ip, struct pt_regs *regs)
{
	const struct function_table *table =
		rcu_dereference_sched(functions->table);
	u32 n = function_hash(ip);
	struct sonde_armed *armed;
	bool returns = false;

	while (table && (armed = function_next(table, ip, &n))) {
		struct sonde_firing firing = {};
		struct pt_regs entry;
		struct sonde_origin origin = { .regs = &entry };

		if (armed->tap.kind == SONDE_TAP_KERNEL_RETURN) {
			returns = true;
			continue;
		}
		function_fetch_arguments(regs, firing.args);
		sonde_set_entry(&entry, regs, armed->tap.offset);
		function_fire(armed, &firing, &origin);
	}
	if (returns && !sonde_returns_hook(functions->returns, ip, regs))
		function_lose_returns(table, ip);
}

static notrace void function_handle(unsigned long ip, unsigned long parent_ip,
				    struct ftrace_ops *ops,
				    SONDE_FTRACE_REGS *fregs)
{
	struct sonde_functions *functions =
		container_of(ops, struct sonde_functions, ops);
	u8 context;

	if (!READ_ONCE(functions->session->going))
		return;
	preempt_disable_notrace();
	if (function_may_fire(functions->session)) {
		context = function_begin(functions->session);
		if (context) {
			function_entered(functions, ip, sonde_fregs(fregs));
			function_end(context);
		}
	}
	preempt_enable_notrace();
}

/* The taps on the return of a function; @regs: those of its caller, at the return. */
static void function_leave(struct sonde_functions *functions, unsigned long ip,
			   struct pt_regs *regs)
{
	const struct function_table *table =
		rcu_dereference_sched(functions->table);
	u32 n = function_hash(ip);
	struct sonde_armed *armed;

	while (table && (armed = function_next(table, ip, &n))) {
		const struct sonde_origin origin = {
			.function = armed->tap.offset,
			.regs = regs,
		};
		struct sonde_firing firing = {};

		if (armed->tap.kind != SONDE_TAP_KERNEL_RETURN)
			continue;
		sonde_leave_args(firing.args, ~0ull,
				 sonde_function_result(regs));
		function_fire(armed, &firing, &origin);
	}
}

/**
 * sonde_function_returned() - fire the taps on the return of a function
 * @session: of the taps
 * @ip: where ftrace calls from in the function
 * @regs: of the caller, after the return
 *
 * Context: Any; preemption is off.
 */
void sonde_function_returned(struct sonde_session *session, unsigned long ip,
			     struct pt_regs *regs)
{
	u8 context;

	if (!function_may_fire(session))
		return;
	context = function_begin(session);
	if (!context)
		return;
	function_leave(session->functions, ip, regs);
	function_end(context);
}

static int function_check(struct sonde_session *session,
			  const struct sonde_tap *tap, char *why)
{
	if (!session->sees_kernel)
		return sonde_refuse(why, -EPERM,
				    "functions of the kernel show kernel memory: they need root, or CAP_PERFMON and CAP_SYS_PTRACE");
	return tap->kind == SONDE_TAP_KERNEL_RETURN ?
		       sonde_returns_check(why) : 0;
}

static struct sonde_functions *function_of(struct sonde_session *session)
{
	struct sonde_functions *functions = session->functions;

	if (functions)
		return functions;
	functions = sonde_alloc_within(&session->account->requested,
				       SONDE_MEMORY_TAPS, sizeof(*functions),
				       GFP_KERNEL);
	if (!functions)
		return NULL;
	functions->session = session;
	session->functions = functions;
	return functions;
}

/* Where ftrace calls from in the function at @address; 0: it cannot be traced. */
static unsigned long function_location(unsigned long address, bool returns)
{
	unsigned long ip = sonde_location(address);

	/* ftrace also takes an address in the middle of its call */
	if (!ip || ip < address || within_module(ip, THIS_MODULE) ||
	    (returns && !sonde_returns_at(ip)))
		return 0;
	return ip;
}

static int function_arm(struct sonde_armed *armed, const char *path,
			struct sonde_arming *arming, char *why)
{
	bool returns = armed->tap.kind == SONDE_TAP_KERNEL_RETURN;
	struct sonde_functions *functions = function_of(armed->session);

	if (!functions)
		return -ENOMEM;
	armed->ip = function_location(armed->tap.offset, returns);
	if (!armed->ip)
		return sonde_refuse(why, -EINVAL,
				    "cannot trace the %s of %.*s at %llx: no function that the kernel allows to trace is there",
				    returns ? "return" : "entry",
				    min_t(int, armed->tap.path_length, SHOWN_MAX),
				    path, armed->tap.offset);
	if (returns && !functions->returns) {
		functions->returns = sonde_returns_make(armed->session);
		if (!functions->returns)
			return -ENOMEM;
	}
	sonde_spares_want(armed->session);
	functions->taps++;
	functions->changed = true;
	return 0;
}

static void function_disarm(struct sonde_armed *armed)
{
	armed->session->functions->taps--;
	armed->session->functions->changed = true;
}

/* Return: whether it is the first tap there. */
static bool function_put(struct function_table *table,
			 struct sonde_armed *armed)
{
	struct function_place *place;
	u32 n = function_hash(armed->ip);
	bool first = true;

	for (;; n++) {
		place = &table->places[n & table->mask];
		if (!place->ip)
			break;
		first = first && place->ip != armed->ip;
	}
	place->armed = armed;
	place->ip = armed->ip;
	return first;
}

/* Fills in a new table, and @ips. Return: how many. A function whose module is gone is left out. */
static u32 function_fill(struct sonde_session *session,
			 struct function_table *table, unsigned long *ips)
{
	struct sonde_armed *armed;
	unsigned long id;
	u32 count = 0;

	xa_for_each(&session->taps, id, armed) {
		cond_resched();
		if (armed->ops != &sonde_function_taps ||
		    sonde_location(armed->ip) != armed->ip)
			continue;
		if (function_put(table, armed))
			ips[count++] = armed->ip;
	}
	return count;
}

static void function_set_table(struct sonde_functions *functions,
			       struct function_table *table)
{
	struct function_table *old = rcu_dereference_protected(
		functions->table,
		lockdep_is_held(&functions->session->lock));

	rcu_assign_pointer(functions->table, table);
	sonde_free_rcu(old);
}

/* On return its handler does not run any more. */
static void function_unregister(struct sonde_functions *functions)
{
	if (functions->registered)
		unregister_ftrace_function(&functions->ops);
	functions->registered = false;
	sonde_filter_free(&functions->ops);
	memset(&functions->ops, 0, sizeof(functions->ops));
}

/* PERMANENT: kernel.ftrace_enabled=0 must not silently remove the taps. */
static int function_register(struct sonde_functions *functions,
			     unsigned long *ips, u32 count)
{
	struct ftrace_ops *ops = &functions->ops;
	int err;

	if (functions->registered)
		return sonde_set_filter(ops, ips, count);
	ops->func = function_handle;
	ops->flags = FTRACE_OPS_FL_PERMANENT | SONDE_FTRACE_FLAGS;
	err = sonde_set_filter(ops, ips, count) ?:
		      register_ftrace_function(ops);
	if (err)
		function_unregister(functions);
	else
		functions->registered = true;
	return err;
}

static int function_replace(struct sonde_functions *functions,
			    struct function_table *table, unsigned long *ips,
			    char *why)
{
	u32 count = function_fill(functions->session, table, ips);
	int err = 0;

	/* an empty filter would be one of all functions */
	function_set_table(functions, table);
	if (!count && functions->registered)
		function_unregister(functions);
	else if (count)
		err = function_register(functions, ips, count);
	if (err)
		sonde_refuse(why, err,
			     "the kernel's ftrace refuses to trace %u functions: error %d",
			     count, -err);
	return err;
}

static int function_rebuild(struct sonde_functions *functions, char *why)
{
	u32 room = roundup_pow_of_two(2 * functions->taps + 2);
	struct function_table *table;
	unsigned long *ips;
	int err = -ENOMEM;

	ips = kvmalloc_array(functions->taps + 1, sizeof(*ips), GFP_KERNEL);
	table = sonde_alloc_within(&functions->session->account->requested,
				   SONDE_MEMORY_TAPS,
				   struct_size(table, places, room),
				   GFP_KERNEL);
	if (ips && table) {
		table->mask = room - 1;
		err = function_replace(functions, table, ips, why);
	} else {
		sonde_free(table);
	}
	kvfree(ips);
	return err;
}

static int function_update(struct sonde_session *session, char *why)
{
	struct sonde_functions *functions = session->functions;

	if (!functions || !functions->changed)
		return 0;
	functions->changed = false;
	return function_rebuild(functions, why);
}

static void function_close(struct sonde_session *session)
{
	struct sonde_functions *functions = session->functions;

	if (!functions)
		return;
	function_unregister(functions);
	if (functions->returns)
		sonde_returns_end(functions->returns);
	function_set_table(functions, NULL);
	synchronize_rcu(); /* no return fires any more */
	session->functions = NULL;
	sonde_free(functions);
}

const struct sonde_tap_ops sonde_function_taps = {
	.has_file = true,
	.kinds = BIT(SONDE_TAP_KERNEL_ENTRY) | BIT(SONDE_TAP_KERNEL_RETURN),
	.check = function_check,
	.arm = function_arm,
	.disarm = function_disarm,
	.update = function_update,
	.close = function_close,
};
