// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's memory and stack, for programs
 *
 * Only a session that may read all of it can load such programs (else -EPERM):
 * opened with CAP_PERFMON or CAP_SYS_ADMIN, and CAP_SYS_PTRACE, in the initial
 * user namespace, while the kernel is not locked down for /proc/kcore. These
 * are the rights that perf and BPF require for reading kernel memory.
 *
 * Absent memory faults; nothing sleeps, so these programs run wherever a tap
 * fires.
 *
 * A stack begins at the kernel's own code; our frames on top of it are left
 * out. The unwinder does not know native programs, so from there it begins at
 * their caller. The stack of a sample begins at the interrupted instruction,
 * and is empty if that is user code; that of a function's tap begins at the
 * function.
 */
#include <linux/module.h>
#include <linux/security.h>
#include <linux/stacktrace.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <asm/irq_regs.h>

#include "kmod/core/hooks.h"
#include "kmod/device/fire.h"
#include "kmod/device/kernel.h"
#include "kmod/device/session.h"
#include "kmod/device/timer.h"

#define OWN_FRAMES 24u /* maximal number of our frames before the kernel's */
#define ITERATOR_BYTES 256u /* maximal size of the code of an iterator */

/* The functions that call our probes of these tracepoints are left out, too. */
static const char *const tracepoints[] = {
	"sched_process_exec", "sched_process_exit", "signal_deliver",
	"signal_generate", "sys_enter", "sys_exit", "task_newtask",
};

DEFINE_PER_CPU(struct sonde_origin, sonde_origin);

static unsigned long iterators[ARRAY_SIZE(tracepoints)] __ro_after_init;

static long (*copy_kernel)(void *to, const void *from, size_t length)
	__ro_after_init;
static long (*copy_kernel_text)(char *to, const void *from, long max)
	__ro_after_init;
static unsigned int (*save_from)(struct pt_regs *regs, unsigned long *to,
				 unsigned int max, unsigned int skip)
	__ro_after_init;

/**
 * sonde_kernel_init() - look up symbols that are not exported
 *
 * Context: Process context, module load.
 */
void sonde_kernel_init(void)
{
	u32 n;

	for (n = 0; n < ARRAY_SIZE(tracepoints); n++) {
		struct tracepoint *tp = sonde_tracepoint(tracepoints[n]);

		iterators[n] = tp ? (unsigned long)tp->iterator : -1ul;
	}
	copy_kernel = sonde_function_call("copy_from_kernel_nofault",
					  "long int(void *, void *, size_t)");
	copy_kernel_text = sonde_function_call("strncpy_from_kernel_nofault",
					       "long int(char *, void *, long int)");
	save_from = sonde_function_call("stack_trace_save_regs",
					"unsigned int(struct pt_regs *, long unsigned int *, unsigned int, unsigned int)");
}

/**
 * sonde_kernel_check() - check whether the session may have a program that
 * reads the kernel
 * @session: its lock is held
 * @why: the message for the user on failure
 *
 * Context: Process context.
 * Return: 0; -EPERM; -EOPNOTSUPP: this kernel cannot be read safely.
 */
int sonde_kernel_check(struct sonde_session *session, char *why)
{
	lockdep_assert_held(&session->lock);
	if (!session->perfmon || !session->privileged)
		return sonde_refuse(why, -EPERM,
				    "kernel memory, kernel stacks and curthread need CAP_PERFMON and CAP_SYS_PTRACE: run as root");
	if (!session->sees_kernel || security_locked_down(LOCKDOWN_KCORE))
		return sonde_refuse(why, -EPERM,
				    "kernel memory, kernel stacks and curthread: the kernel is locked down");
	if (!copy_kernel || !copy_kernel_text || !save_from)
		return sonde_refuse(why, -EOPNOTSUPP,
				    "this kernel's memory and stacks cannot be read");
	return 0;
}

/* As sonde_read_user(), for kernel memory. */
int sonde_read_kernel(u64 address, void *to, u32 length)
{
	return copy_kernel(to, (const void *)(unsigned long)address, length) ?
		       -1 : 0;
}

/* As sonde_read_text(), for kernel memory. */
int sonde_read_kernel_text(u64 address, char *to, u32 max)
{
	/* the function counts the NUL, and also adds one to a truncated text */
	long length = copy_kernel_text(to, (const void *)(unsigned long)address,
				       max);

	return length < 1 ? -1 : length - 1;
}

static bool kmem_is_iterator(unsigned long address)
{
	u32 n;

	for (n = 0; n < ARRAY_SIZE(iterators); n++)
		if (address - iterators[n] < ITERATOR_BYTES)
			return true;
	return false;
}

/* The number of leading frames that are ours. */
static u32 kmem_own_frames(const unsigned long *frames, u32 count)
{
	u32 own = 0, n;

	for (n = 0; n < count && n < OWN_FRAMES; n++)
		if (within_module(frames[n], THIS_MODULE))
			own = n + 1;
	return own && own < count && kmem_is_iterator(frames[own]) ? own + 1 :
								     own;
}

/* The stack of a firing in a function of the kernel. Return: the number of frames. */
static u32 kmem_walk_function(const struct sonde_origin *origin,
			      unsigned long *frames, u32 max)
{
	if (!origin->function)
		return save_from(origin->regs, frames, max, 0);
	frames[0] = origin->function;
	return max > 1 ? 1 + save_from(origin->regs, frames + 1, max - 1, 0) :
			 1;
}

/**
 * sonde_walk_kernel() - walk the kernel stack
 * @firing: the running firing
 * @from: registers of a caller, to begin there; NULL: begin here
 * @to: room for @max addresses, innermost first
 * @max: at most SONDE_DIF_MAX_FRAMES
 *
 * Context: Any but NMI. Does not sleep.
 * Return: the number of frames.
 */
u32 sonde_walk_kernel(struct sonde_firing *firing, struct pt_regs *from,
		      u64 *to, u32 max)
{
	unsigned long *frames = (unsigned long *)firing->writer->path;
	const struct sonde_origin *origin = this_cpu_ptr(&sonde_origin);
	u32 room = max + OWN_FRAMES, first, count = 0;

	BUILD_BUG_ON((SONDE_DIF_MAX_FRAMES + OWN_FRAMES) * 8 > PAGE_SIZE);
	if (origin->firing == firing) {
		count = kmem_walk_function(origin, frames, max);
	} else if (this_cpu_read(sonde_sampling)) {
		from = get_irq_regs();
		if (from && !user_mode(from))
			count = save_from(from, frames, max, 0);
	} else if (from) {
		count = save_from(from, frames, room, 0);
	} else {
		count = stack_trace_save(frames, room, 0);
	}
	first = kmem_own_frames(frames, count);
	count = min(count - first, max);
	memmove(to, frames + first, count * sizeof(*to));
	return count;
}

/* The caller of the function in which the probe fired. */
u64 sonde_kernel_caller(struct sonde_firing *firing, struct pt_regs *from)
{
	u64 frames[2];

	if (!firing->session->sees_kernel || !save_from)
		return 0;
	return sonde_walk_kernel(firing, from, frames, 2) == 2 ? frames[1] : 0;
}

u64 sonde_kernel_depth(struct sonde_firing *firing, struct pt_regs *from)
{
	u64 *frames = (u64 *)firing->writer->path; /* sonde_walk_kernel() moves them to its start */

	if (!firing->session->sees_kernel || !save_from)
		return 0;
	return sonde_walk_kernel(firing, from, frames, SONDE_DIF_MAX_FRAMES);
}
