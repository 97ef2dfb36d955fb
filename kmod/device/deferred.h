/* SPDX-License-Identifier: GPL-2.0 */
/* deferred.c: firings that may sleep */
#ifndef SONDE_DEFERRED_H
#define SONDE_DEFERRED_H

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>

#include "kmod/device/session.h"
#include "kmod/device/task_work.h"
#include "kmod/shared/leave.h"

#define SONDE_BAD_MAX 8u
#define SONDE_FAULTS_MAX 64u /* loads that may fail in one firing; later ones fault untried */

/* The absent memory that programs on this CPU have tried to read. */
struct sonde_absence {
	bool watched;
	bool notes; /* the run can be repeated */
	u32 faults; /* of the firing */
	bool noted; /* the fields below are valid */
	bool text;
	u32 length;
	u64 address;
	u32 bad_count;
	const u64 *bad; /* addresses that must not be noted */
	const struct sonde_firing *deferred; /* the last firing that was deferred */
};

/* Of task context, and of interrupts. */
DECLARE_PER_CPU(struct sonde_absence[2], sonde_absences);

/* A firing that may sleep, and be held by its ECBs. */
struct sonde_deferred {
	struct list_head node; /* in waiting of a tracee, or in later of another firing */
	struct list_head later; /* firings that the same thread deferred later */
	struct sonde_task_work work;
	struct sonde_firing firing;
	struct pt_regs regs; /* a copy from the time of the firing */
	struct sonde_probe *probe;
	u32 last_epid; /* ECBs up to this one have run */
	bool timed; /* an ECB has recorded; the others use its time */
	u32 left; /* number of attempts left */
	u32 bad_count;
	u64 bad[SONDE_BAD_MAX]; /* addresses that cannot be read */
	u64 locals[SONDE_DIF_LOCALS]; /* as the last ECB left them */
	struct sonde_leave leave; /* a jump that is not judged yet, or NONE */
};

bool sonde_is_bad(const struct sonde_absence *here, u64 address);

/**
 * sonde_may_read() - whether the running program may try to read user memory
 * @address: its address
 *
 * A walk of a user stack asks it a hundred times, so it is inline.
 *
 * Context: Any but NMI; preemption is off in a firing.
 */
static __always_inline bool sonde_may_read(u64 address)
{
	const struct sonde_absence *here =
		raw_cpu_ptr(&sonde_absences[!in_task()]);

	return !here->watched ||
	       (!here->noted && here->faults < SONDE_FAULTS_MAX &&
		(likely(!here->bad_count) || !sonde_is_bad(here, address)));
}

void sonde_note_fault(void);
void sonde_note_absent(u64 address, u32 length, bool text);
struct sonde_deferred *sonde_defer_make(const struct sonde_firing *firing,
					struct sonde_probe *probe,
					const struct sonde_leave *leave,
					gfp_t gfp);
void sonde_run_deferred(void);
void sonde_fire_after(struct sonde_firing *firing, struct sonde_probe *probe,
		      const struct sonde_leave *leave);
bool sonde_fire_deferred(struct sonde_deferred *deferred,
			 struct sonde_tracee *tracee);
void sonde_fire_watch(void);
void sonde_fire_user(struct sonde_firing *firing,
		     const struct sonde_ecb_entry *ecb);
bool sonde_is_deferred(const struct sonde_firing *firing);

#endif
