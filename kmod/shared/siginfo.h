/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The contents of a siginfo as arguments of a probe: the roles SONDE_ARG_SIGINFO_ of event.h
 *
 *   siginfo:  | signo | errno | code | pad | fields: a union, by signal and code ... |
 *
 * The valid member of the union depends on signal and code. It is determined here, once for the guard and the kernel
 * module, so that a script that reads si_value of a fault gets 0 and not an address.
 */
#ifndef SONDE_SIGINFO_H
#define SONDE_SIGINFO_H

#include "kmod/shared/event.h"

#ifdef __KERNEL__
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stdint.h>
#include <string.h>
#endif

enum sonde_siginfo_layout {
	SONDE_SIGINFO_KILL, /* pid, uid */
	SONDE_SIGINFO_TIMER, /* value */
	SONDE_SIGINFO_QUEUE, /* pid, uid, value */
	SONDE_SIGINFO_CHILD, /* pid, uid, status, times */
	SONDE_SIGINFO_FAULT, /* addr; for SIGSYS the address of the call */
	SONDE_SIGINFO_POLL, /* band, fd */
};

/* Like the kernel's siginfo_layout(). */
static inline enum sonde_siginfo_layout sonde_siginfo_layout(int number, int code)
{
	if (code == -2) /* SI_TIMER */
		return SONDE_SIGINFO_TIMER;
	if (code == -5) /* SI_SIGIO */
		return SONDE_SIGINFO_POLL;
	if (code < 0)
		return SONDE_SIGINFO_QUEUE;
	if (code == 0 || code >= 0x80) /* SI_USER, SI_KERNEL */
		return SONDE_SIGINFO_KILL;
	switch (number) {
	case 4: /* SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS */
	case 5:
	case 7:
	case 8:
	case 11:
	case 31:
		return SONDE_SIGINFO_FAULT;
	case 17:
		return SONDE_SIGINFO_CHILD;
	default:
		return SONDE_SIGINFO_POLL;
	}
}

static inline int32_t sonde_siginfo_int(const void *fields, unsigned int offset)
{
	int32_t value;

	memcpy(&value, (const char *)fields + offset, sizeof(value));
	return value;
}

static inline uint64_t sonde_siginfo_word(const void *fields, unsigned int offset)
{
	uint64_t value;

	memcpy(&value, (const char *)fields + offset, sizeof(value));
	return value;
}

/* Fills in all of `args` (SONDE_DIF_ARGS) except what the kind of tap adds: the receiver, the handler. `fields`: the union of a 64-bit siginfo, at byte 16. */
static inline void sonde_siginfo_args(uint64_t *args, int number, int error, int code, const void *fields)
{
	enum sonde_siginfo_layout layout = sonde_siginfo_layout(number, code);
	int sent = layout == SONDE_SIGINFO_KILL || layout == SONDE_SIGINFO_QUEUE || layout == SONDE_SIGINFO_CHILD;
	int valued = layout == SONDE_SIGINFO_TIMER || layout == SONDE_SIGINFO_QUEUE;
	int child = layout == SONDE_SIGINFO_CHILD, poll = layout == SONDE_SIGINFO_POLL;

	args[SONDE_ARG_SIGINFO_NUMBER] = (uint64_t)number;
	args[SONDE_ARG_SIGINFO_CODE] = (uint64_t)(int64_t)code;
	args[SONDE_ARG_SIGINFO_SENDER] = sent ? (uint64_t)(int64_t)sonde_siginfo_int(fields, 0) : 0;
	args[SONDE_ARG_SIGINFO_UID_ERROR] =
		(uint64_t)(uint32_t)error << 32 | (sent ? (uint32_t)sonde_siginfo_int(fields, 4) : 0);
	args[SONDE_ARG_SIGINFO_ADDRESS] = layout == SONDE_SIGINFO_FAULT ? sonde_siginfo_word(fields, 0) : 0;
	args[SONDE_ARG_SIGINFO_VALUE] = valued ? sonde_siginfo_word(fields, 8) : 0;
	args[SONDE_ARG_SIGINFO_STATUS_FD] =
		child || poll ? (uint64_t)(int64_t)sonde_siginfo_int(fields, 8) : 0;
	args[SONDE_ARG_SIGINFO_TIMES_BAND] = poll ? sonde_siginfo_word(fields, 0) : 0;
	if (child)
		args[SONDE_ARG_SIGINFO_TIMES_BAND] =
			sonde_siginfo_word(fields, 24) << 32 | (uint32_t)sonde_siginfo_word(fields, 16);
}

#endif
