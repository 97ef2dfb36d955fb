/* SPDX-License-Identifier: GPL-2.0 */
/* status.c: /proc/sonde */
#ifndef SONDE_STATUS_H
#define SONDE_STATUS_H

int sonde_status_init(void);
void sonde_status_exit(void);

#endif
