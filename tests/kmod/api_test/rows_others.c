// SPDX-License-Identifier: GPL-2.0
/* Side by side with others: ptrace, tracers, the unload. */
#define _GNU_SOURCE
#include "api.h"

static void r_rollback(void)
{
	pid_t pid = start(v_close);
	int e = engine(pid, EV(E_RETURN));
	struct utrace_test_entry entry;
	int i;

	respond(e, E_RETURN, RESUME, 1, UTRACE_TEST_ROLLBACK, 0);
	go();
	for (i = 0; i < 2; i++) {
		CHECK(next(e, E_RETURN, &entry));
		EQUAL(entry.a, SYS_geteuid);
	}
	EQUAL(wait_for(pid), 0);
	EQUAL(shared->value[0], geteuid());
	close(e);
}

static void r_barrier_signal(void)
{
	struct sigaction action = { .sa_handler = on_hit };
	pid_t pid = start(v_spin);
	int e = engine(pid, EV(E_QUIESCE));
	struct itimerval soon = { { 0, 0 }, { 0, 50000 } };

	sigaction(SIGALRM, &action, NULL);	/* no SA_RESTART: EINTR */
	go();
	CHECK(reports_slowly(e, 2000));
	setitimer(ITIMER_REAL, &soon, NULL);
	EQUAL(barrier(e), -EINTR);
	EQUAL(barrier(e), 0);
	signal(SIGALRM, SIG_DFL);
	end(pid, e);
}

static void v_read(void)
{
	struct sigaction action = { .sa_handler = on_hit };
	int pipes[2];
	char c;

	sigaction(SIGCONT, &action, NULL);
	if (pipe(pipes))
		return;
	shared->value[0] = read(pipes[0], &c, 1);
	shared->value[1] = errno;
}

static void r_continued_read(void)
{
	pid_t pid = start(v_read);
	int e = engine(pid, EV_SIGNALS | EV(E_JCTL));

	go();
	CHECK(wait_state(pid, 'S'));
	kill(pid, SIGSTOP);
	CHECK(wait_state(pid, 'T'));
	kill(pid, SIGCONT);
	EQUAL(wait_for(pid), 0);
	EQUAL(shared->value[0], -1);
	EQUAL(shared->value[1], EINTR);
	EQUAL(shared->value[9], SIGCONT);
	close(e);
}

static void r_signal_kill(void)
{
	pid_t pid = start(v_handler);
	int e = ready_engine(pid, EV_SIGNALS);

	respond(e, E_SIGNAL, STOP | S_DELIVER, 1, 0, 0);
	CHECK(signal_reported(e, pid, SIGUSR1));
	EQUAL(stop(e), 0);
	kill(pid, SIGKILL);
	EQUAL(wait_for(pid), SIGKILL);
	EQUAL(shared->value[8], 0);
	close(e);
}

static void r_exec_stop(void)
{
	pid_t pid = start(v_exec);
	int e = engine(pid, EV(E_EXEC));
	char path[64], name[64] = "";

	CHECK(stops_in(e, E_EXEC));
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	CHECK(readlink(path, name, sizeof(name) - 1) > 0);
	CHECK(strstr(name, "/true"));
	EQUAL(control(e, RESUME), 0);
	EQUAL(wait_for(pid), 0);
	close(e);
}

static void v_blocked(void)
{
	sigset_t set = block(SIGUSR2);

	signal(SIGUSR1, on_hit);
	shared->ready = 3;
	for (;;)
		sigpending(&set), shared->value[0] = sigismember(&set, SIGUSR2);
}

static void r_blocked_number(void)
{
	pid_t pid = start(v_blocked);
	int e = ready_engine(pid, EV_SIGNALS);

	respond(e, E_SIGNAL, RESUME | S_DELIVER, 1, UTRACE_TEST_SET_SIGNR,
		SIGUSR2);
	CHECK(signal_reported(e, pid, SIGUSR1));
	EQUAL(told(0), 1);
	EQUAL(shared->value[8], 0);
	end(pid, e);
}

static void r_ptrace(void)
{
	pid_t pid = start(v_handler);
	int e = ready_engine(pid, EV_SIGNALS), status;

	EQUAL(ptrace(PTRACE_SEIZE, pid, 0, 0), 0);
	CHECK(signal_reported(e, pid, SIGUSR1));
	EQUAL(waitpid(pid, &status, __WALL), pid);
	CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGUSR1);
	EQUAL(ptrace(PTRACE_CONT, pid, 0, SIGUSR1), 0);
	respond(e, E_SIGNAL, RESUME | S_IGN, 1, 0, 0);
	CHECK(signal_reported(e, pid, SIGTERM));
	pause_ms(20);
	EQUAL(waitpid(pid, &status, __WALL | WNOHANG), 0);
	EQUAL(shared->value[9], SIGUSR1);
	end(pid, e);
}

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), err = 0;

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static void v_ppids(void)
{
	for (;;) {
		syscall(SYS_getppid);
		usleep(1000);
	}
}

static void r_work_bit(void)
{
	const char *path =
		"/sys/kernel/tracing/events/raw_syscalls/sys_enter/enable";
	pid_t pid = start(v_ppids);
	int e = engine(pid, EV(E_ENTRY)), i;

	go();
	for (i = 0; i < 3; i++) {
		CHECK(next(e, E_ENTRY, NULL));
		EQUAL(put(path, i == 1 ? "0" : "1"), 0);
	}
	EQUAL(put(path, "0"), 0);
	count(e, E_ENTRY);
	CHECK(next(e, E_ENTRY, NULL));
	end(pid, e);
}

static long trace_lines(void)
{
	FILE *f = fopen("/sys/kernel/tracing/trace", "r");
	char line[512];
	long n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += line[0] != '#';
	if (f)
		fclose(f);
	return n;
}

/* A tracer that uses only sys_exit must see threads that are not traced. */
static void r_exit_tracers(void)
{
	const char *path =
		"/sys/kernel/tracing/events/raw_syscalls/sys_exit/enable";
	pid_t pid = start(v_ppids);
	long lines;

	go();
	EQUAL(put("/sys/kernel/tracing/trace", "\n"), 0);
	EQUAL(put(path, "1"), 0);
	pause_ms(200);
	EQUAL(put(path, "0"), 0);
	lines = trace_lines();
	CHECK(lines > 20);
	pause_ms(50);
	EQUAL(trace_lines(), lines);
	finish(pid);
}

static void r_sysctl(void)
{
	int err = put("/proc/sys/kernel/ftrace_enabled", "0");

	/* another error since 7.3 */
	CHECK(err == -EBUSY || err == -EOPNOTSUPP);
}

/*
 * Leaves threads behind that the module must release when it is unloaded: one
 * asleep with a work queued, one in a job control stop, and one there with a
 * signal that only the module keeps. tests/kmod/run wakes them afterwards.
 */
static void v_left_asleep(void)
{
	setsid();	/* no SIGHUP when this program ends */
	v_pause();
}

static void v_left_spinning(void)
{
	setsid();
	shared->ready = 3;
	v_spin();
}

static void r_leave(void)
{
	pid_t asleep = start(v_left_asleep), stopped, holding;
	int a = engine(asleep, EV(E_QUIESCE)), b, c;
	FILE *f = fopen("/tmp/utrace_left", "w");

	go();
	CHECK(wait_state(asleep, 'S'));
	EQUAL(control(a, STOP), -EINPROGRESS);
	close(a);
	stopped = start(v_left_spinning);
	b = ready_engine(stopped, EV(E_JCTL) | EV_SIGNALS);
	kill(stopped, SIGSTOP);
	CHECK(wait_state(stopped, 'T'));
	EQUAL(control(b, STOP), 0);
	close(b);
	holding = start(v_left_spinning);
	c = ready_engine(holding, EV_SIGNALS);
	respond(c, E_SIGNAL, RESUME | S_STOP | S_HOLD, 1, 0, 0);
	CHECK(signal_reported(c, holding, SIGUSR1));
	CHECK(wait_state(holding, 'T'));
	close(c);
	EQUAL(state_of(stopped), 'T');
	EQUAL(state_of(holding), 'T');
	EQUAL(state_of(asleep), 'S');
	CHECK(f != NULL);
	if (f) {
		fprintf(f, "%d %d %d\n", asleep, stopped, holding);
		fclose(f);
	}
}

const struct row rows_others[] = {
	{ "rollback", "syscall_rollback: made again", r_rollback, NULL },
	{ "barrier", "barrier interrupted by a signal", r_barrier_signal,
	  NULL },
	{ "contread", "read() over SIGSTOP, SIGCONT with a handler: EINTR",
	  r_continued_read, NULL },
	{ "sigkill", "SIGKILL during STOP in report_signal", r_signal_kill,
	  NULL },
	{ "execstop", "STOP in report_exec", r_exec_stop, NULL },
	{ "blocked", "altered number that is blocked", r_blocked_number,
	  NULL },
	{ "ptrace", "utrace first, then ptrace", r_ptrace, NULL },
	{ "workbit", "work bit shared with other tracers", r_work_bit, NULL },
	{ "exittrace", "other tracers of sys_exit alone", r_exit_tracers,
	  NULL },
	{ "sysctl", "ftrace_enabled=0 is refused", r_sysctl, NULL },
	{ "leave", "sleeping and job-stopped threads left to the unload",
	  r_leave, NULL },
	{ NULL, NULL, NULL, NULL }
};
