// SPDX-License-Identifier: GPL-2.0
/* Signals and job control. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>

#include "api.h"

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
static void v_ignores(void)
{
	signal(SIGUSR1, SIG_IGN);
	shared->ready = 3;
	v_spin();
}

/* The program ignores the signal; an engine that requests only this event gets it. */
static void r_ignored_by_choice(void)
{
	pid_t pid = start(v_ignores);
	int e = ready_engine(pid, EV(E_IGN));
	struct utrace_test_entry entry;

	kill(pid, SIGUSR1);
	CHECK(next(e, E_SIGNAL, &entry));
	EQUAL(entry.a, SIGUSR1);
	EQUAL(entry.action & 0xf0, S_IGN);
	end(pid, e);
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
	end(pid, e);
}
static void r_default(void)
{
	signal_row(v_spin, SIGTERM, RESUME | S_TERM, 0, 0, SIGTERM);
	signal_row(v_spin, 40, RESUME | S_TERM, 0, 0, 40);
}
static void r_handler(void)
{
	pid_t pid = start(v_handler);
	int e = ready_engine(pid, EV_SIGNALS);
	struct utrace_test_entry entry;

	kill(pid, SIGUSR1);
	CHECK(next(e, E_SIGNAL, &entry));
	EQUAL(entry.action & 0xf0, S_DELIVER);
	CHECK(next(e, UTRACE_TEST_HANDLER, &entry));
	EQUAL(entry.c, (long)on_hit);
	EQUAL(told(9), SIGUSR1);
	end(pid, e);
}
static int report_of_handler(int e)
{
	struct utrace_test_entry entry;

	CHECK(next(e, UTRACE_TEST_HANDLER, &entry));
	return entry.c == (long)on_hit;
}

/* Checks that the handler has run, and nothing else was reported. */
static void only_that(int e)
{
	EQUAL(told(9), SIGUSR1);
	pause_ms(20);
	EQUAL(count(e, UTRACE_TEST_NO_EVENT), 0);
	EQUAL(shared->value[8], 1);
}

/* An engine that requests a report before a handler is set up gets one report. */
static void r_lieu(void)
{
	static const int actions[] = { REPORT, INTERRUPT };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		pid_t pid = start(v_handler);
		int e = ready_engine(pid, EV_SIGNALS | EV(E_QUIESCE));
		int asks;

		respond(e, E_SIGNAL, actions[i] | S_DELIVER, 1, 0, 0);
		kill(pid, SIGUSR1);
		CHECK(report_of_handler(e));
		only_that(e);
		close(e);

		/* the request of another engine; this one requests no signals */
		shared->value[8] = shared->value[9] = 0;
		e = make();
		EQUAL(attach_to(e, pid, CREATE | QUIESCES), 0);
		EQUAL(set_events(e, EV(E_QUIESCE)), 0);
		asks = engine(pid, EV_SIGNALS);
		respond(asks, E_SIGNAL, actions[i] | S_DELIVER, 1, 0, 0);
		kill(pid, SIGUSR1);
		CHECK(report_of_handler(asks));
		CHECK(next(e, UTRACE_TEST_NO_EVENT, NULL));
		only_that(e);
		close(asks);
		end(pid, e);
	}
}

/* An engine that steps into a handler gets a report, even without signal events. */
static void r_step_handler(void)
{
	static const int actions[] = { SINGLESTEP, BLOCKSTEP };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		pid_t pid = start(v_handler);
		int e = ready_engine(pid, EV(E_QUIESCE));

		EQUAL(stop(e), 0);
		kill(pid, SIGUSR1);
		EQUAL(control(e, actions[i]), 0);
		CHECK(report_of_handler(e));
		only_that(e);
		EQUAL(state_of(pid), 'R');	/* stepping has ended */
		end(pid, e);
	}
}

/* A signal that is generated in the report of a handler. */
static void r_handler_signal(void)
{
	pid_t pid = start(v_handler);
	int e = ready_engine(pid, EV_SIGNALS);

	respond(e, UTRACE_TEST_HANDLER, RESUME | S_DELIVER, 1,
		UTRACE_TEST_MAKE_SIGNAL, SIGUSR2);
	kill(pid, SIGUSR1);
	CHECK(SOON(shared->value[8] == 2));
	CHECK(next(e, UTRACE_TEST_HANDLER, NULL));
	CHECK(next(e, UTRACE_TEST_HANDLER, NULL));
	EQUAL(count(e, E_SIGNAL), 0);
	end(pid, e);
}
static void r_changed_number(void)
{
	pid_t pid = start(v_handler);
	int e = ready_engine(pid, EV_SIGNALS);

	respond(e, E_SIGNAL, RESUME | S_DELIVER, 1, UTRACE_TEST_SET_SIGNR,
		SIGUSR1);
	kill(pid, SIGHUP);
	EQUAL(told(9), SIGUSR1);
	end(pid, e);
}
static void other_handler(int signr) { shared->value[10] = signr; }
static void r_return_ka(void)
{
	pid_t pid = start(v_handler);
	int e = ready_engine(pid, EV_SIGNALS);

	respond(e, E_SIGNAL, RESUME | S_DELIVER, 1, UTRACE_TEST_SET_HANDLER,
		(long)other_handler);
	kill(pid, SIGUSR2);
	EQUAL(told(10), SIGUSR2);
	EQUAL(shared->value[8], 0);
	end(pid, e);
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
	int e = ready_engine(pid, EV_SIGNALS), status;

	respond(e, E_SIGNAL, RESUME | action, 1, 0, 0);
	CHECK(signal_reported(e, pid, SIGUSR1));
	CHECK(wait_state(pid, 'T'));
	EQUAL(waitpid(pid, &status, WUNTRACED), pid);
	CHECK(WIFSTOPPED(status));
	EQUAL(shared->value[8], 0);
	kill(pid, SIGCONT);
	CHECK(wait_state(pid, 'R'));
	end(pid, e);
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
	int e = ready_engine(pid, EV_SIGNALS);

	respond(e, E_SIGNAL, STOP | S_IGN | S_HOLD, 1, 0, 0);
	CHECK(signal_reported(e, pid, SIGUSR1));
	CHECK(wait_state(pid, 'D'));
	EQUAL(shared->value[8], 0);
	EQUAL(stop(e), 0);
	EQUAL(control(e, RESUME), 0);
	CHECK(next(e, E_SIGNAL, NULL));
	EQUAL(told(8), 1);
	end(pid, e);
}
static void r_signal_stop(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, EV_SIGNALS);

	go();
	respond(e, E_SIGNAL, STOP | S_TERM, 1, 0, 0);
	CHECK(signal_reported(e, pid, SIGTERM));
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
/* Runs a victim to its end. Returns the number of reports about its signals. */
static int signals_of(void (*body)(void))
{
	pid_t pid = start(body);
	int e = engine(pid, EV_SIGNALS), n;

	go();
	EQUAL(wait_for(pid), 0);
	n = count(e, E_SIGNAL);
	close(e);
	return n;
}
static void r_timer(void) { CHECK(signals_of(v_timer) >= 10); }
static void v_timedwait(void)
{
	struct timespec limit = { 2, 0 };
	sigset_t set = block(SIGUSR1);
	int i;

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
		EQUAL(told(i), SIGUSR1);
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
	sigset_t set = block(40);
	int i;

	signal(40, on_hit);
	for (i = 0; i < 20; i++)
		sigqueue(getpid(), 40, value);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}
static void r_queue(void)
{
	EQUAL(signals_of(v_queue), 20);
	EQUAL(shared->value[8], 20);
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
	EQUAL(entry.b, CLD_CONTINUED);
	CHECK(wait_state(pid, 'R'));
	end(pid, e);
}

/* A default action, with the number that an engine has set. */
static void r_default_number(void)
{
	signal_row(v_spin, SIGHUP, RESUME | S_TERM, UTRACE_TEST_SET_SIGNR,
		   SIGTERM, SIGTERM);
	signal_row(v_spin, SIGQUIT, RESUME | S_CORE, UTRACE_TEST_SET_SIGNR,
		   SIGABRT, SIGABRT);
}

static void hold_row(uint32_t action, int handled)
{
	pid_t pid = start(v_handler);
	int e = ready_engine(pid, EV_SIGNALS), i;
	struct utrace_test_entry entry;

	respond(e, E_SIGNAL, RESUME | action | S_HOLD, 1, 0, 0);
	kill(pid, SIGUSR1);
	for (i = 0; i < 2; i++) {
		CHECK(next(e, E_SIGNAL, &entry));
		EQUAL(entry.a, SIGUSR1);
	}
	SOON(shared->value[8] >= handled);
	pause_ms(20);
	EQUAL(shared->value[8], handled);
	EQUAL(count(e, E_SIGNAL), 0);
	end(pid, e);
}

/*
 * An engine that detaches with its answer: the answer takes effect
 * nevertheless, even where the kernel would have done something else.
 */
static void last_word(uint32_t action, uint32_t op, int64_t argument)
{
	pid_t pid = start(v_handler);
	int e = ready_engine(pid, EV_SIGNALS);

	respond(e, E_SIGNAL, DETACH | action, 1, op, argument);
	kill(pid, SIGUSR1);
	if (action == S_TERM) {
		EQUAL(wait_for(pid) & 0x7f, SIGUSR1);
	} else {
		EQUAL(told(op == UTRACE_TEST_SET_HANDLER ? 10 : 9), SIGUSR1);
		finish(pid);
	}
	close(e);
}

static void r_last_word(void)
{
	last_word(S_TERM, 0, 0);
	last_word(S_DELIVER, UTRACE_TEST_SET_HANDLER, (long)other_handler);
	last_word(S_IGN | S_HOLD, 0, 0);
}

/* The action is carried out, and the signal is reported again after it. */
static void r_hold_action(void)
{
	hold_row(S_DELIVER, 2);
	hold_row(S_IGN, 1);
}

static void r_hold_stop(void)
{
	pid_t pid = start(v_handler);
	int e = ready_engine(pid, EV_SIGNALS);

	respond(e, E_SIGNAL, RESUME | S_STOP | S_HOLD, 1, 0, 0);
	CHECK(signal_reported(e, pid, SIGUSR1));
	CHECK(wait_state(pid, 'T'));
	EQUAL(shared->value[8], 0);
	kill(pid, SIGCONT);
	EQUAL(told(9), SIGUSR1);
	end(pid, e);
}

/* STOP|IGN leaves the signal in info; INTERRUPT finds it there. */
static void r_info_again(void)
{
	pid_t pid = start(v_handler);
	struct utrace_test_entry entry;
	int e = make();

	EQUAL(attach_to(e, pid, CREATE | REQUESTS), 0);
	EQUAL(set_events(e, EV(E_QUIESCE) | EV_SIGNALS), 0);
	go();
	wait_ready(3);
	respond(e, E_SIGNAL, STOP | S_IGN, 1, 0, 0);
	CHECK(signal_reported(e, pid, SIGUSR1));
	EQUAL(stop(e), 0);
	EQUAL(shared->value[8], 0);
	EQUAL(control(e, INTERRUPT), 0);
	CHECK(next(e, UTRACE_TEST_REQUEST, &entry));
	EQUAL(entry.a, SIGUSR1);
	end(pid, e);
}

static void v_seccomp(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),	/* the number */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, filter };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		syscall(SYS_getppid);
}

/* A signal that the kernel forces, and that no engine may change. */
static void r_immutable(void)
{
	pid_t pid = start(v_seccomp);
	int e = engine(pid, EV_SIGNALS);

	respond(e, E_SIGNAL, RESUME | S_IGN, 0, 0, 0);
	go();
	EQUAL(wait_for(pid) & 0x7f, SIGSYS);
	EQUAL(count(e, E_SIGNAL), 0);
	close(e);
}

/* STOP as the answer of report_jctl takes effect when the job control stop ends. */
static void r_jctl_stop(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, EV(E_JCTL));

	go();
	respond(e, E_JCTL, STOP, 0, 0, 0);
	kill(pid, SIGSTOP);
	CHECK(next(e, E_JCTL, NULL));
	CHECK(wait_state(pid, 'T'));
	kill(pid, SIGCONT);
	CHECK(wait_state(pid, 'D'));
	EQUAL(control(e, RESUME), 0);
	CHECK(wait_state(pid, 'R'));
	end(pid, e);
}

static void v_oneshot(void)
{
	struct sigaction action = {
		.sa_handler = on_hit, .sa_flags = SA_RESETHAND,
	};

	sigaction(SIGUSR1, &action, NULL);
	shared->ready = 3;
	v_spin();
}

static void r_oneshot(void)
{
	pid_t pid = start(v_oneshot);
	int e = ready_engine(pid, EV_SIGNALS);

	kill(pid, SIGUSR1);
	EQUAL(told(9), SIGUSR1);
	kill(pid, SIGUSR1);
	EQUAL(wait_for(pid) & 0x7f, SIGUSR1);
	EQUAL(shared->value[8], 1);
	EQUAL(count(e, E_SIGNAL), 2);
	close(e);
}

static void v_signalfd(void)
{
	struct signalfd_siginfo info;
	sigset_t set = block(SIGUSR1);
	int fd = signalfd(-1, &set, 0), i;

	shared->ready = 3;
	for (i = 0; i < 3; i++)
		if (read(fd, &info, sizeof(info)) == sizeof(info))
			shared->value[i] = info.ssi_signo;
}

static void r_signalfd(void)
{
	pid_t pid = start(v_signalfd);
	int e = ready_engine(pid, EV_SIGNALS), i;

	for (i = 0; i < 3; i++) {
		kill(pid, SIGUSR1);
		EQUAL(told(i), SIGUSR1);
	}
	EQUAL(wait_for(pid), 0);
	EQUAL(count(e, E_SIGNAL), 0);
	close(e);
}

static void v_posix_timer(void)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL, .sigev_signo = 40,
	};
	struct itimerspec every = { { 0, 5000000 }, { 0, 5000000 } };
	timer_t timer;

	signal(40, on_hit);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &every, NULL))
		_exit(1);
	while (shared->value[8] < 10)
		;
}

static void r_posix_timer(void) { CHECK(signals_of(v_posix_timer) >= 10); }

static void r_unreported_kill(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, EV_SIGNALS);

	respond(e, E_SIGNAL, RESUME | S_IGN, 0, 0, 0);
	go();
	kill(pid, SIGKILL);
	EQUAL(wait_for(pid), SIGKILL);
	EQUAL(count(e, E_SIGNAL), 0);
	close(e);
}

const struct row rows_signal[] = {
	{ "ignored", "ignored signals are seen", r_ignored_seen, NULL },
	{ "sigign", "ignored by SIG_IGN: SIGNAL_IGN", r_ignored_by_choice,
	  NULL },
	{ "fatal", "fatal signal ignored", r_fatal_ignored, NULL },
	{ "fatal20", "20 of them with two threads", r_fatal_threads, NULL },
	{ "default", "default action, own number", r_default, NULL },
	{ "handler", "DELIVER to a handler, SIGNAL_HANDLER", r_handler, NULL },
	{ "lieu", "SIGNAL_HANDLER in lieu of a report that was asked for",
	  r_lieu, NULL },
	{ "stephandler", "SINGLESTEP, BLOCKSTEP ask for SIGNAL_HANDLER",
	  r_step_handler, "block steps single without BTF" },
	{ "handlersig", "SIGNAL_HANDLER makes up a signal", r_handler_signal,
	  NULL },
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
	{ "jctl", "report_jctl", r_jctl, "CONTINUED comes after the parent was told" },
	{ "jctlstop", "STOP from report_jctl", r_jctl_stop,
	  "in force after the job control stop" },
	{ "defnumber", "TERM and CORE by default, altered number",
	  r_default_number, NULL },
	{ "holdact", "HOLD with DELIVER, with IGN: done, and reported again",
	  r_hold_action, NULL },
	{ "lastword", "DETACH with an action: the action is done", r_last_word,
	  NULL },
	{ "holdstop", "HOLD with STOP: reported again after SIGCONT",
	  r_hold_stop, "not in SigPnd, a SIGCONT does not flush it" },
	{ "again", "STOP|IGN, found in info by INTERRUPT", r_info_again,
	  NULL },
	{ "immutable", "SA_IMMUTABLE: not reported, cannot be ignored",
	  r_immutable, NULL },
	{ "oneshot", "SA_RESETHAND: the handler runs once", r_oneshot, NULL },
	{ "signalfd", "signalfd untouched", r_signalfd, NULL },
	{ "ptimer", "POSIX timers re-arm", r_posix_timer, NULL },
	{ "unreported", "SIGKILL: not reported, cannot be ignored",
	  r_unreported_kill, NULL },
	{ NULL, NULL, NULL, NULL }
};
