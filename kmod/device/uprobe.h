/* SPDX-License-Identifier: GPL-2.0 */
/* uprobe.c: taps in user programs */
#ifndef SONDE_UPROBE_H
#define SONDE_UPROBE_H

void sonde_uprobes_init(void);

#endif
