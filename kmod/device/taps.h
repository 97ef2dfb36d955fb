/* SPDX-License-Identifier: GPL-2.0 */
/* taps.c: requests to arm and disarm taps. Their backends: tap.h */
#ifndef SONDE_TAPS_H
#define SONDE_TAPS_H

#include "kmod/device/session.h"

int sonde_taps_update(struct sonde_session *session, char *why);
int sonde_taps_retarget(struct sonde_session *session, char *why);
int sonde_taps_rehold(struct sonde_session *session, char *why);
int sonde_taps_arm(struct sonde_session *session, u64 count, const void *bytes,
		   u64 length, char *why);
int sonde_taps_disarm(struct sonde_session *session, const void *bytes,
		      u64 length, char *why);
void sonde_taps_destroy(struct sonde_session *session);

#endif
