/* SPDX-License-Identifier: GPL-2.0 */
/* named.c: taps on tracepoints that they name */
#ifndef SONDE_NAMED_H
#define SONDE_NAMED_H

#include <linux/percpu.h>

struct sonde_firing;
struct sonde_probe;

/* On this CPU a tap of a tracepoint or of a function of the kernel fires, under whatever locks the kernel holds there. */
DECLARE_PER_CPU(bool, sonde_under_locks);

void sonde_fire_under_locks(struct sonde_firing *firing,
			    struct sonde_probe *probe);

#endif
