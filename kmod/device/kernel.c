// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel, as programs see it: its memory and its stack
 *
 * Only sessions that may see all of it have such programs (-EPERM else):
 * opened with CAP_PERFMON or CAP_SYS_ADMIN, and CAP_SYS_PTRACE, in the initial
 * user namespace, while the kernel is not locked down for /proc/kcore. These
 * are the rights that perf and BPF ask for before they read kernel memory.
 *
 * Memory is read where it is present, and faults else; nothing sleeps, so
 * these programs run wherever a tap fires.
 *
 * A stack begins where the kernel's own code was; what of ours lies before is
 * left out. The unwinder does not know native programs: there, it begins at
 * their caller. A sample's stack begins where the interrupt came, and is empty
 * where that was user code.
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

#define OWN_FRAMES 24u /* before the kernel's, at most */
#define ITERATOR_BYTES 256u /* code of one, at most */

/* What calls our probes of these is no frame of the kernel's own either. */
static const char *const tracepoints[] = {
	"sched_process_exec", "sched_process_exit", "signal_deliver",
	"signal_generate", "sys_enter", "sys_exit", "task_newtask",
};

static unsigned long iterators[ARRAY_SIZE(tracepoints)] __ro_after_init;

static long (*copy_kernel)(void *to, const void *from, size_t length)
	__ro_after_init;
static long (*copy_kernel_text)(char *to, const void *from, long max)
	__ro_after_init;
static unsigned int (*save_from)(struct pt_regs *regs, unsigned long *to,
				 unsigned int max, unsigned int skip)
	__ro_after_init;

/**
 * sonde_kernel_init() - look up what is not exported
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
 * sonde_kernel_check() - may the session have a program that sees the kernel?
 * @session: its lock is held
 * @why: what to tell the user on failure
 *
 * Context: Process context.
 * Return: 0, -EPERM, -EOPNOTSUPP this kernel cannot be read safely.
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

/* As sonde_read_user(), of kernel memory. */
int sonde_read_kernel(u64 address, void *to, u32 length)
{
	return copy_kernel(to, (const void *)(unsigned long)address, length) ?
		       -1 : 0;
}

/* As sonde_read_text(), of kernel memory. */
int sonde_read_kernel_text(u64 address, char *to, u32 max)
{
	/* counts the NUL, which it also puts behind what it cuts off */
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

/* Frames that are not the kernel's own, at the beginning. */
static u32 kmem_own_frames(const unsigned long *frames, u32 count)
{
	u32 own = 0, n;

	for (n = 0; n < count && n < OWN_FRAMES; n++)
		if (within_module(frames[n], THIS_MODULE))
			own = n + 1;
	return own && own < count && kmem_is_iterator(frames[own]) ? own + 1 :
								     own;
}

/**
 * sonde_walk_kernel() - the kernel's frames
 * @firing: under way
 * @from: registers of a caller of ours, to begin at; NULL: here
 * @to: room for @max addresses, innermost first
 * @max: SONDE_DIF_MAX_FRAMES at most
 *
 * Context: Any but NMI. Does not sleep.
 * Return: how many there are.
 */
u32 sonde_walk_kernel(struct sonde_firing *firing, struct pt_regs *from,
		      u64 *to, u32 max)
{
	unsigned long *frames = (unsigned long *)firing->writer->path;
	u32 room = max + OWN_FRAMES, first, count = 0;

	BUILD_BUG_ON((SONDE_DIF_MAX_FRAMES + OWN_FRAMES) * 8 > PAGE_SIZE);
	if (this_cpu_read(sonde_sampling)) {
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

/* Where the function in which the probe fired was called. */
u64 sonde_kernel_caller(struct sonde_firing *firing, struct pt_regs *from)
{
	u64 frames[2];

	if (!firing->session->sees_kernel || !save_from)
		return 0;
	return sonde_walk_kernel(firing, from, frames, 2) == 2 ? frames[1] : 0;
}

u64 sonde_kernel_depth(struct sonde_firing *firing, struct pt_regs *from)
{
	u64 *frames = (u64 *)firing->writer->path; /* moved to its beginning */

	if (!firing->session->sees_kernel || !save_from)
		return 0;
	return sonde_walk_kernel(firing, from, frames, SONDE_DIF_MAX_FRAMES);
}
