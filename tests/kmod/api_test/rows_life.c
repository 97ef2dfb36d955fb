// SPDX-License-Identifier: GPL-2.0
/* A thread's life: clone, exec, exit, death, reap. */
#define _GNU_SOURCE
#include "api.h"

static void r_clone(void)
{
	pid_t pid = start(v_fork);
	int e = engine(pid, EV(E_CLONE));
	struct utrace_test_entry entry;

	respond(e, E_CLONE, RESUME, 1, UTRACE_TEST_HOLD_CHILD, 0);
	go();
	CHECK(next(e, E_CLONE, &entry));
	CHECK(next(e, E_CLONE, &entry));
	CHECK(told(0));
	CHECK(SOON(control(e, 0x100 | STOP) == 0));
	EQUAL(shared->value[1], 0);
	EQUAL(control(e, 0x100 | RESUME), 0);
	EQUAL(wait_for(pid), 0);
	EQUAL(shared->value[1], 1);
	close(e);
}

static void r_vfork_stop(void)
{
	pid_t pid = start(v_vfork);
	int e = engine(pid, EV(E_CLONE));

	CHECK(stops_in(e, E_CLONE));
	CHECK(told(1));
	EQUAL(shared->value[0], 0);
	EQUAL(state_of(pid), 'D');
	EQUAL(control(e, RESUME), 0);
	EQUAL(wait_for(pid), 0);
	CHECK(shared->value[0] > 0);
	close(e);
}

static void r_exec(void)
{
	pid_t pid = start(v_exec);
	int e = engine(pid, EV(E_EXEC));
	struct utrace_test_entry entry;

	go();
	CHECK(next(e, E_EXEC, &entry));
	EQUAL(entry.a, 1);
	EQUAL(wait_for(pid), 0);
	close(e);
}

static void r_exec_thread(void)
{
	pid_t pid = start(v_thread_exec);
	int e = engine(pid, EV(E_DEATH) | EV(E_REAP));

	go();
	CHECK(next(e, E_DEATH, NULL));
	CHECK(next(e, E_REAP, NULL));
	EQUAL(wait_for(pid), 0);
	close(e);
}

static void r_exit(void)
{
	pid_t pid = start(v_exit3);
	int e = engine(pid, EV(E_EXIT));
	struct utrace_test_entry entry;

	respond(e, E_EXIT, RESUME, 1, UTRACE_TEST_SET_CODE, 77 << 8);
	go();
	CHECK(next(e, E_EXIT, &entry));
	EQUAL(entry.a, 3 << 8);
	EQUAL(entry.c, 1);
	EQUAL(wait_for(pid), 77 << 8);
	close(e);

	pid = start(v_spin);
	e = engine(pid, EV(E_EXIT));
	respond(e, E_EXIT, RESUME, 1, UTRACE_TEST_SET_CODE, SIGBUS);
	go();
	kill(pid, SIGTERM);
	EQUAL(wait_for(pid), SIGBUS);
	close(e);
}

static void r_exit_stop(void)
{
	pid_t pid = start(v_exit3);
	int e = engine(pid, EV(E_EXIT)), status;

	CHECK(stops_in(e, E_EXIT));
	EQUAL(state_of(pid), 'D');
	kill(pid, SIGKILL);
	status = wait_for(pid);
	CHECK(status == 3 << 8 || (status == SIGKILL && kernel_before(6)));
	close(e);
}

static void r_exit_killed(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, EV(E_EXIT));

	respond(e, E_EXIT, STOP, 0, 0, 0);
	go();
	kill(pid, SIGKILL);
	EQUAL(wait_for(pid), SIGKILL);
	close(e);
}

static void r_group_exit(void)
{
	pid_t pid = start(v_group_exit);
	char path[64];
	int e, tid;

	go();
	wait_ready(3);
	for (tid = pid + 1; tid < pid + 100; tid++) {
		snprintf(path, sizeof(path), "/proc/%d/task/%d", pid, tid);
		if (!access(path, F_OK))
			break;
	}
	e = engine(tid, EV(E_EXIT));
	EQUAL(stop(e), 0);
	respond(e, E_EXIT, STOP, 0, 0, 0);
	shared->ready = 4;
	EQUAL(wait_for(pid), 9 << 8);
	close(e);
}

static void v_lingers(void)
{
	unsigned int ms = 2000;

	/* the close runs in a task work of the exiting thread */
	if (ioctl(make(), UTRACE_TEST_LINGER, &ms))
		_exit(1);
	_exit(3);
}

/* Past report_exit nothing stops the thread: utrace_control() returns an error at once. */
static void past_exit(uint64_t events)
{
	pid_t pid = start(v_lingers);
	int e = engine(pid, EV(E_DEATH) | events);
	struct utrace_test_entry entry;

	go();
	CHECK(SOON(control(e, RESUME) == -ESRCH));
	EQUAL(control(e, STOP), -ESRCH);
	EQUAL(control(e, REPORT), -ESRCH);
	CHECK(wait_state(pid, 'D'));
	EQUAL(count(e, E_DEATH), 0);
	CHECK(next(e, E_DEATH, &entry));
	EQUAL(wait_for(pid), 3 << 8);
	close(e);

	pid = start(v_lingers);
	e = engine(pid, EV(E_DEATH) | events);
	go();
	CHECK(SOON(control(e, RESUME) == -ESRCH));
	EQUAL(control(e, DETACH), 0);
	CHECK(wait_state(pid, 'D'));
	EQUAL(wait_for(pid), 3 << 8);
	EQUAL(count(e, E_DEATH), 0);
	close(e);
}

static void r_past_exit(void)
{
	past_exit(0);
	past_exit(EV(E_EXIT));
}

static int usage(int e)
{
	return result(ioctl(e, UTRACE_TEST_USAGE));
}

/* Both test engines keep the task, and so does the state in utrace. */
static void r_reference(void)
{
	pid_t pid = start(v_exit3);
	int a = engine(pid, EV(E_REAP)), b = engine(pid, 0);

	go();
	EQUAL(wait_for(pid), 3 << 8);
	CHECK(next(a, E_REAP, NULL));
	CHECK(SOON(usage(a) == 3));
	EQUAL(set_events(a, 0), -ESRCH);
	EQUAL(control(a, RESUME), -ESRCH);
	EQUAL(barrier(a), -ESRCH);
	EQUAL(result(ioctl(b, UTRACE_TEST_PUT)), 0);
	pause_ms(50);
	EQUAL(usage(a), 3);
	EQUAL(result(ioctl(a, UTRACE_TEST_PUT)), 0);
	CHECK(SOON(usage(a) == 2));
	close(a);
	close(b);
}

static void r_death(void)
{
	pid_t pid = start(v_exit3);
	int e = engine(pid, EV(E_DEATH) | EV(E_REAP));
	struct utrace_test_entry entry;

	go();
	CHECK(next(e, E_DEATH, &entry));
	EQUAL(entry.a, 1);
	EQUAL(entry.b, SIGCHLD);
	EQUAL(state_of(pid), 'Z');
	pause_ms(20);
	EQUAL(count(e, E_REAP), 0);
	EQUAL(control(e, STOP), -ESRCH);
	EQUAL(set_events(e, EV(E_REAP)), -EALREADY);
	EQUAL(set_events(e, EV(E_DEATH) | EV(E_REAP) | EV(E_QUIESCE)),
	      -EALREADY);
	EQUAL(wait_for(pid), 3 << 8);
	CHECK(next(e, E_REAP, &entry));
	pause_ms(10);
	EQUAL(control(e, DETACH), -ESRCH);
	EQUAL(barrier(e), -ESRCH);
	close(e);
}

static void r_self_reap(void)
{
	struct utrace_test_entry entry;
	pid_t pid;
	int e;

	signal(SIGCHLD, SIG_IGN);
	pid = start(v_exit3);
	e = engine(pid, EV(E_DEATH) | EV(E_REAP));
	go();
	CHECK(next(e, E_DEATH, &entry));
	CHECK(next(e, E_REAP, &entry));
	signal(SIGCHLD, SIG_DFL);
	close(e);
}

static void r_death_detach(void)
{
	pid_t pid = start(v_exit3);
	int e = engine(pid, EV(E_DEATH) | EV(E_REAP));

	respond(e, E_DEATH, DETACH, 1, 0, 0);
	go();
	CHECK(next(e, E_DEATH, NULL));
	EQUAL(wait_for(pid), 3 << 8);
	pause_ms(20);
	EQUAL(count(e, E_REAP), 0);
	EQUAL(control(e, DETACH), -ESRCH);
	close(e);
}

static void r_death_already(void)
{
	pid_t pid = start(v_exit3);
	int e = engine(pid, EV(E_DEATH) | EV(E_REAP));

	respond(e, E_DEATH, RESUME, 1, UTRACE_TEST_WAIT, 0);
	go();
	CHECK(next(e, UTRACE_TEST_WAITING, NULL));
	CHECK(wait_state(pid, 'Z'));
	EQUAL(control(e, DETACH), -EALREADY);
	wait_for(pid);
	EQUAL(count(e, E_REAP), 0);
	EQUAL(ioctl(e, UTRACE_TEST_GO_ON), 0);
	CHECK(SOON(control(e, DETACH) == -ESRCH));
	close(e);
}

static void r_zombie(void)
{
	pid_t pid = start(v_exit3);
	int e;

	go();
	CHECK(wait_state(pid, 'Z'));
	e = make();
	EQUAL(attach_to(e, pid, CREATE), 0);
	EQUAL(set_events(e, EV(E_DEATH)), -EALREADY);
	EQUAL(set_events(e, EV(E_REAP)), 0);
	wait_for(pid);
	CHECK(next(e, E_REAP, NULL));
	close(e);
}

static void *outlive(void *arg)
{
	shared->ready = 3;
	while (shared->ready != 4)
		;
	_exit(9);
	return arg;
}

static void v_leader_first(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, outlive, NULL);
	while (shared->ready != 3)
		;
	syscall(SYS_exit, 0);
}

/* A dead leader that its last thread releases together with itself. */
static void r_zapped(void)
{
	struct utrace_test_entry entry;
	pid_t pid;
	int e;

	signal(SIGCHLD, SIG_IGN);
	pid = start(v_leader_first);
	e = engine(pid, EV(E_DEATH) | EV(E_REAP));
	go();
	CHECK(next(e, E_DEATH, &entry));
	EQUAL(entry.a, 0);
	CHECK(wait_state(pid, 'Z'));
	EQUAL(count(e, E_REAP), 0);
	shared->ready = 4;
	CHECK(next(e, E_REAP, &entry));
	EQUAL(control(e, DETACH), -ESRCH);
	signal(SIGCHLD, SIG_DFL);
	close(e);
}

const struct row rows_life[] = {
	{ "clone", "report_clone, child held", r_clone, NULL },
	{ "vfork", "STOP of a vfork parent", r_vfork_stop, NULL },
	{ "exec", "report_exec", r_exec, NULL },
	{ "execthread", "exec by a thread", r_exec_thread, NULL },
	{ "exit", "report_exit, altered code", r_exit, NULL },
	{ "exitstop", "STOP at exit, SIGKILL breaks it", r_exit_stop,
	  "on 5.10 wait() shows the SIGKILL" },
	{ "exitkill", "a killed thread is not held at exit", r_exit_killed,
	  NULL },
	{ "exitgroup", "exit_group breaks STOP", r_group_exit, NULL },
	{ "pastexit", "past report_exit: no action, DETACH alone", r_past_exit,
	  NULL },
	{ "reference", "an engine kept after reap: -ESRCH", r_reference,
	  "it keeps the task_struct, until its last reference goes" },
	{ "death", "death before reap, errors on the dead", r_death, NULL },
	{ "selfreap", "a thread that reaps itself", r_self_reap, NULL },
	{ "nodeath", "DETACH in report_death: no reap", r_death_detach, NULL },
	{ "already", "DETACH during report_death; reap waits",
	  r_death_already, NULL },
	{ "zombie", "attach to a zombie", r_zombie, NULL },
	{ "zapped", "a leader reaped with its last thread", r_zapped, NULL },
	{ NULL, NULL, NULL, NULL }
};
