// SPDX-License-Identifier: GPL-2.0
/* Quiesce and the resume actions. */
#define _GNU_SOURCE
#include "api.h"

static void r_report(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, EV(E_QUIESCE));

	EQUAL(control(e, REPORT), 0);
	CHECK(next(e, UTRACE_TEST_NO_EVENT, NULL));
	end(pid, e);
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

/* Each engine gets the choice of those before it. */
static void r_order(void)
{
	struct utrace_test_entry entry;
	pid_t pid = start(v_spin);
	int e[3], i;

	for (i = 0; i < 3; i++)
		e[i] = engine(pid, EV_SIGNALS);
	go();
	respond(e[0], E_SIGNAL, RESUME | S_CORE, 1, 0, 0);
	respond(e[1], E_SIGNAL, RESUME | S_IGN, 1, 0, 0);
	kill(pid, SIGTERM);
	for (i = 0; i < 3; i++) {
		static const uint32_t told[] = { S_TERM, S_CORE, S_IGN };

		CHECK(next(e[i], E_SIGNAL, &entry));
		EQUAL(entry.action & 0xf0, told[i]);
		EQUAL(count(e[i], E_SIGNAL), 0);
	}
	EQUAL(state_of(pid), 'R');
	finish(pid);
	for (i = 0; i < 3; i++)
		close(e[i]);
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
	end(pid, e);
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
	end(pid, e);
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
	end(pid, e);
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
	EQUAL(told(9), SIGUSR1);
	end(pid, e);
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

/* Resumed threads do not count as stopped. */
static void r_stop_again(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, 0), i;

	go();
	for (i = 0; i < 5; i++) {
		EQUAL(stop(e), 0);
		EQUAL(control(e, STOP), 0);
		EQUAL(control(e, RESUME), 0);
		EQUAL(control(e, RESUME), 0);
	}
	CHECK(wait_state(pid, 'R'));
	end(pid, e);
}

const struct row rows_resume[] = {
	{ "report", "report_quiesce, event 0", r_report, NULL },
	{ "quiesce", "report_quiesce before an event, set_events in it",
	  r_quiesce_events, NULL },
	{ "request", "SIGNAL_REPORT, made-up signal", r_request_signal,
	  "engines with report_quiesce get that" },
	{ "stop", "STOP by control, signals do not wake it", r_stop,
	  NULL },
	{ "two", "most constrained wins", r_two_engines, NULL },
	{ "order", "callbacks in the order of attachment", r_order, NULL },
	{ "sleeping", "STOP does not interrupt, INTERRUPT does",
	  r_stop_sleeping, "a few calls return EINTR" },
	{ "kill", "SIGKILL breaks STOP", r_kill_stop, NULL },
	{ "jobstop", "STOP of a job-stopped thread", r_stop_jobstopped, NULL },
	{ "step", "SINGLESTEP, 6 of 6", r_single_step, NULL },
	{ "block", "BLOCKSTEP, 6 of 6", r_block_step,
	  "steps single without BTF" },
	{ "stopagain", "STOP of the stopped, RESUME of the running",
	  r_stop_again, NULL },
	{ NULL, NULL, NULL, NULL }
};
