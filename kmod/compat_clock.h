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
 * Since 6.10 the vDSO avoids the multiplication where it would overflow, as
 * after a machine was halted for minutes. Earlier kernels multiply, and so do
 * we: records and their readers must have the same clock.
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
