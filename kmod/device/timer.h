/* SPDX-License-Identifier: GPL-2.0 */
/* timer.c: taps that a timer fires */
#ifndef SONDE_TIMER_H
#define SONDE_TIMER_H

#include <linux/percpu.h>

DECLARE_PER_CPU(bool, sonde_sampling);
int sonde_timers_init(void);
void sonde_timers_exit(void);

#endif
