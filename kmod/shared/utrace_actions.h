/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * utrace: events and answers of engines, in the kernel and in user space
 *
 * An answer is one number with up to three fields: a resume action and, for reports of signals and system calls, what
 * to do with these.
 */
#ifndef SONDE_UTRACE_ACTIONS_H
#define SONDE_UTRACE_ACTIONS_H

#ifdef __cplusplus
#include <stdint.h>
#define UTRACE_ENUM(name) enum name : uint32_t
#else
#define UTRACE_ENUM(name) enum name
#endif

UTRACE_ENUM(utrace_resume_action) {
	UTRACE_STOP = 0, /* most constrained */
	UTRACE_INTERRUPT = 1,
	UTRACE_REPORT = 2,
	UTRACE_SINGLESTEP = 3,
	UTRACE_BLOCKSTEP = 4,
	UTRACE_RESUME = 5,
	UTRACE_DETACH = 6,
	UTRACE_RESUME_MASK = 0x07,
};

UTRACE_ENUM(utrace_signal_action) {
	UTRACE_SIGNAL_DELIVER = 0x00,
	UTRACE_SIGNAL_IGN = 0x10,
	UTRACE_SIGNAL_TERM = 0x20,
	UTRACE_SIGNAL_CORE = 0x30,
	UTRACE_SIGNAL_STOP = 0x40,
	UTRACE_SIGNAL_TSTP = 0x50,
	UTRACE_SIGNAL_REPORT = 0x60,
	UTRACE_SIGNAL_HANDLER = 0x70,
	UTRACE_SIGNAL_MASK = 0xf0,
	UTRACE_SIGNAL_HOLD = 0x100,
};

UTRACE_ENUM(utrace_syscall_action) {
	UTRACE_SYSCALL_RUN = 0x00,
	UTRACE_SYSCALL_ABORT = 0x10,
	UTRACE_SYSCALL_MASK = 0xf0,
	UTRACE_SYSCALL_RESUMED = 0x100,
};

/* SIGNAL: to a handler; the four behind it: by default */
#define UTRACE_EVENTS(X)                                                                            \
	X(QUIESCE) X(REAP) X(CLONE) X(EXEC) X(EXIT) X(DEATH) X(SYSCALL_ENTRY) X(SYSCALL_EXIT)       \
	X(SIGNAL) X(SIGNAL_IGN) X(SIGNAL_STOP) X(SIGNAL_TERM) X(SIGNAL_CORE) X(JCTL)

UTRACE_ENUM(utrace_events) {
#define UTRACE_EVENT_NUMBER(name) _UTRACE_EVENT_##name,
	UTRACE_EVENTS(UTRACE_EVENT_NUMBER)
#undef UTRACE_EVENT_NUMBER
	_UTRACE_NEVENTS
};

/* The bits by which an engine asks for them. */
UTRACE_ENUM(utrace_event_bits) {
#define UTRACE_EVENT_BIT(name) UTRACE_EVENT_##name = 1 << _UTRACE_EVENT_##name,
	UTRACE_EVENTS(UTRACE_EVENT_BIT)
#undef UTRACE_EVENT_BIT
	UTRACE_EVENT_SYSCALL = UTRACE_EVENT_SYSCALL_ENTRY | UTRACE_EVENT_SYSCALL_EXIT,
	UTRACE_EVENT_SIGNAL_ALL = UTRACE_EVENT_SIGNAL | UTRACE_EVENT_SIGNAL_IGN | UTRACE_EVENT_SIGNAL_STOP |
				  UTRACE_EVENT_SIGNAL_TERM | UTRACE_EVENT_SIGNAL_CORE,
};

UTRACE_ENUM(utrace_attach_flags) {
	UTRACE_ATTACH_MATCH_OPS = 1,
	UTRACE_ATTACH_MATCH_DATA = 2,
	UTRACE_ATTACH_EXCLUSIVE = 4,
	UTRACE_ATTACH_CREATE = 8,
};

#undef UTRACE_ENUM

#endif
