/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What a siginfo, or a wait status, says, as arguments of a probe
 *
 *   siginfo:  | signo | errno | code | pad | fields: a union, by signal and code ... |
 *   args:       arg0    arg5    arg1         arg2 and arg5.. arg9, 0 where it has no such field
 *
 * Which member of the union is valid follows from signal and code; it is judged here, once for the guard and the kernel module, so
 * that a script that reads si_value of a fault gets 0 and no address. Arguments 3 and 4 belong to the tap (abi.h).
 */
#ifndef SONDE_SIGINFO_H
#define SONDE_SIGINFO_H

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
	SONDE_SIGINFO_FAULT, /* addr; of SIGSYS the address of the call */
	SONDE_SIGINFO_POLL, /* band, fd */
};

/* As the kernel's siginfo_layout(). */
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

/* Fills in all of `args` (SONDE_DIF_ARGS) but 3 and 4. `fields`: the union of a 64-bit siginfo, at byte 16 of it. */
static inline void sonde_siginfo_args(uint64_t *args, int number, int error, int code, const void *fields)
{
	enum sonde_siginfo_layout layout = sonde_siginfo_layout(number, code);
	int sent = layout == SONDE_SIGINFO_KILL || layout == SONDE_SIGINFO_QUEUE || layout == SONDE_SIGINFO_CHILD;
	int valued = layout == SONDE_SIGINFO_TIMER || layout == SONDE_SIGINFO_QUEUE;
	int child = layout == SONDE_SIGINFO_CHILD, poll = layout == SONDE_SIGINFO_POLL;

	args[0] = (uint64_t)number;
	args[1] = (uint64_t)(int64_t)code;
	args[2] = sent ? (uint64_t)(int64_t)sonde_siginfo_int(fields, 0) : 0;
	args[5] = (uint64_t)(uint32_t)error << 32 | (sent ? (uint32_t)sonde_siginfo_int(fields, 4) : 0);
	args[6] = layout == SONDE_SIGINFO_FAULT ? sonde_siginfo_word(fields, 0) : 0;
	args[7] = valued ? sonde_siginfo_word(fields, 8) : 0;
	args[8] = child || poll ? (uint64_t)(int64_t)sonde_siginfo_int(fields, 8) : 0;
	args[9] = poll ? sonde_siginfo_word(fields, 0) : 0;
	if (child)
		args[9] = sonde_siginfo_word(fields, 24) << 32 | (uint32_t)sonde_siginfo_word(fields, 16);
}

/* How a thread or process ends: arg0 CLD_EXITED, CLD_KILLED or CLD_DUMPED, arg1 its status or the signal. `status`: as wait() shows it. */
static inline void sonde_end_args(uint64_t *args, int status)
{
	int signal = status & 0x7f;

	args[0] = signal == 0 ? 1 : status & 0x80 ? 3 : 2;
	args[1] = (uint64_t)(signal != 0 ? signal : status >> 8 & 0xff);
}

#endif
