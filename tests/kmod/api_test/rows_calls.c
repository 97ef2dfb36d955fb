// SPDX-License-Identifier: GPL-2.0
/* The calls and their errors */
#define _GNU_SOURCE
#include "api.h"

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
	end(pid, e);
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

	go();
	CHECK(reports_slowly(e, 1500));
	EQUAL(set_events(e, 0), -EINPROGRESS);
	EQUAL(barrier(e), 0);
	EQUAL(set_events(e, 0), 0);
	EQUAL(set_events(e, EV(E_QUIESCE)), 0);
	CHECK(reports_slowly(e, 1500));
	EQUAL(control(e, DETACH), -EINPROGRESS);
	EQUAL(control(e, DETACH), -ESRCH);
	EQUAL(barrier(e), 0);
	EQUAL(barrier(e), -ESRCH);
	end(pid, e);
}

static void r_detach_return(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, EV_SIGNALS);

	go();
	respond(e, E_SIGNAL, DETACH | S_IGN, 1, 0, 0);
	CHECK(signal_reported(e, pid, SIGTERM));
	pause_ms(20);
	EQUAL(state_of(pid), 'R');
	EQUAL(control(e, RESUME), -ESRCH);
	end(pid, e);
}

static void r_sticky(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, EV(E_QUIESCE));

	go();
	CHECK(reports_slowly(e, 1000));
	EQUAL(control(e, STOP), -EINPROGRESS);
	CHECK(wait_state(pid, 'D'));
	pause_ms(1100);
	CHECK(wait_state(pid, 'D'));	/* it would run for ever */
	end(pid, e);
}

static int prepare(int e) { return result(ioctl(e, UTRACE_TEST_PREPARE)); }
static int examined(int e) { return result(ioctl(e, UTRACE_TEST_FINISH)); }

static void r_examine(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, 0);

	EQUAL(prepare(e), -EINVAL);	/* no STOP is in force */
	EQUAL(stop(e), 0);
	EQUAL(prepare(e), 0);
	EQUAL(examined(e), 0);
	EQUAL(control(e, RESUME), 0);
	EQUAL(examined(e), -EINVAL);
	CHECK(wait_state(pid, 'R'));
	EQUAL(stop(e), 0);
	EQUAL(examined(e), -EAGAIN);	/* it ran meanwhile */
	EQUAL(control(e, DETACH), 0);
	EQUAL(prepare(e), -ESRCH);
	EQUAL(examined(e), -ESRCH);
	end(pid, e);

	pid = start(v_pause);
	e = engine(pid, 0);
	go();
	CHECK(wait_state(pid, 'S'));
	EQUAL(control(e, STOP), -EINPROGRESS);
	EQUAL(prepare(e), -EAGAIN);	/* it has not stopped yet */
	end(pid, e);
}

static void r_invalid(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, 0);

	EQUAL(set_events(e, 1u << 20), -EINVAL);
	EQUAL(control(e, DETACH + 1), -EINVAL);
	EQUAL(set_events(e, EV_SIGNALS), 0);
	EQUAL(control(e, DETACH), 0);
	EQUAL(set_events(e, 0), -ESRCH);
	EQUAL(control(e, RESUME), -ESRCH);
	EQUAL(barrier(e), -ESRCH);
	end(pid, e);
}

/* Each event by itself; UTRACE_REFUSED has those that this module does not support. */
static void r_granted(void)
{
	const char *without = getenv("UTRACE_REFUSED");
	bool all = without && !strcmp(without, "all");
	uint64_t refused = without ? strtoul(without, NULL, 16) : 0;
	pid_t pid = start(v_spin);
	int e = make(), event;

	EQUAL(attach_to(e, pid, CREATE), all ? -EOPNOTSUPP : 0);
	for (event = E_QUIESCE; !all && event <= E_JCTL; event++) {
		EQUAL(set_events(e, EV(event)),
		      refused & EV(event) ? -EOPNOTSUPP : 0);
		EQUAL(set_events(e, 0), 0);
	}
	end(pid, e);
}

/* While report_death runs, the engine cannot be detached. */
static void r_in_death(void)
{
	pid_t pid = start(v_exit3);
	int e = engine(pid, EV(E_DEATH) | EV(E_REAP));

	respond(e, E_DEATH, RESUME, 1, UTRACE_TEST_WAIT, 0);
	go();
	CHECK(wait_state(pid, 'Z'));
	CHECK(next(e, UTRACE_TEST_WAITING, NULL));
	EQUAL(set_events(e, EV(E_REAP)), -EALREADY);
	EQUAL(set_events(e, EV(E_DEATH)), -EINPROGRESS);
	EQUAL(set_events(e, EV(E_DEATH) | EV(E_REAP)), 0);
	EQUAL(set_events(e, EV(E_DEATH) | EV(E_QUIESCE)), -EALREADY);
	EQUAL(control(e, STOP), -ESRCH);
	EQUAL(control(e, REPORT), -ESRCH);
	EQUAL(control(e, DETACH), -EALREADY);
	wait_for(pid);				/* it is reaped while it dies */
	EQUAL(count(e, E_REAP), 0);
	EQUAL(ioctl(e, UTRACE_TEST_GO_ON), 0);
	EQUAL(barrier(e) == 0 || barrier(e) == -ESRCH, 1);
	CHECK(next(e, E_REAP, NULL));
	close(e);
}

/* While report_reap runs, and after it. */
static void r_in_reap(void)
{
	pid_t pid = start(v_exit3);
	int e = engine(pid, EV(E_DEATH) | EV(E_REAP));

	respond(e, E_REAP, RESUME, 1, UTRACE_TEST_WAIT, 0);
	go();
	EQUAL(wait_for(pid), 3 << 8);		/* not delayed by report_reap */
	CHECK(next(e, UTRACE_TEST_WAITING, NULL));
	EQUAL(set_events(e, EV(E_DEATH)), -EALREADY);
	EQUAL(set_events(e, EV(E_REAP)), -EALREADY);
	EQUAL(control(e, STOP), -ESRCH);
	EQUAL(control(e, DETACH), -ESRCH);
	EQUAL(ioctl(e, UTRACE_TEST_GO_ON), 0);
	CHECK(SOON(barrier(e) == -ESRCH));
	EQUAL(set_events(e, 0), -ESRCH);
	close(e);
}

/* The attachment holds a reference; when it is dropped, release is called, too. */
static void r_release(void)
{
	pid_t pid = start(v_spin);
	int e = engine(pid, EV_SIGNALS);

	EQUAL(result(ioctl(e, UTRACE_TEST_PUT)), 0);
	EQUAL(count(e, UTRACE_TEST_RELEASE), 0);
	go();
	respond(e, E_SIGNAL, RESUME | S_IGN, 0, 0, 0);
	CHECK(signal_reported(e, pid, SIGTERM));	/* it is still attached */
	finish(pid);
	CHECK(next(e, UTRACE_TEST_RELEASE, NULL));
	close(e);
}

const struct row rows_calls[] = {
	{ "sticky", "control(STOP) outlasts a running callback", r_sticky,
	  NULL },
	{ "attach", "CREATE, EXCLUSIVE, MATCH_*, their errors", r_attach,
	  NULL },
	{ "pid", "_pid forms", r_pid_forms, NULL },
	{ "progress", "EINPROGRESS, barrier, ESRCH", r_in_progress, NULL },
	{ "detach", "DETACH returned, with IGN", r_detach_return, NULL },
	{ "examine", "prepare, finish: EINVAL, EAGAIN, ESRCH", r_examine,
	  NULL },
	{ "invalid", "EINVAL; ESRCH of every call when detached", r_invalid,
	  NULL },
	{ "granted", "each event; EOPNOTSUPP where the kernel has changed",
	  r_granted, NULL },
	{ "indeath", "errors during report_death; reap waits", r_in_death,
	  NULL },
	{ "inreap", "errors during report_reap; the parent does not wait",
	  r_in_reap, NULL },
	{ "release", "references; release with the last one", r_release,
	  NULL },
	{ NULL, NULL, NULL, NULL }
};
