/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timers: what differs between kernel versions.
 */
#ifndef SONDE_COMPAT_TIMER_H
#define SONDE_COMPAT_TIMER_H

#include <linux/hrtimer.h>
#include <linux/version.h>

/* hrtimer_setup() was added in 6.13; hrtimer_init() was removed in 6.15. */
static inline void sonde_timer_setup(struct hrtimer *timer,
				     enum hrtimer_restart (*expired)(struct hrtimer *),
				     enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, expired, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = expired;
#endif
}

#endif
