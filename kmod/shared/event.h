/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What fires a probe: a row for each kind of tap, with the roles of its arguments
 *
 *   KIND(CREATE, "-", "a process is made; in the parent",
 *        ARG(CREATE, CHILD, 0, 1, "pid_t", "the child's pid") ...)
 *              |       |    |  |     |
 *              |       |    |  |     native type, for dtps_getargdesc; "string" is a text of the event, not a word
 *              |       |    first argN, and how many
 *              enum sonde_tap_kind, and SONDE_ARG_CREATE_CHILD
 *
 * An event means the same on every source: the guard and the kernel module fill in args[] by these names, and by the
 * functions below if both know the facts; providers describe their arguments by them; docs/provider-interface.md has
 * the table (event_table.py prints it). An argument without a role is 0.
 */
#ifndef SONDE_EVENT_H
#define SONDE_EVENT_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

/*
 * The origin of a process is the target whose program it runs: a target's is itself; that of a process which was forked
 * is its parent's, until it executes another program; then it has none.
 */
#define SONDE_TAP_FORKS 1u /* a flag of user taps that name a pid: they fire in every process that has it as its origin */
#define SONDE_TAP_NOP 2u /* a flag of USER_OFFSET: the instruction is a nop. Where it is none, the file has changed, and the tap is not armed */

/*
 * The number of a tap of SYSCALL_* on calls whose number has no name. Its `offset` is the number that the program gives,
 * 64-bit and 32-bit code alike; 0: every such number that no other tap of the session gives.
 */
#define SONDE_UNNAMED_CALLS 1024u

/* Roles of a siginfo; siginfo.h fills them in. */
#define SONDE_SIGINFO_ROLES(kind, ARG)                                                        \
	ARG(kind, NUMBER, 0, 1, "int", "the signal")                                          \
	ARG(kind, CODE, 1, 1, "int", "si_code")                                               \
	ARG(kind, SENDER, 2, 1, "pid_t", "si_pid")                                            \
	ARG(kind, UID_ERROR, 5, 1, "uint64_t", "si_uid; above bit 32 si_errno")               \
	ARG(kind, ADDRESS, 6, 1, "uintptr_t", "si_addr")                                      \
	ARG(kind, VALUE, 7, 1, "uint64_t", "si_value")                                        \
	ARG(kind, STATUS_FD, 8, 1, "int", "of SIGCHLD si_status, else si_fd")                 \
	ARG(kind, TIMES_BAND, 9, 1, "uint64_t", "of SIGCHLD si_utime and, above bit 32, si_stime; else si_band")

#define SONDE_RECEIVER_ROLES(kind, ARG)                                                       \
	ARG(kind, RECEIVER_PID, 3, 1, "pid_t", "the receiver's pid")                          \
	ARG(kind, RECEIVER_TID, 4, 1, "id_t", "the receiver's tid")

#define SONDE_FUNCTION_ROLES(kind, ARG)                                                       \
	ARG(kind, FUNCTION, 0, 10, "long", "the function's arguments")

#define SONDE_LEAVE_ROLES(kind, ARG)                                                          \
	ARG(kind, OFFSET, 0, 1, "uint64_t", "offset of the instruction from the entry")       \
	ARG(kind, VALUE, 1, 1, "long", "the value")

#define SONDE_END_ROLES(kind, ARG)                                                            \
	ARG(kind, REASON, 0, 1, "int", "CLD_EXITED, CLD_KILLED or CLD_DUMPED")                \
	ARG(kind, STATUS, 1, 1, "int", "the exit status, or the signal")

#define SONDE_SAMPLE_ROLES(kind, ARG)                                                         \
	ARG(kind, KERNEL_PC, 0, 1, "uintptr_t", "the kernel's program counter; 0: not in the kernel, or hidden from this user") \
	ARG(kind, USER_PC, 1, 1, "uintptr_t", "the user's program counter; 0: not in user mode")

/* KIND(name, selector, where it fires, arguments or nothing) ARG(kind, role, first, count, native type, meaning) */
#define SONDE_TAP_KINDS(KIND, ARG)                                                            \
	KIND(SYSCALL_ENTRY, "number", "before a system call",                                 \
	     ARG(SYSCALL_ENTRY, CALL, 0, 6, "long", "the call's arguments"))                  \
	KIND(SYSCALL_RETURN, "number", "after a system call",                                 \
	     ARG(SYSCALL_RETURN, RESULT, 0, 2, "long", "the result; -1 if the call failed"))  \
	KIND(CREATE, "-", "in the parent of a new process",                                   \
	     ARG(CREATE, CHILD, 0, 1, "pid_t", "the child's pid")                             \
	     ARG(CREATE, FLAGS, 1, 1, "uint64_t", "clone flags"))                             \
	KIND(START, "-", "in the new process, before it runs",)                                \
	KIND(LWP_CREATE, "-", "in the creator of a new thread",                               \
	     ARG(LWP_CREATE, CHILD, 0, 1, "id_t", "the new thread's tid")                     \
	     ARG(LWP_CREATE, FLAGS, 1, 1, "uint64_t", "clone flags"))                         \
	KIND(LWP_START, "-", "in the new thread",)                                             \
	KIND(EXEC, "-", "an exec was asked for",                                              \
	     ARG(EXEC, PATH, 0, 1, "string", "text 0: the path"))                             \
	KIND(EXEC_SUCCESS, "-", "in the new program",)                                         \
	KIND(EXEC_FAILURE, "-", "an exec has failed",                                         \
	     ARG(EXEC_FAILURE, ERROR, 0, 1, "int", "the errno"))                              \
	KIND(EXIT, "-", "the process ends", SONDE_END_ROLES(EXIT, ARG))                       \
	KIND(LWP_EXIT, "-", "a thread ends", SONDE_END_ROLES(LWP_EXIT, ARG))                  \
	KIND(SIGNAL_SEND, "-", "in the sender",                                               \
	     SONDE_SIGINFO_ROLES(SIGNAL_SEND, ARG) SONDE_RECEIVER_ROLES(SIGNAL_SEND, ARG))    \
	KIND(SIGNAL_DELIVER, "-", "in the receiver, before it acts on it",                    \
	     SONDE_SIGINFO_ROLES(SIGNAL_DELIVER, ARG)                                         \
	     ARG(SIGNAL_DELIVER, HANDLER, 3, 1, "uintptr_t", "the handler; 0: none, 2: one whose address the source does not know")) \
	KIND(SIGNAL_DISCARD, "-", "in the receiver, which ignores it",                        \
	     SONDE_SIGINFO_ROLES(SIGNAL_DISCARD, ARG) SONDE_RECEIVER_ROLES(SIGNAL_DISCARD, ARG)) \
	KIND(USER_ENTRY, "path + offset", "a function begins", SONDE_FUNCTION_ROLES(USER_ENTRY, ARG)) \
	KIND(USER_RETURN, "path + offset", "a function returns", SONDE_LEAVE_ROLES(USER_RETURN, ARG)) \
	KIND(USER_OFFSET, "path + offset", "before an instruction",                           \
	     ARG(USER_OFFSET, REGISTERS, 0, 6, "long", "values of the argument registers"))   \
	KIND(PROFILE, "period", "on every CPU, in the running thread", SONDE_SAMPLE_ROLES(PROFILE, ARG)) \
	KIND(TICK, "period", "on one CPU, in the running thread", SONDE_SAMPLE_ROLES(TICK, ARG)) \
	KIND(KERNEL_ENTRY, "module + symbol", "a function of the kernel begins", \
	     SONDE_FUNCTION_ROLES(KERNEL_ENTRY, ARG))                                         \
	KIND(KERNEL_RETURN, "module + symbol", "a function of the kernel returns", \
	     SONDE_LEAVE_ROLES(KERNEL_RETURN, ARG))                                           \
	KIND(TRACEPOINT, "symbol", "a tracepoint of the kernel",                              \
	     ARG(TRACEPOINT, ARGUMENT, 0, 10, "long", "the tracepoint's arguments"))          \
	KIND(COUNTER, "event + count", "after so many events of a CPU, in the running thread", SONDE_SAMPLE_ROLES(COUNTER, ARG))

#define SONDE_TAP_ENUM(name, ...) SONDE_TAP_##name,
#define SONDE_TAP_ROLES(name, selector, when, ...) __VA_ARGS__
#define SONDE_NO_ROLE(kind, role, first, count, type, meaning)
#define SONDE_ROLE_ENUM(kind, role, first, count, type, meaning) SONDE_ARG_##kind##_##role = (first),

enum sonde_tap_kind { SONDE_TAP_KINDS(SONDE_TAP_ENUM, SONDE_NO_ROLE) SONDE_TAP_KIND_COUNT };

/*
 * The path of code that the process `pid` has compiled at run time, in its own memory: offset and function are
 * addresses. Sources that need a file to arm refuse it.
 */
#define SONDE_PATH_CODE "[code]"

/*
 * Of COUNTER, `number` is the type of an event of perf_event_open(2), with these bits, `function` its config, `offset` the
 * count. `symbol` is its name, for messages.
 */
#define SONDE_COUNTER_NO_USER (1u << 30) /* what happens in user mode does not count */
#define SONDE_COUNTER_NO_KERNEL (1u << 31)

#define SONDE_PERIOD_MIN 200000u /* ns: the shortest of PROFILE and TICK */

/* Index of each role in args[]. */
enum sonde_role {
	SONDE_TAP_KINDS(SONDE_TAP_ROLES, SONDE_ROLE_ENUM)
	/* in all three events of signals, at the start and at the end of processes and threads */
	SONDE_SIGINFO_ROLES(SIGINFO, SONDE_ROLE_ENUM)
	SONDE_RECEIVER_ROLES(SIGNAL, SONDE_ROLE_ENUM)
	SONDE_END_ROLES(END, SONDE_ROLE_ENUM)
	SONDE_SAMPLE_ROLES(SAMPLE, SONDE_ROLE_ENUM)
};

/* Whether taps of this kind are at functions of the kernel. */
static inline int sonde_tap_of_kernel_function(enum sonde_tap_kind kind)
{
	return kind == SONDE_TAP_KERNEL_ENTRY || kind == SONDE_TAP_KERNEL_RETURN;
}

/* A process or thread is made: `child` is its number. */
static inline void sonde_create_args(uint64_t *args, uint64_t child, uint64_t flags)
{
	args[SONDE_ARG_CREATE_CHILD] = child;
	args[SONDE_ARG_CREATE_FLAGS] = flags;
}

/* A call returns. `error`: 0, or a positive errno. */
static inline void sonde_result_args(uint64_t *args, int error, uint64_t result)
{
	args[SONDE_ARG_SYSCALL_RETURN_RESULT] = error ? ~(uint64_t)0 : result;
	args[SONDE_ARG_SYSCALL_RETURN_RESULT + 1] = args[SONDE_ARG_SYSCALL_RETURN_RESULT];
}

/* The receiver of a signal. */
static inline void sonde_receiver_args(uint64_t *args, int64_t pid, int64_t tid)
{
	args[SONDE_ARG_SIGNAL_RECEIVER_PID] = (uint64_t)pid;
	args[SONDE_ARG_SIGNAL_RECEIVER_TID] = (uint64_t)tid;
}

/* The end of a thread or process. `status`: as wait() returns it. */
static inline void sonde_end_args(uint64_t *args, int status)
{
	int signal = status & 0x7f;

	/* CLD_EXITED, CLD_KILLED, CLD_DUMPED */
	args[SONDE_ARG_END_REASON] = signal == 0 ? 1 : status & 0x80 ? 3 : 2;
	args[SONDE_ARG_END_STATUS] = (uint64_t)(signal != 0 ? signal : status >> 8 & 0xff);
}

/* The instruction at that offset from the entry leaves its function. */
static inline void sonde_leave_args(uint64_t *args, uint64_t offset, uint64_t value)
{
	args[SONDE_ARG_USER_RETURN_OFFSET] = offset;
	args[SONDE_ARG_USER_RETURN_VALUE] = value;
}

#endif
