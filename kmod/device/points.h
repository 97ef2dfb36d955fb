/* SPDX-License-Identifier: GPL-2.0 */
/* points.c: taps on tracepoints */
#ifndef SONDE_POINTS_H
#define SONDE_POINTS_H

void sonde_points_init(void);

#endif
