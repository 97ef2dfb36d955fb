/* SPDX-License-Identifier: GPL-2.0 */
/* targets.c: which tasks a session traces */
#ifndef SONDE_TARGETS_H
#define SONDE_TARGETS_H

#include "kmod/device/covers.h"
#include "kmod/device/session.h"

void sonde_targets_find(void);
int sonde_exit_status(void);
int sonde_targets_init(struct sonde_session *session);
int sonde_target_add(struct sonde_session *session, u64 pid, char *why);
int sonde_target_remove(struct sonde_session *session, u64 pid, char *why);
int sonde_targets_remove(struct sonde_session *session, u64 *count, char *why);
int sonde_target_follow(struct sonde_session *session, u64 pid, bool forks,
			char *why);
void sonde_targets_changed(struct sonde_session *session);

#endif
