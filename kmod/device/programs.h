/* SPDX-License-Identifier: GPL-2.0 */
/* programs.c: programs and ECBs */
#ifndef SONDE_PROGRAMS_H
#define SONDE_PROGRAMS_H

#include "kmod/device/session.h"

/*
 * The maximal cost of what fires at once, in plain instructions: some
 * milliseconds. A probe may not exceed it; where several probes of a session
 * fire together, those that exceed it are lost.
 */
#define SONDE_COST_MAX(session) ((session)->privileged ? 4000000u : 400000u)

/* probes.c */
struct sonde_probe *sonde_probe_get(struct sonde_session *session, u32 id);

/* programs.c */
int sonde_program_load(struct sonde_session *session, u32 id, const void *bytes,
		       u64 length, char *why);
int sonde_ecbs_add(struct sonde_session *session, void *bytes, u64 length,
		   char *why);
int sonde_ecbs_remove(struct sonde_session *session, const void *bytes,
		      u64 length, char *why);
void sonde_programs_destroy(struct sonde_session *session);

#endif
