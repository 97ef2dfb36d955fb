// SPDX-License-Identifier: GPL-2.0
/*
 * Taps on tracepoints that they name
 *
 * Every tracepoint passes words on: pointers and numbers. So one probe serves
 * all of them; which of the words are arguments, and how wide those are, the
 * request says, from the kernel's description of its types. What it says can
 * only change what the session's own scripts read.
 *
 * A tracepoint may be anywhere: sched_switch holds its run queue's lock, with
 * interrupts off. So a firing takes no lock that the kernel could hold there,
 * wakes nobody, and waits for nothing: see sonde_under_locks. It is of the
 * whole machine, even if the session has targets: who runs there when a disk is
 * done has nothing to do with it.
 */
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/tracepoint.h>

#include "kmod/core/hooks.h"
#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/deferred.h"
#include "kmod/device/fire.h"
#include "kmod/device/named.h"
#include "kmod/device/session.h"
#include "kmod/device/spares.h"
#include "kmod/device/tap.h"
#include "kmod/shared/tracepoint.h"

#define NAME_MAX_BYTES 128u

struct sonde_named {
	struct tracepoint *tracepoint;
	struct sonde_armed *armed;
};

DEFINE_PER_CPU(bool, sonde_under_locks);

/* An argument: the word that the tracepoint passes, of which its type has fewer bytes. */
static u64 named_argument(u64 word, u64 shape)
{
	switch (shape & SONDE_ARGUMENT_BITS) {
	case SONDE_ARGUMENT_NONE:
		return 0;
	case SONDE_ARGUMENT_U8:
		return (u8)word;
	case SONDE_ARGUMENT_S8:
		return (s8)word;
	case SONDE_ARGUMENT_U16:
		return (u16)word;
	case SONDE_ARGUMENT_S16:
		return (s16)word;
	case SONDE_ARGUMENT_U32:
		return (u32)word;
	case SONDE_ARGUMENT_S32:
		return (s32)word;
	default:
		return word;
	}
}

/**
 * sonde_fire_under_locks() - sonde_fire() where the kernel may hold any lock
 * @firing: as for sonde_fire()
 * @probe: the probe
 *
 * It may be in the middle of another firing of this CPU, whose notes of absent
 * memory it leaves as they are.
 *
 * Context: Any but NMI; preemption is off.
 */
void sonde_fire_under_locks(struct sonde_firing *firing,
			    struct sonde_probe *probe)
{
	struct sonde_absence *here = this_cpu_ptr(&sonde_absences[!in_task()]);
	struct sonde_absence before = *here;
	bool outer = this_cpu_xchg(sonde_under_locks, true);

	here->watched = false;
	sonde_fire(firing, probe);
	*here = before;
	this_cpu_write(sonde_under_locks, outer);
}

static void named_fire(struct sonde_armed *armed, const u64 *words)
{
	struct sonde_firing firing = {
		.session = armed->session,
		.task = current,
		.call = -1,
	};
	u64 shapes = armed->tap.offset;
	u32 n;

	for (n = 0; n < SONDE_DIF_ARGS; n++, shapes >>= SONDE_ARGUMENT_SHIFT)
		firing.args[n] = named_argument(words[n], shapes);
	if (current->mm && !(current->flags & PF_KTHREAD))
		firing.regs = task_pt_regs(current);
	sonde_fire_under_locks(&firing, armed->probe);
}

/* The words beyond the tracepoint's own are whatever is there; their shape is none. */
static void named_probe(void *data, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f,
			u64 g, u64 h, u64 i, u64 j)
{
	const u64 words[SONDE_DIF_ARGS] = { a, b, c, d, e, f, g, h, i, j };
	struct sonde_named *named = data;

	if (!READ_ONCE(named->armed->session->going))
		return;
	preempt_disable_notrace();
	named_fire(named->armed, words);
	preempt_enable_notrace();
}

static int named_check(struct sonde_session *session,
		       const struct sonde_tap *tap, char *why)
{
	if (IS_ENABLED(CONFIG_CFI_CLANG))
		return sonde_refuse(why, -EOPNOTSUPP,
				    "this kernel checks the types of functions that tracepoints call (CONFIG_CFI_CLANG); another source does without");
	if (!session->sees_kernel)
		return sonde_refuse(why, -EPERM,
				    "tracepoints show kernel memory: they need root, or CAP_PERFMON and CAP_SYS_PTRACE");
	if (tap->path_length > NAME_MAX_BYTES)
		return sonde_refuse(why, -EINVAL,
				    "tap %u: no tracepoint has such a name",
				    tap->id);
	return 0;
}

static int named_arm(struct sonde_armed *armed, const char *path,
		     struct sonde_arming *arming, char *why)
{
	char name[NAME_MAX_BYTES + 1];
	struct sonde_named *named;
	int err;

	memcpy(name, path, armed->tap.path_length);
	name[armed->tap.path_length] = 0;
	named = sonde_alloc_within(&armed->session->account->requested,
				   SONDE_MEMORY_TAPS, sizeof(*named),
				   GFP_KERNEL);
	if (!named)
		return -ENOMEM;
	named->armed = armed;
	named->tracepoint = sonde_tracepoint(name);
	err = named->tracepoint ?
		      tracepoint_probe_register(named->tracepoint, named_probe,
						named) :
		      -ENOENT;
	if (err) {
		sonde_refuse(why, err, "cannot use the tracepoint %s: %s", name,
			     named->tracepoint ? "the kernel refuses it" :
						 "this kernel has none");
		sonde_free(named);
		return err;
	}
	armed->named = named;
	sonde_spares_want(armed->session);
	return 0;
}

static void named_disarm(struct sonde_armed *armed)
{
	tracepoint_probe_unregister(armed->named->tracepoint, named_probe,
				    armed->named);
}

static void named_wait(void)
{
	tracepoint_synchronize_unregister();
}

static void named_free(struct sonde_armed *armed)
{
	sonde_free(armed->named);
}

const struct sonde_tap_ops sonde_named_taps = {
	.has_file = true,
	.kinds = BIT(SONDE_TAP_TRACEPOINT),
	.check = named_check,
	.arm = named_arm,
	.disarm = named_disarm,
	.wait = named_wait,
	.free = named_free,
};
