/* SPDX-License-Identifier: GPL-2.0 */
/* deferred.c: firings that may sleep */
#ifndef SONDE_DEFERRED_H
#define SONDE_DEFERRED_H

#include <linux/ptrace.h>

#include "kmod/device/session.h"
#include "kmod/device/task_work.h"
#include "kmod/shared/leave.h"

#define SONDE_BAD_MAX 8u

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

bool sonde_may_read(u64 address);
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
