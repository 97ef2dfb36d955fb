// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks on kernel functions: one ftrace_ops over the table below.
 *
 * The ftrace handler may do little, so it only decides whether this thread is
 * traced. If it is, it sends the thread to the hook's trampoline (tramp.S),
 * whose C part runs in the context of the hooked function: it may sleep if that
 * may.
 *
 * One ftrace_ops for all hooks makes unloading fast. FTRACE_OPS_FL_PERMANENT
 * keeps kernel.ftrace_enabled=0 from silently removing the hooks.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/utsname.h>

#include "kmod/core/btf.h"
#include "kmod/core/finder.h"
#include "kmod/core/internal.h"

struct sonde_kernel sonde_kernel __ro_after_init;

unsigned long sonde_thunk_targets[SONDE_THUNKS] __ro_after_init;
static size_t thunks_used;

static bool untried;
module_param(untried, bool, 0444);
MODULE_PARM_DESC(untried,
		 "hook functions that the kernel's BTF does not have, on a release without tests");

static unsigned long (*lookup_name)(const char *name) __ro_after_init;
static unsigned long (*location_of)(unsigned long ip) __ro_after_init;
/* not exported in 5.10 */
static void (*free_filter)(struct ftrace_ops *ops) __ro_after_init;
static DEFINE_PER_CPU(long, in_hook);

#define SHARING (UTRACE_EVENT_SYSCALL | SONDE_CAN_SHARE)
#define EVERYTHING (SONDE_CAN_ATTACH | ((1UL << _UTRACE_NEVENTS) - 1))

/* A function is hooked only if it has this signature. */
static struct hook {
	const char *name;
	const char *signature;	/* see btf.c */
	unsigned long events;	/* that are not available without it */
	void (*trampoline)(void);
	unsigned long ip;	/* 0: not hooked */
	bool missing;		/* absent, or with another signature */
} hooks[SONDE_HOOKS] = {
	[SONDE_HOOK_SYSCALL_ENTRY] = {
		SONDE_NAME_SYSCALL_ENTRY, SONDE_TYPE_SYSCALL_ENTRY,
		UTRACE_EVENT(SYSCALL_ENTRY), sonde_tramp_syscall_entry },
	[SONDE_HOOK_SYSCALL_EXIT] = {
		SONDE_NAME_SYSCALL_EXIT, "void(struct pt_regs *, long int)",
		UTRACE_EVENT(SYSCALL_EXIT), sonde_tramp_syscall_exit },
	[SONDE_HOOK_GET_SIGNAL] = {
		"get_signal", "bool(struct ksignal *)",
		UTRACE_EVENT_SIGNAL_ALL, sonde_tramp_get_signal },
	[SONDE_HOOK_DEQUEUE_SIGNAL] = {
		"dequeue_signal", SONDE_TYPE_DEQUEUE_SIGNAL,
		UTRACE_EVENT_SIGNAL_ALL, sonde_tramp_dequeue_signal },
	[SONDE_HOOK_PREPARE_SIGNAL] = { /* also: SIGKILL ends a stop */
		"prepare_signal", "bool(int, struct task_struct *, bool)",
		EVERYTHING, NULL },
	[SONDE_HOOK_SETUP_DONE] = {
		"signal_setup_done", "void(int, struct ksignal *, int)",
		UTRACE_EVENT_SIGNAL_ALL, sonde_tramp_setup_done },
	[SONDE_HOOK_SIGNAL_STOP] = {
		"do_signal_stop", "bool(int)",
		UTRACE_EVENT(JCTL), sonde_tramp_signal_stop },
	[SONDE_HOOK_NOTIFY_PARENT] = {
		"do_notify_parent_cldstop",
		"void(struct task_struct *, bool, int)",
		UTRACE_EVENT(JCTL), NULL },
	[SONDE_HOOK_EXIT] = {
		"do_exit", "void(long int)",
		UTRACE_EVENT(EXIT), sonde_tramp_exit },
	[SONDE_HOOK_DEATH] = { /* also: threads leave the table */
		"proc_exit_connector", "void(struct task_struct *)",
		EVERYTHING, sonde_tramp_death },
	[SONDE_HOOK_RELEASE] = {
		"release_task", "void(struct task_struct *)",
		EVERYTHING, sonde_tramp_release },
	[SONDE_HOOK_NEW_TASK] = {
		"wake_up_new_task", "void(struct task_struct *)",
		UTRACE_EVENT(CLONE), sonde_tramp_new_task },
	[SONDE_HOOK_EXEC] = {
		"proc_exec_connector", "void(struct task_struct *)",
		UTRACE_EVENT(EXEC), sonde_tramp_exec },
	[SONDE_HOOK_REPLACES] = {
		"begin_new_exec", "int(struct linux_binprm *)",
		0, sonde_tramp_replaces },
	[SONDE_HOOK_BECOMES] = {
		"security_bprm_committing_creds", "void(struct linux_binprm *)",
		0, sonde_tramp_becomes },
	[SONDE_HOOK_ENDS] = {
		"taskstats_exit", "void(struct task_struct *, int)",
		0, sonde_tramp_ends },
	[SONDE_HOOK_REGFUNC] = {
		"syscall_regfunc", "int()",
		SHARING, sonde_tramp_regfunc },
	[SONDE_HOOK_UNREGFUNC] = {
		"syscall_unregfunc", "void()",
		SHARING, sonde_tramp_unregfunc },
	[SONDE_HOOK_PROBE_ADD] = {
		"tracepoint_probe_register",
		"int(struct tracepoint *, void *, void *)",
		SHARING, sonde_tramp_probe_add },
	[SONDE_HOOK_PROBE_ADD_PRIO] = {
		"tracepoint_probe_register_prio",
		"int(struct tracepoint *, void *, void *, int)",
		SHARING, sonde_tramp_probe_add_prio },
	[SONDE_HOOK_PROBE_ADD_AGAIN] = {
		"tracepoint_probe_register_prio_may_exist",
		"int(struct tracepoint *, void *, void *, int)",
		SHARING, sonde_tramp_probe_add_again },
	[SONDE_HOOK_PROBE_REMOVE] = {
		"tracepoint_probe_unregister",
		"int(struct tracepoint *, void *, void *)",
		SHARING, sonde_tramp_probe_remove },
};

/* The union of the events of all missing hooks. */
static unsigned long lacking;

/*
 * Returns a function that calls the one at this address. A kernel built for IBT
 * removes the endbr64 from functions that it only calls directly, and on a CPU
 * with IBT an indirect call of such a function is fatal. So a thunk of tramp.S
 * is called, which gets there by a return: that needs no endbr64.
 */
static void *hook_thunk_to(unsigned long address)
{
	if (!address || WARN_ON(thunks_used == SONDE_THUNKS))
		return NULL;
	sonde_thunk_targets[thunks_used] = address;
	return sonde_thunks[thunks_used++];
}

/**
 * sonde_lookup() - address of a variable of the kernel
 * @name: its symbol
 *
 * For functions use sonde_function().
 *
 * Context: Process context, after sonde_hooks_init() began.
 * Return: the address, or 0.
 */
unsigned long sonde_lookup(const char *name)
{
	return lookup_name(name);
}

/*
 * How functions begin that the compiler has changed, behind their call of ftrace,
 * on a release on which all tests ran: with the registers of the arguments that
 * are left. A later release that begins in the same way takes the same ones.
 */
static const struct {
	const char *name;
	u8 size;
	u8 code[16];
} beginnings[] = {
	/* 6.1: regs in %rdi, work in %rsi */
	{ "syscall_trace_enter", 15,
	  { 0x41, 0x55, 0x49, 0x89, 0xfd, 0x41, 0x54, 0x55, 0x53, 0x48, 0x89,
	    0xf3, 0x83, 0xe6, 0x20 } },
};

static bool hook_begins_as_tried(const char *name, unsigned long address)
{
	unsigned long ip = location_of ? location_of(address) : 0;
	const void *code = (const void *)(ip + MCOUNT_INSN_SIZE);
	size_t i;

	for (i = 0; ip && i < ARRAY_SIZE(beginnings); i++)
		if (!strcmp(beginnings[i].name, name) &&
		    !memcmp(beginnings[i].code, code, beginnings[i].size))
			return true;
	return false;
}

/*
 * Whether all tests ran on this release, in any flavour. On other releases we
 * use a function that is not in the kernel's BTF only if it begins as on one of
 * these, because nothing else would show that it takes other arguments there.
 */
static bool hook_was_tried(void)
{
	static const char * const releases[] = {
		"5.10.0-46", "6.1.0-56", "6.1.192-sonde-debug",
	};
	const char *release = init_utsname()->release;
	size_t i, length;

	for (i = 0; i < ARRAY_SIZE(releases); i++) {
		length = strlen(releases[i]);
		if (!strncmp(release, releases[i], length) &&
		    (!release[length] || release[length] == '-'))
			return true;
	}
	return untried;
}

/* Also finds a function with a suffix, which means that the compiler has changed it. */
static unsigned long hook_find_function(const char *name, bool *whole)
{
	static const char * const suffixes[] = {
		"", ".constprop.0", ".isra.0", ".isra.0.constprop.0",
	};
	unsigned long address = 0;
	char full[KSYM_NAME_LEN];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(suffixes) && !address; i++) {
		snprintf(full, sizeof(full), "%s%s", name, suffixes[i]);
		address = lookup_name(full);
		*whole = !i;
		cond_resched(); /* up to 6.1 this searches all symbols */
	}
	return address;
}

/**
 * sonde_function() - address of a kernel function with the expected signature
 * @name: the function
 * @signature: its return and argument types, see btf.c
 *
 * A function with another signature is not used; the kernel log has the reason.
 * The address is for a hook; to call a function use sonde_function_call().
 *
 * Context: Module load, after sonde_hooks_init() began.
 * Return: the address, or 0.
 */
unsigned long sonde_function(const char *name, const char *signature)
{
	char found[160];
	bool whole;
	unsigned long address = hook_find_function(name, &whole);
	int err = -ENOENT;

	if (!address)
		return 0;
	if (whole)
		err = sonde_btf_check(name, signature, found, sizeof(found));
	if (err == -EINVAL) {
		pr_warn("sonde: %s is left alone: here it is %s, not %s\n",
			name, found, signature);
		return 0;
	}
	if (err && !hook_was_tried() && !hook_begins_as_tried(name, address)) {
		pr_warn("sonde: %s is left alone: this kernel's BTF does not have it, and no test ran on %s (untried=1 takes it all the same)\n",
			name, init_utsname()->release);
		return 0;
	}
	return address;
}

/**
 * sonde_function_call() - a pointer to call a kernel function by
 * @name: as in sonde_function()
 * @signature: as there
 *
 * Context: As there. At most SONDE_THUNKS can be made.
 * Return: a function of the same type, or NULL.
 */
void *sonde_function_call(const char *name, const char *signature)
{
	return hook_thunk_to(sonde_function(name, signature));
}

/**
 * sonde_lacks() - the missing hook that an event needs
 * @events: of the utrace API
 *
 * Context: Any.
 * Return: the name of its function, NULL if all are there.
 */
const char *sonde_lacks(unsigned long events)
{
	int i;

	if (!(READ_ONCE(lacking) & events))
		return NULL;
	for (i = 0; i < SONDE_HOOKS; i++)
		if (hooks[i].missing && (hooks[i].events & events))
			return hooks[i].name;
	return NULL;
}

/**
 * sonde_hook_missing() - whether a function could not be hooked
 * @index: its hook
 *
 * Context: Any.
 * Return: its name, NULL if it is hooked.
 */
const char *sonde_hook_missing(enum sonde_hook_index index)
{
	return hooks[index].missing ? hooks[index].name : NULL;
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

/**
 * sonde_filter_free() - free the list of functions that an ftrace_ops hooks
 * @ops: not registered
 *
 * Context: Process context. May sleep.
 */
void sonde_filter_free(struct ftrace_ops *ops)
{
	free_filter(ops);
}

struct tracepoint_search {
	const char *name;
	struct tracepoint *found;
};

static void hook_match_tracepoint(struct tracepoint *tp, void *data)
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

	might_sleep();
	for_each_kernel_tracepoint(hook_match_tracepoint, &search);
	return search.found;
}

/* Address of the original function, after its call of ftrace. */
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

/* Number of threads in a C part. Exact only if no new ones can enter. */
long sonde_hooks_busy(void)
{
	long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(in_hook, cpu);
	return sum;
}

/* Whether the thread shall take the trampoline of hook @index. */
static __always_inline bool hook_wanted(enum sonde_hook_index index,
					struct pt_regs *regs)
{
	const unsigned long first = sonde_function_argument(regs, 0);
	const unsigned long second = sonde_function_argument(regs, 1);
	struct sonde_args args;

	switch (index) {
	case SONDE_HOOK_REGFUNC:
	case SONDE_HOOK_UNREGFUNC:
		return true;
	case SONDE_HOOK_PROBE_ADD:
	case SONDE_HOOK_PROBE_ADD_PRIO:
	case SONDE_HOOK_PROBE_ADD_AGAIN:
	case SONDE_HOOK_PROBE_REMOVE:
		return sonde_wants_probe((struct tracepoint *)first);
	case SONDE_HOOK_SYSCALL_ENTRY:
		return sonde_flags(current) & UTRACE_EVENT(SYSCALL_ENTRY);
	case SONDE_HOOK_DEQUEUE_SIGNAL:
		args = sonde_function_arguments(regs);
		return sonde_wants_dequeue(&args);
	case SONDE_HOOK_PREPARE_SIGNAL:
		sonde_prepare_signal(first, (struct task_struct *)second);
		return false;
	case SONDE_HOOK_SETUP_DONE:
		return sonde_flags(current) &
			(UTRACE_EVENT_SIGNAL_ALL | UTRACE_EVENT(QUIESCE) |
			 SONDE_FLAG_KEPT);
	case SONDE_HOOK_NOTIFY_PARENT:
		sonde_notifies_parent((struct task_struct *)first, (bool)second,
				      sonde_function_argument(regs, 2));
		return false;
	case SONDE_HOOK_SIGNAL_STOP:
		return sonde_flags(current) & UTRACE_EVENT(JCTL);
	case SONDE_HOOK_RELEASE:
		return sonde_wants_release((struct task_struct *)first);
	case SONDE_HOOK_NEW_TASK:
	case SONDE_HOOK_EXEC:
		return READ_ONCE(sonde_finders) || sonde_find(current);
	case SONDE_HOOK_REPLACES:
	case SONDE_HOOK_BECOMES:
		return READ_ONCE(sonde_finders) && current->mm;
	case SONDE_HOOK_ENDS:
		if (!current->mm)
			return false;
		return READ_ONCE(sonde_ends_wanted) ||
		       (READ_ONCE(sonde_finders) && (int)second);
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

	/* For a thread that dies or is released; pairs with sonde_with_state(). */
	if (unlikely(READ_ONCE(current->exit_state)) ||
	    ip == hooks[SONDE_HOOK_RELEASE].ip)
		smp_mb(); /* orders exit_state before the look-up of the state */
	/* The last hooks also concern threads that are not traced. */
	if (!atomic_read(&sonde_states))
		i = SONDE_HOOK_NEW_TASK;
	for (; i < SONDE_HOOKS; i++)
		if (hooks[i].ip == ip)
			break;
	if (i == SONDE_HOOKS)
		return;
	preempt_disable_notrace();
	if (hook_wanted(i, regs))
		sonde_set_pc(regs, (unsigned long)hooks[i].trampoline);
	preempt_enable_notrace();
}

static struct ftrace_ops sonde_ops = {
	.func = sonde_ftrace,
	.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT |
		 SONDE_FTRACE_FLAGS,
};

/* kallsyms_lookup_name() is not exported; a kprobe finds its address. */
static int hook_find_lookup(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	int err;

	err = register_kprobe(&probe);
	if (err) {
		pr_err("sonde: no kprobe on kallsyms_lookup_name: %d\n", err);
		return err;
	}
	lookup_name = hook_thunk_to((unsigned long)probe.addr);
	unregister_kprobe(&probe);
	return lookup_name ? 0 : -ENOENT;
}

static int hook_find_kernel(void)
{
	const struct {
		const char *name, *signature;	/* NULL for data */
		void *slot;
	} wanted_symbols[] = {
		{ "ftrace_location", "long unsigned int(long unsigned int)",
		  &location_of },
		{ "ftrace_free_filter", "void(struct ftrace_ops *)",
		  &free_filter },
		{ "do_group_exit", "void(int)", &sonde_kernel.do_group_exit },
		{ SONDE_NAME_COREDUMP, "void(kernel_siginfo_t *)",
		  &sonde_kernel.do_coredump },
		{ "task_work_cancel_match",
		  "struct callback_head *(struct task_struct *, fn *, void *)",
		  &sonde_kernel.task_work_cancel_match },
		{ "user_enable_single_step", "void(struct task_struct *)",
		  &sonde_kernel.user_enable_single_step },
		{ "user_enable_block_step", "void(struct task_struct *)",
		  &sonde_kernel.user_enable_block_step },
		{ "user_disable_single_step", "void(struct task_struct *)",
		  &sonde_kernel.user_disable_single_step },
		{ "is_current_pgrp_orphaned", "int()",
		  &sonde_kernel.is_current_pgrp_orphaned },
		{ "get_task_exe_file", "struct file *(struct task_struct *)",
		  &sonde_kernel.get_task_exe_file },
		{ "tasklist_lock", NULL, &sonde_kernel.tasklist_lock },
		{ "sys_tracepoint_refcount", NULL,
		  &sonde_kernel.sys_tracepoint_refcount },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wanted_symbols); i++) {
		const char *name = wanted_symbols[i].name;
		const char *signature = wanted_symbols[i].signature;
		void *found;

		found = signature ? sonde_function_call(name, signature) :
				    (void *)lookup_name(name);
		if (!found) {
			pr_err("sonde: cannot do without %s\n", name);
			return -ENOENT;
		}
		*(void **)wanted_symbols[i].slot = found;
	}
	return 0;
}

static void hook_find_hook(struct hook *hook)
{
	unsigned long address;

	if (!hook->name)	/* not on this kernel */
		return;
	address = sonde_function(hook->name, hook->signature);
	hook->ip = address ? location_of(address) : 0;
	if (hook->ip)
		return;
	pr_warn("sonde: %s cannot be hooked: what needs it is refused\n",
		hook->name);
	hook->missing = true;
	lacking |= hook->events;
}

static int hook_find_hooks(void)
{
	int err, i;

	for (i = 0; i < SONDE_HOOKS; i++)
		hook_find_hook(&hooks[i]);
	for (i = 0; i < SONDE_HOOKS; i++) {
		/* all of these are hooked, or none */
		if (hooks[i].events == SHARING && sonde_lacks(SONDE_CAN_SHARE))
			hooks[i].ip = 0;
		if (!hooks[i].ip)
			continue;
		err = ftrace_set_filter_ip(&sonde_ops, hooks[i].ip, 0, 0);
		if (err) {
			pr_err("sonde: hook on %s: %d\n", hooks[i].name, err);
			return err;
		}
	}
	return 0;
}

int sonde_hooks_init(void)
{
	int err;

	err = hook_find_lookup();
	if (err)
		return err;
	sonde_btf_open((void *)lookup_name("__start_BTF"),
		       (void *)lookup_name("__stop_BTF"));
	err = hook_find_kernel();
	if (err)
		goto out_btf;
	err = hook_find_hooks();
	if (err)
		goto out_filter;
	err = register_ftrace_function(&sonde_ops);
	if (err) {
		pr_err("sonde: cannot hook: %d (ftrace off, live patch?)\n",
		       err);
		goto out_filter;
	}
	return 0;
out_filter:
	free_filter(&sonde_ops);
out_btf:
	sonde_btf_close();
	return err;
}

/* Called when all functions that the module uses have been looked up. */
void sonde_hooks_found(void)
{
	sonde_btf_close();
}

/*
 * Removes the hooks. On return no thread is between the ftrace handler and the
 * C part; threads may still be in a C part: see sonde_hooks_busy().
 */
void sonde_hooks_stop(void)
{
	unregister_ftrace_function(&sonde_ops);
	free_filter(&sonde_ops);
	synchronize_rcu_tasks();
}
