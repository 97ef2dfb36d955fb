/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/utrace_test: the utrace API, call by call, for a test program.
 *
 * An open file is one engine. Its callbacks log their events, which read()
 * returns as struct utrace_test_entry, and answer as RESPOND has set.
 */
#ifndef UTRACE_TEST_H
#define UTRACE_TEST_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Events have the numbers of utrace.h; the others appear only in the log. */
#define UTRACE_TEST_NO_EVENT 14		/* report_quiesce(0) */
#define UTRACE_TEST_REQUEST 15		/* report_signal(SIGNAL_REPORT) */
#define UTRACE_TEST_HANDLER 16		/* report_signal(SIGNAL_HANDLER) */
#define UTRACE_TEST_RELEASE 17
#define UTRACE_TEST_FOUND 18		/* and the other callbacks of finders */
#define UTRACE_TEST_GONE 19
#define UTRACE_TEST_MAPPED 20
#define UTRACE_TEST_UNMAPPED 21
#define UTRACE_TEST_PROTECTED 22
#define UTRACE_TEST_WAITING 23		/* a callback waits for GO_ON */
#define UTRACE_TEST_EVENTS 24

struct utrace_test_entry {
	__u32 event;
	__u32 action;
	__s32 tid;		/* of the thread that the callback ran in */
	__u32 no_calls;		/* calls that change mappings are not reported */
	__s64 a, b, c;		/* values of the event */
	__u64 offset;		/* of MAPPED, in the file */
	char path[64];		/* its file's, or the end of it */
};

struct utrace_test_attach {
	__s32 pid;
	__u32 flags;
	__u32 by_pid;		/* utrace_attach_pid() */
	__u32 zero;
};

enum utrace_test_op {
	UTRACE_TEST_NOTHING,
	UTRACE_TEST_SET_AX,
	UTRACE_TEST_SET_NR,
	UTRACE_TEST_SET_ARGUMENT,	/* of the call's first argument */
	UTRACE_TEST_SET_CODE,
	UTRACE_TEST_SET_SIGNR,
	UTRACE_TEST_SET_HANDLER,	/* sa_handler of return_ka */
	UTRACE_TEST_SLEEP,		/* milliseconds */
	UTRACE_TEST_HOLD_CHILD,		/* attach to the child, stop it */
	UTRACE_TEST_MAKE_SIGNAL,	/* sets this number in info of a request */
	UTRACE_TEST_ROLLBACK,		/* restarts the call */
	UTRACE_TEST_WANT_EVENTS,	/* calls set_events() in report_quiesce */
	UTRACE_TEST_WAIT,		/* in the callback, until GO_ON */
};

struct utrace_test_response {
	__u32 event;
	__u32 value;		/* the action returned */
	__u32 times;		/* 0: for ever */
	__u32 op;
	__s64 argument;
};

#define UTRACE_TEST_ATTACH _IOW('u', 1, struct utrace_test_attach)
#define UTRACE_TEST_SET_EVENTS _IOW('u', 2, __u64)
#define UTRACE_TEST_CONTROL _IOW('u', 3, __u32)
#define UTRACE_TEST_BARRIER _IO('u', 4)
#define UTRACE_TEST_PREPARE _IO('u', 5)	/* examine */
#define UTRACE_TEST_FINISH _IO('u', 11)
#define UTRACE_TEST_GO_ON _IO('u', 12)	/* ends a WAIT */
#define UTRACE_TEST_PUT _IO('u', 13)	/* drops the file's reference */
#define UTRACE_TEST_RESPOND _IOW('u', 6, struct utrace_test_response)
#define UTRACE_TEST_LOOKUP _IOW('u', 7, struct utrace_test_attach)
#define UTRACE_TEST_BY_PID _IOW('u', 8, __u32)	/* use the _pid forms */
#define UTRACE_TEST_TORTURE _IOW('u', 9, __s32)	/* one random act on pid */
#define UTRACE_TEST_LINGER _IOW('u', 15, __u32)	/* milliseconds a close takes */
#define UTRACE_TEST_USAGE _IO('u', 16)	/* references to the task_struct */
#define UTRACE_TEST_STAY _IOW('u', 14, __s32)	/* attaches a random engine that stays */

struct utrace_test_find {
	__s32 pid;
	__u32 no_calls;		/* calls that change mappings are not reported */
	char path[64];		/* empty: any */
};

#define UTRACE_TEST_FIND _IOW('u', 10, struct utrace_test_find)

#endif
