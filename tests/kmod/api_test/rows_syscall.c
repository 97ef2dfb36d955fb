// SPDX-License-Identifier: GPL-2.0
/* System calls. */
#define _GNU_SOURCE
#include "api.h"

static void r_entry(void)
{
	pid_t pid = start(v_ppid);
	int e = engine(pid, EV(E_ENTRY));
	struct utrace_test_entry entry;

	go();
	CHECK(next(e, E_ENTRY, &entry));
	EQUAL(entry.a, SYS_getppid);
	EQUAL(entry.b, 11);
	EQUAL(wait_for(pid), 0);
	EQUAL(shared->value[0], getpid());
	close(e);
}

/* The result of a victim's getppid(), with this answer to the report of its entry. */
static pid_t answered(uint32_t value, uint32_t op, int64_t argument)
{
	pid_t pid = start(v_ppid);
	int e = engine(pid, EV(E_ENTRY));

	respond(e, E_ENTRY, value, 1, op, argument);
	go();
	EQUAL(wait_for(pid), 0);
	close(e);
	return pid;
}

static void r_abort(void)
{
	answered(RESUME | ABORT, UTRACE_TEST_SET_AX, 4242);
	EQUAL(shared->value[0], 4242);
	answered(RESUME | ABORT, 0, 0);
	EQUAL(shared->value[1], ENOSYS);
}

static void r_other_call(void)
{
	pid_t pid = answered(RESUME, UTRACE_TEST_SET_NR, SYS_getpid);

	EQUAL(shared->value[0], pid);
}

static void r_argument(void)
{
	pid_t pid = start(v_ppid);
	int a = engine(pid, EV(E_ENTRY)), b = engine(pid, EV(E_ENTRY));
	struct utrace_test_entry entry;

	respond(a, E_ENTRY, RESUME, 1, UTRACE_TEST_SET_ARGUMENT, 77);
	go();
	CHECK(next(b, E_ENTRY, &entry));
	EQUAL(entry.b, 77);
	EQUAL(wait_for(pid), 0);
	close(a);
	close(b);
}

static void r_result(void)
{
	pid_t pid = start(v_close);
	int e = engine(pid, EV(E_RETURN));
	struct utrace_test_entry entry;

	respond(e, E_RETURN, RESUME, 1, UTRACE_TEST_SET_AX, 777);
	go();
	CHECK(next(e, E_RETURN, &entry));
	EQUAL(entry.a, SYS_geteuid);
	EQUAL(entry.b, geteuid());
	EQUAL(wait_for(pid), 0);
	EQUAL(shared->value[0], 777);
	close(e);
}

static void resumed_by(int action, uint32_t flag)
{
	pid_t pid = start(v_ppid);
	int e = engine(pid, EV(E_ENTRY));
	struct utrace_test_entry entry;

	CHECK(stops_in(e, E_ENTRY));
	EQUAL(control(e, action), 0);
	CHECK(next(e, E_ENTRY, &entry));
	EQUAL(entry.action & RESUMED, flag);
	EQUAL(wait_for(pid), 0);
	close(e);
}

static void r_resumed(void)
{
	resumed_by(REPORT, RESUMED);
	resumed_by(RESUME, 0);
}

static void r_kill_entry(void)
{
	pid_t pid = start(v_ppid);
	int e = engine(pid, EV(E_ENTRY));

	shared->value[0] = -5;
	CHECK(stops_in(e, E_ENTRY));
	kill(pid, SIGKILL);
	EQUAL(wait_for(pid), SIGKILL);
	EQUAL(shared->value[0], -5);
	close(e);
}

/* The calls of a 32-bit program, with their own numbers. */
static void r_task32(void)
{
	pid_t pid = start(v_exec32);
	int e = engine(pid, EV(E_ENTRY) | EV(E_RETURN)), seen = 0;
	struct utrace_test_entry entry;

	go();
	EQUAL(wait_for(pid), 0);
	while (read(e, &entry, sizeof(entry)) > 0)
		seen += entry.event == E_ENTRY && entry.a == 192;
	EQUAL(seen, 1);		/* mmap2, which only 32-bit code has */
	close(e);
}

const struct row rows_syscall[] = {
	{ "entry", "report_syscall_entry", r_entry, NULL },
	{ "abort", "SYSCALL_ABORT, own result, ENOSYS", r_abort, NULL },
	{ "number", "altered call number", r_other_call, NULL },
	{ "argument", "altered argument", r_argument, NULL },
	{ "result", "report_syscall_exit, altered result", r_result, NULL },
	{ "resumed", "STOP at entry, RESUMED only if asked", r_resumed, NULL },
	{ "killentry", "SIGKILL at that stop: call not made", r_kill_entry,
	  NULL },
	{ "task32", "a 32-bit program's calls", r_task32, NULL },
	{ NULL, NULL, NULL, NULL }
};
