// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks on kernel functions: one ftrace_ops over the table below.
 *
 * The ftrace handler may do little, so it only decides whether anybody is
 * traced, and whether it is this thread. Then it sends the thread to the
 * hook's trampoline (tramp.S), whose C part runs where the hooked function
 * would have: where that may sleep, so may the hook.
 *
 * One ops for all makes unloading fast. FTRACE_OPS_FL_PERMANENT keeps
 * kernel.ftrace_enabled=0 from taking the hooks away silently.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "kmod/core/internal.h"

#define TRAMPOLINE(name) void sonde_tramp_##name(void)
TRAMPOLINE(syscall_entry);
TRAMPOLINE(syscall_exit);
TRAMPOLINE(get_signal);
TRAMPOLINE(dequeue_signal);
TRAMPOLINE(setup_done);
TRAMPOLINE(signal_stop);
TRAMPOLINE(new_task);
TRAMPOLINE(exec);
TRAMPOLINE(exit);
TRAMPOLINE(death);
TRAMPOLINE(release);
TRAMPOLINE(regfunc);
TRAMPOLINE(unregfunc);
TRAMPOLINE(probe_add);
TRAMPOLINE(probe_add_prio);
TRAMPOLINE(probe_add_again);
TRAMPOLINE(probe_remove);

struct sonde_kernel sonde_kernel;

unsigned long sonde_way_targets[SONDE_WAYS];
static size_t ways_used;

static unsigned long (*lookup_name)(const char *name);
static unsigned long (*location_of)(unsigned long ip);
static void (*free_filter)(struct ftrace_ops *ops);	/* 5.10: no export */
static DEFINE_PER_CPU(long, in_hook);

static struct hook {
	const char *name;
	void (*trampoline)(void);
	unsigned long ip;
} hooks[SONDE_HOOKS] = {
	[SONDE_HOOK_SYSCALL_ENTRY] = {
		SONDE_NAME_SYSCALL_ENTRY, sonde_tramp_syscall_entry },
	[SONDE_HOOK_SYSCALL_EXIT] = {
		SONDE_NAME_SYSCALL_EXIT, sonde_tramp_syscall_exit },
	[SONDE_HOOK_GET_SIGNAL] = { "get_signal", sonde_tramp_get_signal },
	[SONDE_HOOK_DEQUEUE_SIGNAL] = {
		"dequeue_signal", sonde_tramp_dequeue_signal },
	[SONDE_HOOK_PREPARE_SIGNAL] = { "prepare_signal", NULL },
	[SONDE_HOOK_SETUP_DONE] = {
		"signal_setup_done", sonde_tramp_setup_done },
	[SONDE_HOOK_SIGNAL_STOP] = {
		"do_signal_stop", sonde_tramp_signal_stop },
	[SONDE_HOOK_TELL_PARENT] = { "do_notify_parent_cldstop", NULL },
	[SONDE_HOOK_NEW_TASK] = { "wake_up_new_task", sonde_tramp_new_task },
	[SONDE_HOOK_EXEC] = { "proc_exec_connector", sonde_tramp_exec },
	[SONDE_HOOK_EXIT] = { "do_exit", sonde_tramp_exit },
	[SONDE_HOOK_DEATH] = { "proc_exit_connector", sonde_tramp_death },
	[SONDE_HOOK_RELEASE] = { "release_task", sonde_tramp_release },
	[SONDE_HOOK_REGFUNC] = { "syscall_regfunc", sonde_tramp_regfunc },
	[SONDE_HOOK_UNREGFUNC] = {
		"syscall_unregfunc", sonde_tramp_unregfunc },
	[SONDE_HOOK_PROBE_ADD] = {
		"tracepoint_probe_register", sonde_tramp_probe_add },
	[SONDE_HOOK_PROBE_ADD_PRIO] = {
		"tracepoint_probe_register_prio",
		sonde_tramp_probe_add_prio },
	[SONDE_HOOK_PROBE_ADD_AGAIN] = {
		"tracepoint_probe_register_prio_may_exist",
		sonde_tramp_probe_add_again },
	[SONDE_HOOK_PROBE_REMOVE] = {
		"tracepoint_probe_unregister", sonde_tramp_probe_remove },
};

/*
 * What to call for a function at this address. A kernel built for IBT takes the
 * endbr64 from functions that it calls by name only, and where the CPU has IBT
 * to call such a one by pointer is fatal. So a way of tramp.S is called, which
 * goes there by a return; that asks for no endbr64.
 */
static void *way_to(unsigned long address)
{
	if (!address || WARN_ON(ways_used == SONDE_WAYS))
		return NULL;
	sonde_way_targets[ways_used] = address;
	return sonde_ways[ways_used++];
}

/**
 * sonde_lookup() - address of a kernel symbol, also under a compiler's suffix
 * @name: the plain name
 *
 * Of data, or of a function to be hooked. To call one: sonde_lookup_call().
 *
 * Context: Process context, after sonde_hooks_init() began.
 * Return: the address, or 0.
 */
unsigned long sonde_lookup(const char *name)
{
	static const char * const suffixes[] = {
		"", ".constprop.0", ".isra.0", ".part.0", ".isra.0.constprop.0",
	};
	unsigned long address;
	char full[KSYM_NAME_LEN];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(suffixes); i++) {
		snprintf(full, sizeof(full), "%s%s", name, suffixes[i]);
		address = lookup_name(full);
		if (address)
			return address;
	}
	return 0;
}

/**
 * sonde_lookup_call() - what to call for a kernel function
 * @name: the plain name
 *
 * Context: Module load, after sonde_hooks_init() began: there are no more than
 * SONDE_WAYS of them.
 * Return: a function of the same type, or NULL.
 */
void *sonde_lookup_call(const char *name)
{
	return way_to(sonde_lookup(name));
}

/**
 * sonde_location() - where ftrace can hook a function
 * @function: its address
 *
 * Context: Process context, after sonde_hooks_init() began.
 * Return: the address, or 0.
 */
unsigned long sonde_location(unsigned long function)
{
	return location_of(function);
}

struct tracepoint_search {
	const char *name;
	struct tracepoint *found;
};

static void match_tracepoint(struct tracepoint *tp, void *data)
{
	struct tracepoint_search *search = data;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

/**
 * sonde_tracepoint() - a tracepoint of the kernel by name
 * @name: as in TRACE_EVENT()
 *
 * Context: Process context. May sleep.
 * Return: the tracepoint, or NULL.
 */
struct tracepoint *sonde_tracepoint(const char *name)
{
	struct tracepoint_search search = { .name = name };

	for_each_kernel_tracepoint(match_tracepoint, &search);
	return search.found;
}

/* The original function, behind its call of ftrace. */
unsigned long sonde_body(enum sonde_hook_index index)
{
	return hooks[index].ip + MCOUNT_INSN_SIZE;
}

void sonde_hooks_enter(void)
{
	this_cpu_inc(in_hook);
}

void sonde_hooks_leave(void)
{
	this_cpu_dec(in_hook);
}

/* Threads in a C part. Exact once no new ones can come. */
long sonde_hooks_busy(void)
{
	long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(in_hook, cpu);
	return sum;
}

static notrace struct sonde_args args_of(const struct pt_regs *regs)
{
	return (struct sonde_args){
		.di = regs->di, .si = regs->si, .dx = regs->dx,
		.cx = regs->cx, .r8 = regs->r8, .r9 = regs->r9,
	};
}

/* Whether the thread shall take the trampoline of hook @index. */
static __always_inline bool wanted(enum sonde_hook_index index,
				   struct pt_regs *regs)
{
	struct sonde_args args;

	switch (index) {
	case SONDE_HOOK_REGFUNC:
	case SONDE_HOOK_UNREGFUNC:
		return true;
	case SONDE_HOOK_PROBE_ADD:
	case SONDE_HOOK_PROBE_ADD_PRIO:
	case SONDE_HOOK_PROBE_ADD_AGAIN:
	case SONDE_HOOK_PROBE_REMOVE:
		return sonde_wants_probe((struct tracepoint *)regs->di);
	case SONDE_HOOK_SYSCALL_ENTRY:
		return sonde_flags(current) & UTRACE_EVENT(SYSCALL_ENTRY);
	case SONDE_HOOK_DEQUEUE_SIGNAL:
		args = args_of(regs);
		return sonde_wants_dequeue(&args);
	case SONDE_HOOK_PREPARE_SIGNAL:
		sonde_prepare_signal(regs->di,
				     (struct task_struct *)regs->si);
		return false;
	case SONDE_HOOK_SETUP_DONE:
		return sonde_flags(current) &
			(UTRACE_EVENT_SIGNAL_ALL | UTRACE_EVENT(QUIESCE) |
			 SONDE_FLAG_KEPT);
	case SONDE_HOOK_TELL_PARENT:
		sonde_tells_parent((struct task_struct *)regs->di,
				   (bool)regs->si, regs->dx);
		return false;
	case SONDE_HOOK_SIGNAL_STOP:
		return sonde_flags(current) & UTRACE_EVENT(JCTL);
	case SONDE_HOOK_RELEASE:
		return sonde_wants_release((struct task_struct *)regs->di);
	default:
		return sonde_find(current);
	}
}

static notrace void sonde_ftrace(unsigned long ip, unsigned long parent_ip,
				 struct ftrace_ops *ops,
				 SONDE_FTRACE_REGS *fregs)
{
	struct pt_regs *regs = sonde_fregs(fregs);
	int i = 0;

	/* Who dies, or is released: sonde_with_state() has the other side. */
	if (unlikely(READ_ONCE(current->exit_state)) ||
	    ip == hooks[SONDE_HOOK_RELEASE].ip)
		smp_mb(); /* exit_state before who traces it */
	/* Those at the end are not about a traced thread. */
	if (!atomic_read(&sonde_states))
		i = SONDE_HOOK_REGFUNC;
	for (; i < SONDE_HOOKS; i++)
		if (hooks[i].ip == ip)
			break;
	if (i == SONDE_HOOKS)
		return;
	preempt_disable_notrace();
	if (wanted(i, regs))
		regs->ip = (unsigned long)hooks[i].trampoline;
	preempt_enable_notrace();
}

static struct ftrace_ops sonde_ops = {
	.func = sonde_ftrace,
	.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT |
		 SONDE_FTRACE_FLAGS,
};

/* kallsyms_lookup_name() is not exported; a kprobe knows where it is. */
static int find_lookup(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	int err;

	err = register_kprobe(&probe);
	if (err) {
		pr_err("sonde: no kprobe on kallsyms_lookup_name: %d\n", err);
		return err;
	}
	lookup_name = way_to((unsigned long)probe.addr);
	unregister_kprobe(&probe);
	return lookup_name ? 0 : -ENOENT;
}

static int find_kernel(void)
{
	const struct {
		const char *name;
		void *slot;
		bool data;
	} wanted_symbols[] = {
		{ "ftrace_location", &location_of },
		{ "ftrace_free_filter", &free_filter },
		{ "do_group_exit", &sonde_kernel.do_group_exit },
		{ SONDE_NAME_COREDUMP, &sonde_kernel.do_coredump },
		{ "task_work_cancel_match",
		  &sonde_kernel.task_work_cancel_match },
		{ "user_enable_single_step",
		  &sonde_kernel.user_enable_single_step },
		{ "user_enable_block_step",
		  &sonde_kernel.user_enable_block_step },
		{ "user_disable_single_step",
		  &sonde_kernel.user_disable_single_step },
		{ "is_current_pgrp_orphaned",
		  &sonde_kernel.is_current_pgrp_orphaned },
		{ "get_task_exe_file", &sonde_kernel.get_task_exe_file },
		{ "tasklist_lock", &sonde_kernel.tasklist_lock, true },
		{ "sys_tracepoint_refcount",
		  &sonde_kernel.sys_tracepoint_refcount, true },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wanted_symbols); i++) {
		unsigned long found = sonde_lookup(wanted_symbols[i].name);

		if (!wanted_symbols[i].data)
			found = (unsigned long)way_to(found);
		if (!found) {
			pr_err("sonde: this kernel has no %s\n",
			       wanted_symbols[i].name);
			return -ENOENT;
		}
		*(unsigned long *)wanted_symbols[i].slot = found;
	}
	return 0;
}

int sonde_hooks_init(void)
{
	int err, i;

	err = find_lookup();
	if (!err)
		err = find_kernel();
	if (err)
		return err;
	for (i = 0; i < SONDE_HOOKS; i++) {
		unsigned long address;

		if (!hooks[i].name)	/* not on this kernel */
			continue;
		address = sonde_lookup(hooks[i].name);
		hooks[i].ip = address ? location_of(address) : 0;
		if (!hooks[i].ip) {
			pr_err("sonde: %s cannot be hooked\n", hooks[i].name);
			err = -ENOENT;
			goto out_filter;
		}
		err = ftrace_set_filter_ip(&sonde_ops, hooks[i].ip, 0, 0);
		if (err) {
			pr_err("sonde: hook on %s: %d\n", hooks[i].name, err);
			goto out_filter;
		}
	}
	err = register_ftrace_function(&sonde_ops);
	if (err) {
		pr_err("sonde: cannot hook: %d (ftrace off, live patch?)\n",
		       err);
		goto out_filter;
	}
	return 0;
out_filter:
	free_filter(&sonde_ops);
	return err;
}

/*
 * Takes the hooks away. On return nobody is between the ftrace handler and
 * the C part; threads may still be in a C part: see sonde_hooks_busy().
 */
void sonde_hooks_stop(void)
{
	unregister_ftrace_function(&sonde_ops);
	free_filter(&sonde_ops);
	synchronize_rcu_tasks();
}
