/* SPDX-License-Identifier: GPL-2.0 */
/* reenter.c: jumps to a function's start that are not entries */
#ifndef SONDE_REENTER_H
#define SONDE_REENTER_H

#include "kmod/device/session.h"

void sonde_reenter_note(struct sonde_session *session, u32 probe, u64 entry,
			u64 sp);
bool sonde_reenter_take(struct sonde_session *session, u32 probe, u64 entry,
			u64 sp);
void sonde_reenter_forget(struct sonde_session *session);
void sonde_reenter_destroy(struct sonde_session *session);

#endif
