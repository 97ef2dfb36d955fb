// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of UTRACE.md, section 2, each as a test against live programs.
 *
 * usage: api_test [NAME]	a table of rows; status 0 if none failed
 *
 * A row starts a victim, a child process that waits for go(), attaches
 * engines by way of /dev/utrace_test, and looks at logs and at what the
 * victim's parent, this program, sees.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "utrace_test.h"

enum { STOP, INTERRUPT, REPORT, SINGLESTEP, BLOCKSTEP, RESUME, DETACH };
enum {
	E_QUIESCE, E_REAP, E_CLONE, E_EXEC, E_EXIT, E_DEATH, E_ENTRY, E_RETURN,
	E_SIGNAL, E_IGN, E_SSTOP, E_TERM, E_CORE, E_JCTL
};
#define EV(e) (1u << (e))
#define EV_SIGNALS (EV(E_SIGNAL) | EV(E_IGN) | EV(E_SSTOP) | EV(E_TERM) | \
		    EV(E_CORE))
enum {
	S_DELIVER = 0, S_IGN = 0x10, S_TERM = 0x20, S_CORE = 0x30,
	S_STOP = 0x40, S_TSTP = 0x50, S_HOLD = 0x100
};
#define ABORT 0x10
#define RESUMED 0x100
#define CREATE 8
#define EXCLUSIVE 4
#define MATCH_DATA 2
#define MATCH_OPS 1
#define REQUESTS 0x80000000u

/* What victims tell: shared with them. */
static struct shared {
	volatile long value[16];
	volatile int ready;
} *shared;

static int failures;	/* of this row */

#define CHECK(cond) do { if (!(cond)) { failures++; \
	printf("    line %d: not %s\n", __LINE__, #cond); } } while (0)
#define EQUAL(a, b) do { long a_ = (a), b_ = (b); if (a_ != b_) { failures++; \
	printf("    line %d: %s is %ld, not %ld\n", __LINE__, #a, a_, b_); \
	} } while (0)

/* Engines. */

static int make(void)
{
	return open("/dev/utrace_test", O_RDWR | O_CLOEXEC);
}

static int result(int r)
{
	return r < 0 ? -errno : r;
}

static int attach_to(int e, pid_t pid, unsigned int flags)
{
	struct utrace_test_attach a = { .pid = pid, .flags = flags };

	return result(ioctl(e, UTRACE_TEST_ATTACH, &a));
}

static int lookup(int e, unsigned int flags)
{
	struct utrace_test_attach a = { .flags = flags };

	return result(ioctl(e, UTRACE_TEST_LOOKUP, &a));
}

static int set_events(int e, uint64_t events)
{
	return result(ioctl(e, UTRACE_TEST_SET_EVENTS, &events));
}

static int control(int e, uint32_t action)
{
	return result(ioctl(e, UTRACE_TEST_CONTROL, &action));
}

static int barrier(int e)
{
	return result(ioctl(e, UTRACE_TEST_BARRIER));
}

static void respond(int e, uint32_t event, uint32_t value, uint32_t times,
		    uint32_t op, int64_t argument)
{
	struct utrace_test_response r = { event, value, times, op, argument };

	if (ioctl(e, UTRACE_TEST_RESPOND, &r))
		failures++;
}

static int engine(pid_t pid, uint64_t events)
{
	int e = make();

	EQUAL(attach_to(e, pid, CREATE), 0);
	EQUAL(set_events(e, events), 0);
	return e;
}

/* Logs. */

static void pause_ms(int ms)
{
	usleep(ms * 1000);
}

/* The next entry of @event, within 5 s. Others are skipped. */
static int next(int e, uint32_t event, struct utrace_test_entry *entry)
{
	struct utrace_test_entry own;
	int turn;

	if (!entry)
		entry = &own;
	for (turn = 0; turn < 2500; turn++) {
		while (read(e, entry, sizeof(*entry)) > 0)
			if (entry->event == event)
				return 1;
		pause_ms(2);
	}
	return 0;
}

/* How many entries of @event are left. */
static int count(int e, uint32_t event)
{
	struct utrace_test_entry entry;
	int n = 0;

	while (read(e, &entry, sizeof(entry)) > 0)
		n += entry.event == event;
	return n;
}

/* control(STOP) until the thread stands still. */
static int stop(int e)
{
	int turn, err = -EINPROGRESS;

	for (turn = 0; turn < 2500 && err == -EINPROGRESS; turn++) {
		err = control(e, STOP);
		if (err)
			pause_ms(2);
	}
	return err;
}

/* Victims. */

static pid_t start(void (*body)(void))
{
	pid_t pid;

	memset((void *)shared, 0, sizeof(*shared));
	pid = fork();
	if (!pid) {
		alarm(60);
		shared->ready = 1;
		while (shared->ready != 2)
			;
		body();
		_exit(0);
	}
	while (!shared->ready)
		pause_ms(1);
	return pid;
}

static void go(void)
{
	shared->ready = 2;
}

static int wait_for(pid_t pid)
{
	int status = -1, turn;

	for (turn = 0; turn < 2500; turn++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		pause_ms(2);
	}
	printf("    pid %d did not end\n", pid);
	failures++;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return status;
}

static int state_of(pid_t pid)
{
	char path[64], text[256], *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	p = strrchr(text, ')');
	return p ? p[2] : 0;
}

static int wait_state(pid_t pid, int state)
{
	int turn;

	for (turn = 0; turn < 2500; turn++) {
		if (state_of(pid) == state)
			return 1;
		pause_ms(2);
	}
	return 0;
}

static void finish(pid_t pid)
{
	kill(pid, SIGKILL);
	wait_for(pid);
}

static void v_spin(void) { for (;;) shared->value[0]++; }
static void v_pause(void) { shared->value[1] = pause(); }
static void v_exit3(void) { _exit(3); }
static void v_ppid(void)
{
	errno = 0;
	shared->value[0] = syscall(SYS_getppid, 11);
	shared->value[1] = errno;
}
static void v_close(void) { shared->value[0] = syscall(SYS_geteuid); }
static void on_hit(int signr) { shared->value[8]++; shared->value[9] = signr; }
static void v_handler(void)
{
	signal(SIGUSR1, on_hit);
	signal(SIGUSR2, on_hit);
	shared->ready = 3;
	for (;;)
		shared->value[0]++;
}
static void v_fork(void)
{
	pid_t pid = fork();

	if (!pid) {
		shared->value[1] = 1;
		_exit(5);
	}
	shared->value[0] = pid;
	waitpid(pid, (int *)&shared->value[2], 0);
}
static void v_vfork(void)
{
	pid_t pid = vfork();

	if (!pid) {
		shared->value[1] = 1;
		_exit(5);
	}
	shared->value[0] = pid;
	waitpid(pid, NULL, 0);
}
static void v_exec(void) { execl("/bin/true", "true", NULL); }
static void v_segv(void) { *(volatile int *)8 = 1; }
static void *spin_thread(void *arg) { for (;;) shared->value[3]++; return arg; }
static void v_threads(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, spin_thread, NULL);
	while (!shared->value[3])
		;
	shared->ready = 3;
	for (;;)
		shared->value[0]++;
}
static void v_group_exit(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, spin_thread, NULL);
	while (!shared->value[3])
		;
	shared->ready = 3;
	while (shared->ready != 4)
		;
	_exit(9);
}
static void *exec_thread(void *arg)
{
	execl("/bin/true", "true", NULL);
	return arg;
}
static void v_thread_exec(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, exec_thread, NULL);
	for (;;)
		pause();
}

static void wait_ready(int what)
{
	while (shared->ready != what)
		pause_ms(1);
}

/* Rows: quiesce and the resume actions. */

static void r_report(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, EV(E_QUIESCE));

	EQUAL(control(e, REPORT), 0);
	CHECK(next(e, UTRACE_TEST_NO_EVENT, NULL));
	finish(pid);
	close(e);
}

static void r_stop(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, 0);
	long before;

	go();
	EQUAL(control(e, STOP), -EINPROGRESS);
	EQUAL(stop(e), 0);
	EQUAL(state_of(pid), 'D');
	before = shared->value[0];
	pause_ms(20);
	EQUAL(shared->value[0], before);
	kill(pid, SIGUSR1);
	pause_ms(20);
	EQUAL(state_of(pid), 'D');
	EQUAL(ioctl(e, UTRACE_TEST_EXAMINE), 0);
	EQUAL(control(e, RESUME), 0);
	EQUAL(wait_for(pid), SIGUSR1);
	close(e);
}

static void r_two_engines(void)
{
	pid_t pid = start(v_spin);
	int a = engine(pid, 0), b = engine(pid, 0);

	go();
	EQUAL(stop(a), 0);
	EQUAL(stop(b), 0);
	EQUAL(control(a, RESUME), 0);
	pause_ms(20);
	EQUAL(state_of(pid), 'D');
	EQUAL(control(b, RESUME), 0);
	CHECK(wait_state(pid, 'R'));
	finish(pid);
	close(a);
	close(b);
}

static void r_stop_sleeping(void)
{
	pid_t pid = start(v_pause);
	int e = engine(pid, EV(E_QUIESCE));

	go();
	CHECK(wait_state(pid, 'S'));
	EQUAL(control(e, STOP), -EINPROGRESS);
	pause_ms(50);
	EQUAL(state_of(pid), 'S');
	EQUAL(control(e, RESUME), 0);
	respond(e, UTRACE_TEST_NO_EVENT, STOP, 1, 0, 0);
	EQUAL(control(e, INTERRUPT), 0);
	CHECK(next(e, UTRACE_TEST_NO_EVENT, NULL));
	CHECK(wait_state(pid, 'D'));
	EQUAL(control(e, RESUME), 0);
	CHECK(wait_state(pid, 'S'));
	EQUAL(shared->value[1], 0);
	finish(pid);
	close(e);
}

static void r_kill_stop(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, 0);

	go();
	EQUAL(stop(e), 0);
	kill(pid, SIGKILL);
	EQUAL(wait_for(pid), SIGKILL);
	close(e);
}

static void r_stop_jobstopped(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, 0);

	go();
	kill(pid, SIGSTOP);
	CHECK(wait_state(pid, 'T'));
	EQUAL(control(e, STOP), 0);
	kill(pid, SIGCONT);
	CHECK(wait_state(pid, 'D'));
	EQUAL(control(e, RESUME), 0);
	CHECK(wait_state(pid, 'R'));
	finish(pid);
	close(e);
}

static void step(int action)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, EV_SIGNALS | EV(E_QUIESCE)), i;
	struct utrace_test_entry entry;

	go();
	EQUAL(stop(e), 0);
	respond(e, E_SIGNAL, STOP | S_IGN, 0, 0, 0);
	for (i = 0; i < 6; i++) {
		EQUAL(control(e, action), 0);
		CHECK(next(e, E_SIGNAL, &entry));
		EQUAL(entry.a, SIGTRAP);
		EQUAL(entry.action & 0xf0, S_CORE);
		EQUAL(stop(e), 0);
	}
	respond(e, E_SIGNAL, RESUME, 0, 0, 0);
	EQUAL(control(e, RESUME), 0);
	pause_ms(50);
	EQUAL(count(e, E_SIGNAL), 0);
	CHECK(state_of(pid) == 'R');
	EQUAL(control(e, DETACH), 0);
	finish(pid);
	close(e);
}
static void r_single_step(void) { step(SINGLESTEP); }
static void r_block_step(void) { step(BLOCKSTEP); }

static void r_request_signal(void)
{
	pid_t pid = start(v_handler);
	int e = make();

	EQUAL(attach_to(e, pid, CREATE | REQUESTS), 0);
	EQUAL(set_events(e, EV(E_QUIESCE)), 0);
	go();
	wait_ready(3);
	respond(e, UTRACE_TEST_REQUEST, RESUME | S_DELIVER, 1,
		UTRACE_TEST_MAKE_SIGNAL, SIGUSR1);
	EQUAL(control(e, INTERRUPT), 0);
	CHECK(next(e, UTRACE_TEST_REQUEST, NULL));
	while (!shared->value[8] && state_of(pid) == 'R')
		pause_ms(1);
	EQUAL(shared->value[9], SIGUSR1);
	finish(pid);
	close(e);
}

static void r_quiesce_events(void)
{
	pid_t pid = start(v_ppid);
	int e = engine(pid, EV(E_QUIESCE)), other = engine(pid, EV(E_ENTRY));
	struct utrace_test_entry entry;

	respond(e, E_QUIESCE, RESUME, 0, UTRACE_TEST_WANT_EVENTS,
		EV(E_QUIESCE) | EV(E_ENTRY));
	go();
	CHECK(next(e, E_QUIESCE, &entry));
	EQUAL(entry.a, EV(E_ENTRY));
	CHECK(next(e, E_ENTRY, &entry));
	EQUAL(wait_for(pid), 0);
	close(e);
	close(other);
}

/* Rows: system calls. */

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

static void r_abort(void)
{
	pid_t pid = start(v_ppid);
	int e = engine(pid, EV(E_ENTRY));

	respond(e, E_ENTRY, RESUME | ABORT, 1, UTRACE_TEST_SET_AX, 4242);
	go();
	EQUAL(wait_for(pid), 0);
	EQUAL(shared->value[0], 4242);
	close(e);

	pid = start(v_ppid);
	e = engine(pid, EV(E_ENTRY));
	respond(e, E_ENTRY, RESUME | ABORT, 1, 0, 0);
	go();
	EQUAL(wait_for(pid), 0);
	EQUAL(shared->value[1], ENOSYS);
	close(e);
}

static void r_other_call(void)
{
	pid_t pid = start(v_ppid);
	int e = engine(pid, EV(E_ENTRY));

	respond(e, E_ENTRY, RESUME, 1, UTRACE_TEST_SET_NR, SYS_getpid);
	go();
	EQUAL(wait_for(pid), 0);
	EQUAL(shared->value[0], pid);
	close(e);
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

static void r_resumed(void)
{
	pid_t pid = start(v_ppid);
	int e = engine(pid, EV(E_ENTRY));
	struct utrace_test_entry entry;

	respond(e, E_ENTRY, STOP, 1, 0, 0);
	go();
	CHECK(next(e, E_ENTRY, &entry));
	EQUAL(stop(e), 0);
	EQUAL(control(e, REPORT), 0);
	CHECK(next(e, E_ENTRY, &entry));
	EQUAL(entry.action & RESUMED, RESUMED);
	EQUAL(wait_for(pid), 0);
	close(e);

	pid = start(v_ppid);
	e = engine(pid, EV(E_ENTRY));
	respond(e, E_ENTRY, STOP, 1, 0, 0);
	go();
	CHECK(next(e, E_ENTRY, &entry));
	EQUAL(stop(e), 0);
	EQUAL(control(e, RESUME), 0);
	CHECK(next(e, E_ENTRY, &entry));
	EQUAL(entry.action & RESUMED, 0);
	EQUAL(wait_for(pid), 0);
	close(e);
}

static void r_kill_entry(void)
{
	pid_t pid = start(v_ppid);
	int e = engine(pid, EV(E_ENTRY));

	respond(e, E_ENTRY, STOP, 1, 0, 0);
	shared->value[0] = -5;
	go();
	CHECK(next(e, E_ENTRY, NULL));
	EQUAL(stop(e), 0);
	kill(pid, SIGKILL);
	EQUAL(wait_for(pid), SIGKILL);
	EQUAL(shared->value[0], -5);
	close(e);
}

/* Rows: signals. */

static void signal_row(void (*body)(void), int signr, uint32_t value,
		       uint32_t op, int64_t argument, int status)
{
	pid_t pid = start(body);
	int e = engine(pid, EV_SIGNALS);
	struct utrace_test_entry entry;

	go();
	if (body == v_handler)
		wait_ready(3);
	respond(e, E_SIGNAL, value, 1, op, argument);
	kill(pid, signr);
	CHECK(next(e, E_SIGNAL, &entry));
	EQUAL(entry.a, signr);
	if (status == -1) {
		pause_ms(30);
		EQUAL(state_of(pid), 'R');
		finish(pid);
	} else {
		EQUAL(wait_for(pid) & 0x7f, status);
	}
	close(e);
}

static void r_ignored_seen(void)
{
	signal_row(v_spin, SIGCHLD, RESUME | S_IGN, 0, 0, -1);
}
static void r_fatal_ignored(void)
{
	signal_row(v_spin, SIGTERM, RESUME | S_IGN, 0, 0, -1);
}
static void r_fatal_threads(void)
{
	pid_t pid = start(v_threads);
	int e, i;

	go();
	wait_ready(3);
	e = engine(pid, EV_SIGNALS);
	respond(e, E_SIGNAL, RESUME | S_IGN, 0, 0, 0);
	for (i = 0; i < 20; i++) {
		syscall(SYS_tgkill, pid, pid, SIGTERM);
		CHECK(next(e, E_SIGNAL, NULL));
	}
	EQUAL(state_of(pid), 'R');
	finish(pid);
	close(e);
}
static void r_default(void)
{
	signal_row(v_spin, SIGTERM, RESUME | S_TERM, 0, 0, SIGTERM);
	signal_row(v_spin, 40, RESUME | S_TERM, 0, 0, 40);
}
static void r_handler(void)
{
	pid_t pid = start(v_handler);
	int e = engine(pid, EV_SIGNALS);
	struct utrace_test_entry entry;

	go();
	wait_ready(3);
	kill(pid, SIGUSR1);
	CHECK(next(e, E_SIGNAL, &entry));
	EQUAL(entry.action & 0xf0, S_DELIVER);
	CHECK(next(e, UTRACE_TEST_HANDLER, &entry));
	EQUAL(entry.c, (long)on_hit);
	while (!shared->value[8] && state_of(pid) == 'R')
		pause_ms(1);
	EQUAL(shared->value[9], SIGUSR1);
	finish(pid);
	close(e);
}
static void r_changed_number(void)
{
	pid_t pid = start(v_handler);
	int e = engine(pid, EV_SIGNALS);

	go();
	wait_ready(3);
	respond(e, E_SIGNAL, RESUME | S_DELIVER, 1, UTRACE_TEST_SET_SIGNR,
		SIGUSR1);
	kill(pid, SIGHUP);
	while (!shared->value[8] && state_of(pid) == 'R')
		pause_ms(1);
	EQUAL(shared->value[9], SIGUSR1);
	finish(pid);
	close(e);
}
static void other_handler(int signr) { shared->value[10] = signr; }
static void r_return_ka(void)
{
	pid_t pid = start(v_handler);
	int e = engine(pid, EV_SIGNALS);

	go();
	wait_ready(3);
	respond(e, E_SIGNAL, RESUME | S_DELIVER, 1, UTRACE_TEST_SET_HANDLER,
		(long)other_handler);
	kill(pid, SIGUSR2);
	while (!shared->value[10] && state_of(pid) == 'R')
		pause_ms(1);
	EQUAL(shared->value[10], SIGUSR2);
	EQUAL(shared->value[8], 0);
	finish(pid);
	close(e);
}
static void r_term(void)
{
	signal_row(v_handler, SIGUSR2, RESUME | S_TERM, UTRACE_TEST_SET_SIGNR,
		   SIGINT, SIGINT);
}
static void r_core(void)
{
	signal_row(v_handler, SIGUSR1, RESUME | S_CORE, 0, 0, SIGUSR1);
}
static void jstop(uint32_t action)
{
	pid_t pid = start(v_handler);
	int e = engine(pid, EV_SIGNALS), status;

	go();
	wait_ready(3);
	respond(e, E_SIGNAL, RESUME | action, 1, 0, 0);
	kill(pid, SIGUSR1);
	CHECK(next(e, E_SIGNAL, NULL));
	CHECK(wait_state(pid, 'T'));
	EQUAL(waitpid(pid, &status, WUNTRACED), pid);
	CHECK(WIFSTOPPED(status));
	EQUAL(shared->value[8], 0);
	kill(pid, SIGCONT);
	CHECK(wait_state(pid, 'R'));
	finish(pid);
	close(e);
}
static void r_sstop(void) { jstop(S_STOP); }
static void r_tstp(void)
{
	setpgid(0, 0);
	jstop(S_TSTP);
}
static void r_hold(void)
{
	pid_t pid = start(v_handler);
	int e = engine(pid, EV_SIGNALS);

	go();
	wait_ready(3);
	respond(e, E_SIGNAL, STOP | S_IGN | S_HOLD, 1, 0, 0);
	kill(pid, SIGUSR1);
	CHECK(next(e, E_SIGNAL, NULL));
	CHECK(wait_state(pid, 'D'));
	EQUAL(shared->value[8], 0);
	EQUAL(stop(e), 0);
	EQUAL(control(e, RESUME), 0);
	CHECK(next(e, E_SIGNAL, NULL));
	while (!shared->value[8] && state_of(pid) == 'R')
		pause_ms(1);
	EQUAL(shared->value[8], 1);
	finish(pid);
	close(e);
}
static void r_signal_stop(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, EV_SIGNALS);

	go();
	respond(e, E_SIGNAL, STOP | S_TERM, 1, 0, 0);
	kill(pid, SIGTERM);
	CHECK(next(e, E_SIGNAL, NULL));
	EQUAL(stop(e), 0);
	EQUAL(state_of(pid), 'D');
	EQUAL(control(e, RESUME), 0);
	EQUAL(wait_for(pid), SIGTERM);
	close(e);
}
static void r_fault(void)
{
	pid_t pid = start(v_segv);
	int e = engine(pid, EV_SIGNALS);
	struct utrace_test_entry entry;

	go();
	CHECK(next(e, E_SIGNAL, &entry));
	EQUAL(entry.a, SIGSEGV);
	EQUAL(entry.action & 0xf0, S_CORE);
	EQUAL(wait_for(pid) & 0x7f, SIGSEGV);
	close(e);
}
static void v_timer(void)
{
	struct itimerval every = { { 0, 5000 }, { 0, 5000 } };

	signal(SIGALRM, on_hit);
	setitimer(ITIMER_REAL, &every, NULL);
	while (shared->value[8] < 10)
		;
}
static void r_timer(void)
{
	pid_t pid = start(v_timer);
	int e = engine(pid, EV_SIGNALS);

	go();
	EQUAL(wait_for(pid), 0);
	CHECK(count(e, E_SIGNAL) >= 10);
	close(e);
}
static void v_timedwait(void)
{
	struct timespec limit = { 2, 0 };
	sigset_t set;
	int i;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	shared->ready = 3;
	for (i = 0; i < 3; i++)
		shared->value[i] = sigtimedwait(&set, NULL, &limit);
	sigprocmask(SIG_BLOCK, NULL, &set);
	shared->value[4] = sigismember(&set, SIGUSR1);
	shared->value[5] = sigismember(&set, SIGUSR2);
}
static void r_timedwait(void)
{
	pid_t pid = start(v_timedwait);
	int e, i;

	go();
	wait_ready(3);
	e = engine(pid, EV_SIGNALS);
	for (i = 0; i < 3; i++) {
		CHECK(wait_state(pid, 'S'));
		kill(pid, SIGUSR1);
		while (!shared->value[i] && state_of(pid))
			pause_ms(1);
		EQUAL(shared->value[i], SIGUSR1);
	}
	EQUAL(wait_for(pid), 0);
	EQUAL(shared->value[4], 1);
	EQUAL(shared->value[5], 0);
	EQUAL(count(e, E_SIGNAL), 0);
	close(e);
}
static void v_queue(void)
{
	union sigval value = { 0 };
	sigset_t set, old;
	int i;

	signal(40, on_hit);
	sigemptyset(&set);
	sigaddset(&set, 40);
	sigprocmask(SIG_BLOCK, &set, &old);
	for (i = 0; i < 20; i++)
		sigqueue(getpid(), 40, value);
	sigprocmask(SIG_SETMASK, &old, NULL);
}
static void r_queue(void)
{
	pid_t pid = start(v_queue);
	int e = engine(pid, EV_SIGNALS);

	go();
	EQUAL(wait_for(pid), 0);
	EQUAL(shared->value[8], 20);
	EQUAL(count(e, E_SIGNAL), 20);
	close(e);
}
static void r_jctl(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, EV(E_JCTL));
	struct utrace_test_entry entry;

	go();
	kill(pid, SIGSTOP);
	CHECK(next(e, E_JCTL, &entry));
	EQUAL(entry.a, CLD_STOPPED);
	EQUAL(entry.b, CLD_STOPPED);
	CHECK(wait_state(pid, 'T'));
	kill(pid, SIGCONT);
	CHECK(next(e, E_JCTL, &entry));
	EQUAL(entry.a, CLD_CONTINUED);
	CHECK(wait_state(pid, 'R'));
	finish(pid);
	close(e);
}

/* Rows: life. */

static void r_clone(void)
{
	pid_t pid = start(v_fork);
	int e = engine(pid, EV(E_CLONE));
	struct utrace_test_entry entry;
	int stopped, turn;

	respond(e, E_CLONE, RESUME, 1, UTRACE_TEST_HOLD_CHILD, 0);
	go();
	CHECK(next(e, E_CLONE, &entry));
	CHECK(next(e, E_CLONE, &entry));
	while (!shared->value[0])
		pause_ms(1);
	stopped = -EINPROGRESS;
	for (turn = 0; turn < 500 && stopped; turn++) {
		stopped = control(e, 0x100 | STOP);
		pause_ms(2);
	}
	EQUAL(stopped, 0);
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

	respond(e, E_CLONE, STOP, 1, 0, 0);
	go();
	CHECK(next(e, E_CLONE, NULL));
	EQUAL(stop(e), 0);
	while (!shared->value[1])
		pause_ms(1);
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
	int e = engine(pid, EV(E_EXIT));

	respond(e, E_EXIT, STOP, 1, 0, 0);
	go();
	CHECK(next(e, E_EXIT, NULL));
	EQUAL(stop(e), 0);
	EQUAL(state_of(pid), 'D');
	kill(pid, SIGKILL);
	EQUAL(wait_for(pid), 3 << 8);
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

	respond(e, E_DEATH, RESUME, 1, UTRACE_TEST_SLEEP, 200);
	go();
	CHECK(wait_state(pid, 'Z'));
	EQUAL(control(e, DETACH), -EALREADY);
	wait_for(pid);
	EQUAL(count(e, E_REAP), 0);
	CHECK(next(e, E_DEATH, NULL) || 1);
	pause_ms(300);
	EQUAL(control(e, DETACH), -ESRCH);
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

/* Rows: calls and errors. */

static void r_attach(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, 0), other = make();

	EQUAL(lookup(e, MATCH_DATA), 1);
	EQUAL(lookup(e, MATCH_OPS | MATCH_DATA), 1);
	EQUAL(attach_to(other, pid, CREATE | EXCLUSIVE | MATCH_OPS), -EEXIST);
	EQUAL(attach_to(other, pid, CREATE | EXCLUSIVE | MATCH_OPS |
			MATCH_DATA), 0);
	EQUAL(control(other, DETACH), 0);
	EQUAL(lookup(other, MATCH_DATA), -ENOENT);
	close(other);
	other = make();
	EQUAL(attach_to(other, 2, CREATE), -EPERM);
	close(other);
	finish(pid);
	close(e);
	e = make();
	EQUAL(attach_to(e, pid, CREATE), -ESRCH);
	close(e);
}

static void r_pid_forms(void)
{
	struct utrace_test_attach a = { .flags = CREATE, .by_pid = 1 };
	pid_t pid = start(v_spin);
	uint32_t yes = 1;
	int e = make();

	a.pid = pid;
	EQUAL(ioctl(e, UTRACE_TEST_ATTACH, &a), 0);
	EQUAL(ioctl(e, UTRACE_TEST_BY_PID, &yes), 0);
	EQUAL(set_events(e, EV(E_QUIESCE)), 0);
	EQUAL(control(e, REPORT), 0);
	CHECK(next(e, UTRACE_TEST_NO_EVENT, NULL));
	EQUAL(barrier(e), 0);
	finish(pid);
	EQUAL(control(e, REPORT), -ESRCH);
	close(e);
}

static void r_in_progress(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, EV(E_QUIESCE));

	respond(e, UTRACE_TEST_NO_EVENT, RESUME, 1, UTRACE_TEST_SLEEP, 300);
	go();
	EQUAL(control(e, REPORT), 0);
	CHECK(next(e, UTRACE_TEST_NO_EVENT, NULL));
	EQUAL(set_events(e, 0), -EINPROGRESS);
	EQUAL(barrier(e), 0);
	EQUAL(set_events(e, 0), 0);
	EQUAL(set_events(e, EV(E_QUIESCE)), 0);
	respond(e, UTRACE_TEST_NO_EVENT, RESUME, 1, UTRACE_TEST_SLEEP, 300);
	EQUAL(control(e, REPORT), 0);
	CHECK(next(e, UTRACE_TEST_NO_EVENT, NULL));
	EQUAL(control(e, DETACH), -EINPROGRESS);
	EQUAL(control(e, DETACH), -ESRCH);
	EQUAL(barrier(e), 0);
	EQUAL(barrier(e), -ESRCH);
	finish(pid);
	close(e);
}

static void r_detach_return(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, EV_SIGNALS);

	go();
	respond(e, E_SIGNAL, DETACH | S_IGN, 1, 0, 0);
	kill(pid, SIGTERM);
	CHECK(next(e, E_SIGNAL, NULL));
	pause_ms(20);
	EQUAL(state_of(pid), 'R');
	EQUAL(control(e, RESUME), -ESRCH);
	finish(pid);
	close(e);
}

static void r_sticky(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, EV(E_QUIESCE));

	respond(e, UTRACE_TEST_NO_EVENT, RESUME, 1, UTRACE_TEST_SLEEP, 200);
	go();
	EQUAL(control(e, REPORT), 0);
	CHECK(next(e, UTRACE_TEST_NO_EVENT, NULL));
	EQUAL(control(e, STOP), -EINPROGRESS);
	CHECK(wait_state(pid, 'D'));
	pause_ms(250);
	EQUAL(state_of(pid), 'D');
	finish(pid);
	close(e);
}

/* Rows: side by side with others. */

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
	respond(e, UTRACE_TEST_NO_EVENT, RESUME, 1, UTRACE_TEST_SLEEP, 400);
	go();
	EQUAL(control(e, REPORT), 0);
	CHECK(next(e, UTRACE_TEST_NO_EVENT, NULL));
	setitimer(ITIMER_REAL, &soon, NULL);
	EQUAL(barrier(e), -EINTR);
	EQUAL(barrier(e), 0);
	signal(SIGALRM, SIG_DFL);
	finish(pid);
	close(e);
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
	int e = engine(pid, EV_SIGNALS);

	go();
	wait_ready(3);
	respond(e, E_SIGNAL, STOP | S_DELIVER, 1, 0, 0);
	kill(pid, SIGUSR1);
	CHECK(next(e, E_SIGNAL, NULL));
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

	respond(e, E_EXEC, STOP, 1, 0, 0);
	go();
	CHECK(next(e, E_EXEC, NULL));
	EQUAL(stop(e), 0);
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	CHECK(readlink(path, name, sizeof(name) - 1) > 0);
	CHECK(strstr(name, "/true"));
	EQUAL(control(e, RESUME), 0);
	EQUAL(wait_for(pid), 0);
	close(e);
}

static void v_blocked(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGUSR1, on_hit);
	shared->ready = 3;
	for (;;)
		sigpending(&set), shared->value[0] = sigismember(&set, SIGUSR2);
}

static void r_blocked_number(void)
{
	pid_t pid = start(v_blocked);
	int e = engine(pid, EV_SIGNALS), turn;

	go();
	wait_ready(3);
	respond(e, E_SIGNAL, RESUME | S_DELIVER, 1, UTRACE_TEST_SET_SIGNR,
		SIGUSR2);
	kill(pid, SIGUSR1);
	CHECK(next(e, E_SIGNAL, NULL));
	for (turn = 0; turn < 1000 && !shared->value[0]; turn++)
		pause_ms(1);
	EQUAL(shared->value[0], 1);
	EQUAL(shared->value[8], 0);
	finish(pid);
	close(e);
}

static void r_ptrace(void)
{
	pid_t pid = start(v_handler);
	int e = engine(pid, EV_SIGNALS), status;

	go();
	wait_ready(3);
	EQUAL(ptrace(PTRACE_SEIZE, pid, 0, 0), 0);
	kill(pid, SIGUSR1);
	CHECK(next(e, E_SIGNAL, NULL));
	EQUAL(waitpid(pid, &status, __WALL), pid);
	CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGUSR1);
	EQUAL(ptrace(PTRACE_CONT, pid, 0, SIGUSR1), 0);
	respond(e, E_SIGNAL, RESUME | S_IGN, 1, 0, 0);
	kill(pid, SIGTERM);
	CHECK(next(e, E_SIGNAL, NULL));
	pause_ms(20);
	EQUAL(waitpid(pid, &status, __WALL | WNOHANG), 0);
	EQUAL(shared->value[9], SIGUSR1);
	finish(pid);
	close(e);
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
	finish(pid);
	close(e);
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

/* A tracer that only uses sys_exit has to see threads that nobody traces. */
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
	EQUAL(put("/proc/sys/kernel/ftrace_enabled", "0"), -EBUSY);
}

/*
 * Leaves threads behind that the module must let go when it is unloaded: one
 * asleep with a work queued, one in a job control stop. tests/kmod/run wakes
 * them afterwards.
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
	pid_t asleep = start(v_left_asleep), stopped;
	int a = engine(asleep, EV(E_QUIESCE)), b;
	FILE *f = fopen("/tmp/utrace_left", "w");

	go();
	CHECK(wait_state(asleep, 'S'));
	EQUAL(control(a, STOP), -EINPROGRESS);
	close(a);
	stopped = start(v_left_spinning);
	b = engine(stopped, EV(E_JCTL) | EV_SIGNALS);
	go();
	wait_ready(3);
	kill(stopped, SIGSTOP);
	CHECK(wait_state(stopped, 'T'));
	EQUAL(control(b, STOP), 0);
	close(b);
	EQUAL(state_of(stopped), 'T');
	EQUAL(state_of(asleep), 'S');
	CHECK(f != NULL);
	if (f) {
		fprintf(f, "%d %d\n", asleep, stopped);
		fclose(f);
	}
}

/* Rows: the task finder. */

static int find(pid_t pid, const char *path)
{
	struct utrace_test_find f = { .pid = pid };
	int e = make();

	snprintf(f.path, sizeof(f.path), "%s", path);
	EQUAL(result(ioctl(e, UTRACE_TEST_FIND, &f)), 0);
	return e;
}

static void v_map(void)
{
	char *p = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	shared->value[0] = (long)p;
	mprotect(p, 4096, PROT_READ | PROT_WRITE);
	munmap(p, 8192);
}

static void r_find_pid(void)
{
	struct utrace_test_entry entry;
	pid_t pid = start(v_map);
	int e = find(pid, "");

	CHECK(next(e, UTRACE_TEST_FOUND, &entry));
	EQUAL(entry.a, pid);
	EQUAL(entry.b, 1);
	go();
	CHECK(next(e, UTRACE_TEST_MAPPED, &entry));
	EQUAL(wait_for(pid), 0);
	EQUAL(entry.a, shared->value[0]);
	EQUAL(entry.b, 8192);
	EQUAL(entry.c, PROT_READ);
	CHECK(next(e, UTRACE_TEST_PROTECTED, &entry));
	EQUAL(entry.b, 4096);
	CHECK(next(e, UTRACE_TEST_UNMAPPED, &entry));
	EQUAL(entry.a, shared->value[0]);
	CHECK(next(e, UTRACE_TEST_GONE, &entry));
	EQUAL(entry.b, 1);
	close(e);
}

static void r_find_children(void)
{
	struct utrace_test_entry entry;
	pid_t pid = start(v_fork);
	int e = find(pid, "");

	CHECK(next(e, UTRACE_TEST_FOUND, &entry));
	go();
	CHECK(next(e, UTRACE_TEST_FOUND, &entry));
	EQUAL(wait_for(pid), 0);
	EQUAL(entry.a, shared->value[0]);
	CHECK(next(e, UTRACE_TEST_GONE, &entry));
	CHECK(next(e, UTRACE_TEST_GONE, &entry));
	close(e);
}

static void r_find_path(void)
{
	struct utrace_test_entry entry;
	int e = find(0, "*/bin/tr?e");
	pid_t pid = start(v_exec);

	EQUAL(count(e, UTRACE_TEST_FOUND), 0);
	go();
	CHECK(next(e, UTRACE_TEST_FOUND, &entry));
	EQUAL(entry.a, pid);
	EQUAL(wait_for(pid), 0);
	CHECK(next(e, UTRACE_TEST_GONE, &entry));
	EQUAL(entry.a, pid);
	close(e);
}

static void r_find_all(void)
{
	pid_t pid = start(v_spin);
	int e = find(0, "");

	CHECK(count(e, UTRACE_TEST_FOUND) >= 3);
	close(e);
	EQUAL(state_of(pid), 'R');
	finish(pid);
}

static const struct row {
	const char *name, *item;
	void (*test)(void);
	const char *nearest;
} rows[] = {
	{ "report", "report_quiesce, event 0", r_report, NULL },
	{ "quiesce", "report_quiesce before an event, set_events in it",
	  r_quiesce_events, NULL },
	{ "request", "SIGNAL_REPORT, made-up signal", r_request_signal,
	  "engines with report_quiesce get that" },
	{ "stop", "STOP by control, examine, signals do not wake it", r_stop,
	  NULL },
	{ "two", "most constrained wins", r_two_engines, NULL },
	{ "sleeping", "STOP does not interrupt, INTERRUPT does",
	  r_stop_sleeping, "a few calls return EINTR" },
	{ "kill", "SIGKILL breaks STOP", r_kill_stop, NULL },
	{ "jobstop", "STOP of a job-stopped thread", r_stop_jobstopped, NULL },
	{ "sticky", "control(STOP) outlasts a running callback", r_sticky,
	  NULL },
	{ "step", "SINGLESTEP, 6 of 6", r_single_step, NULL },
	{ "block", "BLOCKSTEP, 6 of 6", r_block_step,
	  "steps single without BTF" },
	{ "entry", "report_syscall_entry", r_entry, NULL },
	{ "abort", "SYSCALL_ABORT, own result, ENOSYS", r_abort, NULL },
	{ "number", "altered call number", r_other_call, NULL },
	{ "argument", "altered argument", r_argument, NULL },
	{ "result", "report_syscall_exit, altered result", r_result, NULL },
	{ "resumed", "STOP at entry, RESUMED only if asked", r_resumed, NULL },
	{ "killentry", "SIGKILL at that stop: call not made", r_kill_entry,
	  NULL },
	{ "ignored", "ignored signals are seen", r_ignored_seen, NULL },
	{ "fatal", "fatal signal ignored", r_fatal_ignored, NULL },
	{ "fatal20", "20 of them with two threads", r_fatal_threads, NULL },
	{ "default", "default action, own number", r_default, NULL },
	{ "handler", "DELIVER to a handler, SIGNAL_HANDLER", r_handler, NULL },
	{ "signr", "altered number", r_changed_number, NULL },
	{ "return_ka", "DELIVER to another handler", r_return_ka, NULL },
	{ "term", "TERM on a handled signal, other number", r_term, NULL },
	{ "core", "CORE on a handled signal", r_core, NULL },
	{ "sigstop", "SIGNAL_STOP", r_sstop,
	  "since 6.12 the parent sees SIGSTOP" },
	{ "tstp", "SIGNAL_TSTP", r_tstp, "as above" },
	{ "hold", "STOP|HOLD: reported again", r_hold, NULL },
	{ "sigheld", "STOP before the default action", r_signal_stop, NULL },
	{ "fault", "synchronous fault", r_fault, NULL },
	{ "timer", "timers re-arm", r_timer, NULL },
	{ "timedwait", "sigtimedwait untouched", r_timedwait, NULL },
	{ "queue", "20 queued real-time signals", r_queue, NULL },
	{ "jctl", "report_jctl", r_jctl, "CONTINUED: notify is 0" },
	{ "clone", "report_clone, child held", r_clone, NULL },
	{ "vfork", "STOP of a vfork parent", r_vfork_stop, NULL },
	{ "exec", "report_exec", r_exec, NULL },
	{ "execthread", "exec by a thread", r_exec_thread, NULL },
	{ "exit", "report_exit, altered code", r_exit, NULL },
	{ "exitstop", "STOP at exit, SIGKILL breaks it", r_exit_stop, NULL },
	{ "exitkill", "a killed thread is not held at exit", r_exit_killed,
	  NULL },
	{ "exitgroup", "exit_group breaks STOP", r_group_exit, NULL },
	{ "death", "death before reap, errors on the dead", r_death, NULL },
	{ "selfreap", "a thread that reaps itself", r_self_reap, NULL },
	{ "nodeath", "DETACH in report_death: no reap", r_death_detach, NULL },
	{ "already", "DETACH during report_death; reap waits",
	  r_death_already, NULL },
	{ "zombie", "attach to a zombie", r_zombie, NULL },
	{ "attach", "CREATE, EXCLUSIVE, MATCH_*, their errors", r_attach,
	  NULL },
	{ "pid", "_pid forms", r_pid_forms, NULL },
	{ "progress", "EINPROGRESS, barrier, ESRCH", r_in_progress, NULL },
	{ "detach", "DETACH returned, with IGN", r_detach_return, NULL },
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
	{ "findpid", "finder by pid; mmap, mprotect, munmap; gone",
	  r_find_pid, "after the call, no brk" },
	{ "findchild", "finder: children of a pid", r_find_children, NULL },
	{ "findpath", "finder by wildcard, at exec", r_find_path, NULL },
	{ "findall", "finder of all threads", r_find_all, NULL },
};

int main(int argc, char **argv)
{
	const struct rlimit no_core = { 0, 0 };
	int failed = 0, ran = 0;
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	setrlimit(RLIMIT_CORE, &no_core);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];

		if (argc > 1 && strcmp(argv[1], row->name))
			continue;
		failures = 0;
		row->test();
		ran++;
		failed += failures != 0;
		printf("%-10s %-7s %s%s%s\n", row->name,
		       failures ? "FAIL" : row->nearest ? "nearest" : "pass",
		       row->item, row->nearest ? "; " : "",
		       row->nearest ? row->nearest : "");
	}
	printf("%d rows, %d failed\n", ran, failed);
	return failed || !ran;
}
