// SPDX-License-Identifier: GPL-2.0
/*
 * What one event costs at most, at each limit of docs/kernel-module.md, if a
 * member of the device's group tries his best
 *
 * For a guest with one CPU that counts instructions, also while nothing runs
 * (run --icount --skip-idle): there a nanosecond is an instruction. Two things
 * are measured, each with a bound:
 *
 *   cost    the instructions that the event adds to what caused it
 *   stall   how long a real-time thread waited for the CPU meanwhile, so how
 *           long the kernel let nobody else run, until the sessions have
 *           ended; 4.9 M is the kernel's own walk over all functions that
 *           ftrace knows, when a hook comes or goes
 *
 * usage: device-worst [full]     full: as many as the kernel allows
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <stdbool.h>

#include "child.h"

#define MILLION 1000000ull
#define STALL (6 * MILLION)
#define SESSIONS 10 /* of a member */
#define SITE_MAX 4096 /* taps at one place */
#define NOTHING "/tmp/sonde-no-program"

static struct client all[SESSIONS];
static bool full;

/* Shared with the children. */
static struct {
	uint64_t cost; /* of the event */
	uint64_t stall; /* the longest one since it was last set to 0 */
} *seen;

static void report(const char *what, uint64_t cost, uint64_t most,
		   uint64_t most_stall)
{
	printf("worst: %-58s %7.1f of %5.1f M, stall %5.1f of %4.1f M\n", what,
	       cost / 1e6, most / 1e6, seen->stall / 1e6, most_stall / 1e6);
	CHECK(cost <= most, "%s: %lu instructions", what, cost);
	CHECK(seen->stall <= most_stall, "%s: nobody else ran for %lu instructions",
	      what, seen->stall);
}

/* Preempts everything that can be preempted, four thousand times a second. */
static void watch(void)
{
	const struct sched_param urgent = { .sched_priority = 50 };
	const struct timespec nap = { 0, 250000 };
	uint64_t before, late;

	if (sched_setscheduler(0, SCHED_FIFO, &urgent))
		_exit(1);
	for (;;) {
		before = now();
		nanosleep(&nap, NULL);
		late = now() - before - nap.tv_nsec;
		if (late > seen->stall)
			seen->stall = late;
	}
}

static pid_t start_watch(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		watch();
	return pid;
}

/* The least of several, so that what the kernel does meanwhile does not count. */
static uint64_t cost_of(void (*event)(void), int times)
{
	uint64_t least = -1, began, took;

	while (times--) {
		began = now();
		event();
		took = now() - began;
		least = took < least ? took : least;
	}
	return least;
}

static void call(void)
{
	syscall(SYS_getppid);
}

static void send_signal(void)
{
	kill(getpid(), SIGCONT);
}

static void run_nothing(void)
{
	execl(NOTHING, NOTHING, NULL);
}

static void (*event)(void);

static int measure(void)
{
	seen->stall = 0;
	/* Of an execve the first one: it is the one that would find the mappings still untold. */
	seen->cost = cost_of(event, event == run_nothing ? 1 : 5);
	return 0;
}

/* Measures an event in a child, which @sessions sessions trace; @arm arms one. */
static void trace(uint32_t sessions, void (*arm_one)(struct client *c),
		  void (*what)(void))
{
	struct child child;

	event = what;
	child = start_child(&all[0], measure);
	for (uint32_t n = 0; n < sessions; n++) {
		GRANTED(&all[n], open_session(&all[n], 4096));
		GRANTED(&all[n], attach(&all[n], child.pid));
		arm_one(&all[n]);
		go(&all[n]);
	}
	open_gate(&child);
	CHECK_EXIT(&child, 0);
	for (uint32_t n = 0; n < sessions; n++)
		close_client(&all[n]);
}

/*
 * Held taps: their ECB never records, so nobody is ever held
 */

static const struct sonde_dif_insn never[] = { { .op = SONDE_DIF_FAIL } };
static uint32_t calls_tapped;

static int arm_calls(struct client *c, uint32_t first, uint32_t count,
		     uint32_t number)
{
	static struct sonde_tap taps[SITE_MAX + 1];

	for (uint32_t n = 0; n < count; n++)
		taps[n] = (struct sonde_tap){
			.id = first + n, .probe = 1, .number = number,
			.kind = SONDE_TAP_SYSCALL_ENTRY };
	return request(c, SONDE_TAP_ARM, 0, count, taps, count * sizeof(*taps),
		       NULL, 0);
}

static void arm_held(struct client *c)
{
	GRANTED(c, load_words(c, 1, INSNS(never), 0));
	GRANTED(c, add_ecb(c, (struct sonde_ecb){ 1, 1, 1, SONDE_ECB_HELD }));
	for (uint32_t n = 0; n < calls_tapped; n++)
		GRANTED(c, arm_calls(c, 1 + n * SITE_MAX, SITE_MAX,
				     SYS_getppid + n));
	CHECK(arm_calls(c, 1 + calls_tapped * SITE_MAX, 1, SYS_getppid) == -E2BIG,
	      "one more held tap at one place");
}

static void held_taps(void)
{
	calls_tapped = 1;
	trace(1, arm_held, call);
	report("4,096 held taps on one call", seen->cost, 30 * MILLION, STALL);
	calls_tapped = full ? 100 : 15;
	trace(1, arm_held, call);
	report(full ? "the same on each of 100 calls" :
		      "the same on each of 15 calls",
	       seen->cost, 30 * MILLION, STALL);
}

/*
 * Programs of the greatest cost
 */

static struct sonde_dif_insn code[SONDE_DIF_MAX_LENGTH];
static uint32_t tap_kind, tap_number, programs;

static void fill(struct sonde_dif_insn with)
{
	code[0] = (struct sonde_dif_insn){ SONDE_DIF_LI, 0, 0, 0, 0x10000 };
	for (uint32_t n = 1; n < LENGTH(code) - 1; n++)
		code[n] = with;
	code[LENGTH(code) - 1] =
		(struct sonde_dif_insn){ .op = SONDE_DIF_FAIL };
}

/* As many ECBs as the cost of a firing allows. */
static void arm_costly(struct client *c)
{
	const struct sonde_tap tap = { .id = 1, .probe = 1, .kind = tap_kind,
				       .number = tap_number };

	GRANTED(c, load_words(c, 1, INSNS(code), 0));
	GRANTED(c, arm_tap(c, tap, NULL));
	for (programs = 0; programs < 5000; programs++)
		if (add_ecb(c, (struct sonde_ecb){ programs + 1, 1, 1, 0 }))
			break;
	CHECK(c->last.reply.error == -E2BIG && programs, "%u ECBs: %s", programs,
	      c->last.reply.why);
}

static void costly(const char *what, uint32_t kind, void (*cause)(void),
		   uint64_t most)
{
	char text[80];

	tap_kind = kind;
	tap_number = SYS_getppid;
	trace(1, arm_costly, cause);
	snprintf(text, sizeof(text), "%u programs of %s", programs, what);
	report(text, seen->cost, most, most + STALL);
	trace(SESSIONS, arm_costly, cause);
	snprintf(text, sizeof(text), "the same, %u sessions", SESSIONS);
	report(text, seen->cost, SESSIONS * most,
	       SESSIONS * most + STALL);
}

static void costly_programs(void)
{
	const struct sonde_dif_insn add = { SONDE_DIF_ADD, 1, 0, 0, 0 };
	const struct sonde_dif_insn load = { SONDE_DIF_LDU, 1, 0, 0, 8 };
	const struct sonde_dif_insn time = { SONDE_DIF_VAR, 1, 0, 0,
					     SONDE_DIF_VAR_VTIMESTAMP };

	fill(add);
	costly("additions, a call", SONDE_TAP_SYSCALL_ENTRY, call, 12 * MILLION);
	costly("additions, interrupts off", SONDE_TAP_SIGNAL_SEND, send_signal,
	       2 * MILLION);
	fill(load);
	costly("loads of absent memory, a call", SONDE_TAP_SYSCALL_ENTRY, call,
	       12 * MILLION);
	costly("loads of absent memory, interrupts off", SONDE_TAP_SIGNAL_SEND,
	       send_signal, 2 * MILLION);
	fill(time);
	costly("vtimestamps, interrupts off", SONDE_TAP_SIGNAL_SEND,
	       send_signal, 3 * MILLION);
}

/* Many taps on one call, each for a probe of its own with an empty program. */
static void arm_many_probes(struct client *c)
{
	static const struct sonde_dif_insn empty[] = { { .op = SONDE_DIF_RECORD } };
	static struct sonde_tap taps[SITE_MAX];
	static struct sonde_ecb ecbs[8 * SITE_MAX];

	GRANTED(c, load_words(c, 1, INSNS(empty), 0));
	for (uint32_t n = 0; n < LENGTH(ecbs); n++)
		ecbs[n] = (struct sonde_ecb){ n + 1, n % SITE_MAX + 1, 1, 0 };
	GRANTED(c, request(c, SONDE_ECB_ADD, 0, LENGTH(ecbs), ecbs,
			   sizeof(ecbs), NULL, 0));
	for (uint32_t n = 0; n < SITE_MAX; n++)
		taps[n] = (struct sonde_tap){ .id = n + 1, .probe = n + 1,
			.kind = SONDE_TAP_SYSCALL_ENTRY, .number = SYS_getppid };
	GRANTED(c, request(c, SONDE_TAP_ARM, 0, SITE_MAX, taps, sizeof(taps),
			   NULL, 0));
}

static void many_probes(void)
{
	trace(1, arm_many_probes, call);
	report("4,096 taps on one call, 8 clauses each", seen->cost, 12 * MILLION,
	       12 * MILLION + STALL);
}

/*
 * Mappings: many of a file with a long name
 */

static uint32_t mappings;
static void (*then)(void);

static int map_many(void)
{
	char name[201];
	int file, n;

	memset(name, 'x', 200);
	name[200] = 0;
	for (n = 0; n < 18; n++)
		if ((mkdir(name, 0777) && errno != EEXIST) || chdir(name))
			return 1;
	file = open("f", O_CREAT | O_RDWR, 0777);
	if (file < 0 || ftruncate(file, 1 << 20))
		return 2;
	for (n = 0; n < (int)mappings; n++)
		if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file,
			 (n & 1) * 8192) == MAP_FAILED)
			return 3;
	return 0;
}

/* A child with many mappings, which does something once it is traced, and ends. */
static void map_then(uint32_t sessions, void (*what)(void))
{
	struct child child;

	then = what;
	seen->cost = -1;
	child = fork_child(&all[0]);
	if (!child.pid) {
		seen->cost = chdir("/tmp") || map_many();
		await_gate(&child);
		seen->stall = 0;
		then();
		_exit(0);
	}
	CHECK(SOON(seen->cost + 1) && seen->cost == 0, "the child has no mappings");
	for (uint32_t n = 0; n < sessions; n++) {
		GRANTED(&all[n], open_session(&all[n], 4096));
		GRANTED(&all[n], attach(&all[n], child.pid));
		go(&all[n]);
	}
	open_gate(&child);
	CHECK_EXIT(&child, 0);
	for (uint32_t n = 0; n < sessions; n++)
		close_client(&all[n]);
}

static void fail_to_exec(void)
{
	event = run_nothing;
	measure();
}

static void run_true(void)
{
	execl("/bin/true", "/bin/true", NULL);
}

static void end(void)
{
}

static void many_mappings(void)
{
	char text[80];

	mappings = full ? 65000 : 8000;
	for (uint32_t sessions = 0; sessions <= SESSIONS; sessions += SESSIONS) {
		snprintf(text, sizeof(text), "%u mappings, %u sessions: a failing execve",
			 mappings, sessions);
		map_then(sessions, fail_to_exec);
		report(text, seen->cost, MILLION, STALL);
		snprintf(text, sizeof(text), "%u mappings, %u sessions: an execve",
			 mappings, sessions);
		map_then(sessions, run_true);
		report(text, 0, 0, STALL);
		snprintf(text, sizeof(text), "%u mappings, %u sessions: an exit",
			 mappings, sessions);
		map_then(sessions, end);
		report(text, 0, 0, STALL);
	}
}

/*
 * Threads
 */

static uint32_t threads;

static void *pause_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static int make_threads(void)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 16384);
	for (uint32_t n = 0; n < threads; n++)
		if (pthread_create(&thread, &small, pause_for_ever, NULL))
			return 1;
	seen->cost = 0;
	pause();
	return 0;
}

/* A tap that holds makes an engine on each thread of a target; and the session ends. */
static void many_threads(void)
{
	struct client *c = &all[0];
	struct child child;

	threads = full ? 8000 : 1000;
	seen->cost = 1;
	GRANTED(c, open_session(c, 4096));
	child = start_child(c, make_threads);
	open_gate(&child);
	CHECK(SOON(!seen->cost), "no threads");
	seen->stall = 0;
	calls_tapped = 1;
	GRANTED(c, attach(c, child.pid));
	arm_held(c);
	go(c);
	report("engines on its threads", 0, 0, STALL);
	seen->stall = 0;
	close_client(c);
	report("the end of that session", 0, 0, STALL);
	kill(child.pid, SIGKILL);
	CHECK_KILLED(&child);
}

static void as_member(void)
{
	const struct rlimit much = { 1 << 20, 1 << 20 };

	drop_root();
	setrlimit(RLIMIT_MEMLOCK, &much);
	held_taps();
	costly_programs();
	many_probes();
	many_mappings();
	many_threads();
}

int main(int argc, char **argv)
{
	int file = open(NOTHING, O_CREAT | O_RDWR, 0755);
	pid_t watcher;

	full = argc > 1 && strcmp(argv[1], "full") == 0;
	CHECK(write(file, "nothing that runs\n", 18) == 18 && !close(file),
	      NOTHING);
	seen = share(4096);
	sleep(4); /* the kernel is still busy after its start */
	watcher = start_watch();
	CHECK(chmod("/dev/sonde", 0666) == 0, "chmod");
	run_apart(as_member);
	CHECK(chmod("/dev/sonde", 0600) == 0, "chmod");
	kill(watcher, SIGKILL);
	return verdict("worst");
}
