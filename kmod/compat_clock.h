/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The vDSO's page: what differs between kernel versions
 */
#ifndef SONDE_COMPAT_CLOCK_H
#define SONDE_COMPAT_CLOCK_H

#include <linux/version.h>
#include <vdso/datapage.h>

#include "kmod/core/hooks.h"

/*
 * Since 6.10 the vDSO does not multiply where that would overflow, as behind a
 * machine that stood still for minutes; before, it does, and so do we: records
 * and readers have one clock.
 */
#ifdef CONFIG_GENERIC_VDSO_OVERFLOW_PROTECT
#define SONDE_VDSO_OVERFLOWS(clock, cycles) ((cycles) > (clock)->max_cycles)
#else
#define SONDE_VDSO_OVERFLOWS(clock, cycles) false
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)

#define sonde_vdso_clock vdso_clock

static inline const struct sonde_vdso_clock *sonde_vdso_find(void)
{
	struct vdso_time_data **page = (void *)sonde_lookup("vdso_k_time_data");

	return page && *page ? &(*page)->clock_data[CS_HRES_COARSE] : NULL;
}

#else

#define sonde_vdso_clock vdso_data

static inline const struct sonde_vdso_clock *sonde_vdso_find(void)
{
	struct vdso_data *page = (void *)sonde_lookup("_vdso_data");

	return page ? &page[CS_HRES_COARSE] : NULL;
}

#endif

#endif
