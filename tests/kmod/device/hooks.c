// SPDX-License-Identifier: GPL-2.0
/*
 * System calls, with each kind of hook: concurrent sessions that start and end,
 * calls in progress, threads and children of a target, functions that another
 * user has hooked
 *
 * usage: hooks     with the current value of the module parameter direct_calls
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>

#include "child.h"
#include "fentry.h"

#define CALLS 3000
#define NUMBERS 330 /* so many that they are hooked together */

static uint64_t seen[8], last[8];
static uint32_t only_pid;

static void see(const struct sonde_record *record)
{
	if (only_pid && record->pid != only_pid)
		return;
	seen[record->epid]++;
	last[record->epid] = record->slot[0];
}

static uint64_t take(struct client *c, uint32_t epid)
{
	memset(seen, 0, sizeof(seen));
	drain(c, see);
	CHECK(drops(c) == 0, "drops");
	return seen[epid];
}

static void begin(struct client *c)
{
	GRANTED(c, open_session(c, 8 << 20));
	for (uint32_t id = 1; id <= 2; id++)
		GRANTED(c, load_words(c, id, INSNS(word0), 1));
}

static void put(struct client *c, uint32_t id, uint32_t kind, uint32_t number)
{
	GRANTED(c, arm_kind(c, id, kind, number));
}

/* A session with the entries of a call, hooked by name, and maybe its returns. */
static void trace_call(struct client *c, uint32_t number, int returns)
{
	begin(c);
	put(c, 1, SONDE_TAP_SYSCALL_ENTRY, number);
	if (returns)
		put(c, 2, SONDE_TAP_SYSCALL_RETURN, number);
	go(c);
}

/* A session with the entries of the first NUMBERS calls, on one probe. */
static void trace_all(struct client *c)
{
	static struct sonde_tap taps[NUMBERS];

	begin(c);
	for (uint32_t n = 0; n < NUMBERS; n++)
		taps[n] = (struct sonde_tap){ .id = 100 + n, .probe = 1,
					      .kind = SONDE_TAP_SYSCALL_ENTRY,
					      .number = n };
	GRANTED(c, add_ecb(c, (struct sonde_ecb){ 1, 1, 1, 0 }));
	GRANTED(c, request(c, SONDE_TAP_ARM, 0, NUMBERS, taps, sizeof(taps),
			   NULL, 0));
	go(c);
}

static long called = SYS_getppid;

static void call(void)
{
	for (int n = 0; n < CALLS; n++)
		syscall(called, 0);
}

/* Calls hooked by name and all together, in concurrent sessions. */
static void sessions(void)
{
	struct client named, all;
	uint64_t got;

	only_pid = getpid();
	trace_call(&named, SYS_getppid, 1);
	call();
	CHECK((got = take(&named, 1)) == CALLS, "named alone: %lu", got);
	CHECK(seen[2] == CALLS, "its returns: %lu", seen[2]);
	CHECK(last[2] == (uint64_t)getppid(), "result: %lu", last[2]);
	take(&named, 1);

	trace_all(&all);
	call();
	CHECK((got = take(&all, 1)) >= CALLS && got < CALLS + 100,
	      "all: %lu", got);
	CHECK((got = take(&named, 1)) == CALLS, "named beside all: %lu", got);
	CHECK(seen[2] == CALLS, "its returns: %lu", seen[2]);
	close_client(&all);
	take(&named, 1);
	call();
	CHECK((got = take(&named, 1)) == CALLS, "named after all: %lu", got);

	trace_all(&all);
	close_client(&named);
	take(&all, 1);
	call();
	CHECK((got = take(&all, 1)) >= CALLS && got < CALLS + 100,
	      "all after named: %lu", got);
	trace_call(&named, SYS_getppid, 0); /* it is hooked with all others */
	close_client(&all);
	call();
	CHECK((got = take(&named, 1)) == CALLS, "named within all: %lu", got);
	close_client(&named);
}

/* A child that reads bytes until its gate is closed. */
static struct child reader(struct client *c)
{
	struct child child = fork_child(c);
	char byte;

	if (child.pid)
		return child;
	while (read(child.gate, &byte, 1) == 1)
		;
	_exit(0);
}

static int is_reading(pid_t pid)
{
	char path[64], text[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (!fgets(text, sizeof(text), file))
		text[0] = 0;
	fclose(file);
	return atoi(text) == SYS_read && text[0] == '0';
}

static void until_reading(pid_t pid)
{
	CHECK(SOON(is_reading(pid)), "the child does not read");
}

static uint64_t see_more(struct client *c)
{
	drain(c, see);
	return seen[1];
}

/* The return of a call that was in progress when the tap was armed. */
static void under_way(int targeted)
{
	struct child child;
	struct client c;

	begin(&c);
	child = reader(&c);
	only_pid = child.pid;
	until_reading(child.pid);
	if (targeted)
		GRANTED(&c, attach(&c, child.pid));
	put(&c, 1, SONDE_TAP_SYSCALL_RETURN, SYS_read);
	go(&c);
	for (int n = 0; n < 3; n++) {
		open_gate(&child);
		until_reading(child.pid);
	}
	memset(seen, 0, sizeof(seen));
	CHECK(SOON(see_more(&c) >= 3) && seen[1] == 3 && last[1] == 1,
	      "returns%s: %lu", targeted ? " of a target" : "", seen[1]);
	CHECK_EXIT(&child, 0);
	close_client(&c);
}

static void *thread_calls(void *unused)
{
	call();
	return unused;
}

/* Calls in a thread, in a child, and in the program itself. */
static int family(void)
{
	pthread_t thread;
	pid_t child;

	pthread_create(&thread, NULL, thread_calls, NULL);
	child = fork();
	if (child == 0) {
		call();
		_exit(0);
	}
	pthread_join(thread, NULL);
	waitpid(child, NULL, 0);
	call();
	return 0;
}

/* Threads and children of a target are traced, others are not. */
static void targets(void)
{
	struct child child;
	struct client c;
	uint64_t got;

	only_pid = 0;
	begin(&c);
	child = start_child(&c, family);
	put(&c, 1, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid);
	put(&c, 2, SONDE_TAP_SYSCALL_RETURN, SYS_getppid);
	GRANTED(&c, attach(&c, child.pid));
	go(&c);
	call();
	open_gate(&child);
	CHECK_EXIT(&child, 0);
	call();
	CHECK((got = take(&c, 1)) == 3 * CALLS, "target's family: %lu", got);
	CHECK(seen[2] == 3 * CALLS, "its returns: %lu", seen[2]);
	close_client(&c);
}

/* Counts a call that is hooked by name, and with all calls together. */
static void count_both(const char *when)
{
	struct client c;
	uint64_t got;

	trace_call(&c, called, 1);
	call();
	CHECK((got = take(&c, 1)) == CALLS, "named, %s: %lu", when, got);
	CHECK(seen[2] == CALLS, "its returns: %lu", seen[2]);
	close_client(&c);

	trace_all(&c);
	call();
	CHECK((got = take(&c, 1)) >= CALLS && got < CALLS + 100,
	      "all, %s: %lu", when, got);
	close_client(&c);
}

/*
 * Another direct call occupies the function: the next best hook is used, and
 * counts the same. If we are there first, the other one is refused.
 */
static void busy(const char *function)
{
	struct client c;
	uint64_t got;
	int other = fentry(function);

	if (other < 0) {
		printf("hooks: SKIPPED: no fentry program on %s: %s\n", function,
		       strerror(-other));
		return;
	}
	only_pid = getpid();
	count_both(function);
	trace_call(&c, called, 0);
	call();
	close(other); /* while we want the place */
	call();
	CHECK((got = take(&c, 1)) == 2 * CALLS, "as it goes: %lu", got);
	close_client(&c);
	count_both("after it");

	trace_call(&c, called, 0);
	other = fentry(function);
	call();
	CHECK((got = take(&c, 1)) == CALLS, "before it: %lu", got);
	if (other >= 0)
		close(other);
	call();
	CHECK((got = take(&c, 1)) == CALLS, "after it: %lu", got);
	close_client(&c);
}

int main(void)
{
	sessions();
	under_way(0);
	under_way(1);
	targets();
	called = SYS_getpgid; /* calls without arguments have no type of their own */
	busy("__x64_sys_getpgid");
	busy("x64_sys_call");
	return verdict("hooks");
}
