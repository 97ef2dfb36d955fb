/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of records: CLOCK_MONOTONIC, ns
 *
 * Readers compare timestamps with their own reading of that clock
 * (kmod/shared/record.h), so an approximation is not sufficient. Like them, we
 * compute it from the numbers in the vDSO's page. That takes half the
 * instructions of ktime_get_ns(), which is used where the vDSO does not read
 * the processor's counter.
 */
#ifndef SONDE_CLOCK_H
#define SONDE_CLOCK_H

#include <linux/timekeeping.h>
#include <asm/barrier.h>
#include <vdso/datapage.h>
#include <vdso/time64.h>

#include "kmod/arch.h"
#include "kmod/compat_clock.h"

extern const struct sonde_vdso_clock *sonde_vdso;

u64 sonde_clock_otherwise(void);

static __always_inline u64 sonde_clock(void)
{
	const struct sonde_vdso_clock *clock = sonde_vdso;
	u64 now, cycles, last;
	u32 begun;

	do {
		begun = READ_ONCE(clock->seq);
		smp_rmb(); /* as the vDSO: orders seq before the data */
		if (unlikely((begun & 1) ||
			     clock->clock_mode != SONDE_CLOCKMODE))
			return sonde_clock_otherwise();
		now = clock->basetime[CLOCK_MONOTONIC].nsec;
		last = clock->cycle_last;
		cycles = sonde_cycles();
		if (likely(cycles > last)) {
			if (unlikely(SONDE_VDSO_OVERFLOWS(clock, cycles - last)))
				return sonde_clock_otherwise();
			now += (cycles - last) * clock->mult;
		}
		now >>= clock->shift;
		now += clock->basetime[CLOCK_MONOTONIC].sec * NSEC_PER_SEC;
		smp_rmb(); /* and the data before seq */
	} while (unlikely(READ_ONCE(clock->seq) != begun));
	return now;
}

#endif
