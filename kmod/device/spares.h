/* SPDX-License-Identifier: GPL-2.0 */
/* spares.c: variables of threads for firings that must not allocate */
#ifndef SONDE_SPARES_H
#define SONDE_SPARES_H

#include "kmod/device/session.h"

void sonde_spares_init(struct sonde_session *session);
void sonde_spares_want(struct sonde_session *session);
void sonde_spares_fill(struct sonde_session *session);
struct sonde_thread *sonde_spares_take(struct sonde_session *session);
void sonde_spares_end(struct sonde_session *session);

#endif
