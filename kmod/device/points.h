/* SPDX-License-Identifier: GPL-2.0 */
/* points.c: taps on tracepoints */
#ifndef SONDE_POINTS_H
#define SONDE_POINTS_H

#include <linux/types.h>

void sonde_points_init(void);
int sonde_exit_status(void);

#endif
