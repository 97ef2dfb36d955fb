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

/* The same where interrupts are off: signals, whatever a timer fires, tracepoints, functions of the kernel. */
#define SONDE_COST_URGENT(session) (SONDE_COST_MAX(session) / 10)
#define SONDE_URGENT_KINDS \
	(BIT(SONDE_TAP_SIGNAL_SEND) | BIT(SONDE_TAP_SIGNAL_DELIVER) | \
	 BIT(SONDE_TAP_SIGNAL_DISCARD) | BIT(SONDE_TAP_PROFILE) | \
	 BIT(SONDE_TAP_TICK) | BIT(SONDE_TAP_TRACEPOINT) | \
	 BIT(SONDE_TAP_KERNEL_ENTRY) | BIT(SONDE_TAP_KERNEL_RETURN))

static inline u32 sonde_cost_max(const struct sonde_session *session,
				 bool urgent)
{
	return urgent ? SONDE_COST_URGENT(session) : SONDE_COST_MAX(session);
}

int sonde_cost_check(const struct sonde_session *session, u32 probe, u64 cost,
		     bool urgent, char *why);

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
