/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Which fields of a request may be set
 *
 * A field that the kind does not use must be 0, and so must flags and everything that is reserved. A request with
 * another value there is refused: so a later source can give the field a meaning, and no older client will have set it
 * by chance. Both sources use these checks.
 */
#ifndef SONDE_REQUEST_H
#define SONDE_REQUEST_H

#ifdef __KERNEL__
#include <linux/stddef.h>
#else
#include <stddef.h>
#endif

#include "kmod/shared/abi.h"

enum {
	SONDE_USES_ID = 1,
	SONDE_USES_VALUE = 2,
	SONDE_USES_ADDRESS = 4,
	SONDE_USES_LENGTH = 8, /* has a payload, or wants one */
};

/* The fields that a kind uses; all of them if the kind is unknown. */
static inline unsigned sonde_request_uses(uint32_t kind)
{
	switch (kind) {
	case SONDE_GO:
	case SONDE_STATISTICS:
	case SONDE_SESSIONS: return 0;
	case SONDE_HELLO:
	case SONDE_ATTACH:
	case SONDE_DETACH: return SONDE_USES_VALUE;
	case SONDE_ACKNOWLEDGE:
	case SONDE_STACK: return SONDE_USES_ID;
	case SONDE_BUFFERS:
	case SONDE_RUN_TO_ENTRY: return SONDE_USES_ID | SONDE_USES_VALUE;
	case SONDE_RELEASE: return SONDE_USES_ID | SONDE_USES_VALUE | SONDE_USES_ADDRESS;
	case SONDE_FOLLOW: return SONDE_USES_ID | SONDE_USES_VALUE | SONDE_USES_LENGTH;
	case SONDE_PROGRAM_LOAD: return SONDE_USES_ID | SONDE_USES_LENGTH;
	case SONDE_ECB_ADD:
	case SONDE_ECB_REMOVE:
	case SONDE_TAP_ARM:
	case SONDE_TAP_DISARM: return SONDE_USES_VALUE | SONDE_USES_LENGTH;
	case SONDE_SPAWN: return SONDE_USES_LENGTH;
	case SONDE_READ_MEMORY:
	case SONDE_WRITE_MEMORY: return SONDE_USES_ID | SONDE_USES_ADDRESS | SONDE_USES_LENGTH;
	default: return ~0u;
	}
}

/* Whether `request` has as many elements of that size as it states. */
static inline int sonde_request_counts(const struct sonde_request *request, uint64_t size)
{
	return request->length / size == request->value && request->length % size == 0;
}

/* What is wrong with it, as a text; NULL: nothing. */
static inline const char *sonde_request_fault(const struct sonde_request *request)
{
	const unsigned uses = sonde_request_uses(request->kind);

	if (request->flags || request->reserved)
		return "flags or reserved of the request are not 0";
	if ((request->id && !(uses & SONDE_USES_ID)) || (request->value && !(uses & SONDE_USES_VALUE)) ||
	    (request->address && !(uses & SONDE_USES_ADDRESS)) || (request->length && !(uses & SONDE_USES_LENGTH)))
		return "a field that its kind does not use is not 0";
	if (request->kind == SONDE_FOLLOW && request->length && (request->id || request->value))
		return "who follows files by a wildcard names no process";
	if (request->kind == SONDE_RELEASE && request->address && !(request->value & SONDE_RELEASE_RESULT))
		return "a result for a call that is made";
	if (request->kind == SONDE_ECB_ADD && !sonde_request_counts(request, sizeof(struct sonde_ecb)))
		return "array of ECBs";
	if ((request->kind == SONDE_ECB_REMOVE || request->kind == SONDE_TAP_DISARM) &&
	    !sonde_request_counts(request, sizeof(uint32_t)))
		return "array of ids";
	return NULL;
}

/* The same for a tap, for fields that its kind, or no kind yet, uses. */
static inline const char *sonde_tap_fault(const struct sonde_tap *tap)
{
	const int user = tap->kind == SONDE_TAP_USER_ENTRY || tap->kind == SONDE_TAP_USER_RETURN ||
			 tap->kind == SONDE_TAP_USER_OFFSET;
	unsigned n;

	for (n = 0; n < sizeof(tap->reserved) / sizeof(tap->reserved[0]); n++) {
		if (tap->reserved[n])
			return "reserved fields of a tap are not 0";
	}
	if ((tap->flags & ~(SONDE_TAP_FORKS | SONDE_TAP_NOP)) || tap->returns || tap->machine)
		return "flags, returns or machine of a tap are not 0";
	if ((tap->flags & SONDE_TAP_NOP) && tap->kind != SONDE_TAP_USER_OFFSET)
		return "flags of a tap that is not at an instruction are not 0";
	if (tap->arguments && !user)
		return "locations of a tap that is not of a user program: their number is not 0";
	if ((tap->inode || tap->major || tap->minor) && !user)
		return "inode, major or minor of a tap that is not of a user program are not 0";
	if (tap->arguments > SONDE_LOCATIONS_MAX)
		return "too many locations of a tap";
	if (tap->counters && !user)
		return "counters of a tap that is not of a user program: their number is not 0";
	if (tap->counters > SONDE_COUNTERS_MAX)
		return "too many counters of a tap";
	if ((tap->flags & SONDE_TAP_FORKS) && (!user || !tap->pid))
		return "only user taps of one process follow its forks";
	return NULL;
}

#endif
