// SPDX-License-Identifier: GPL-2.0
/*
 * System calls, however they are hooked: sessions that come and go beside one
 * another, calls that are under way, threads and children of a target, functions
 * that somebody else has hooked
 *
 * usage: hooks     with the module's parameter direct_calls as it is
 */
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "client.h"
#include "fentry.h"

#define CALLS 3000
#define NUMBERS 330 /* so many are hooked together */

static const struct sonde_dif_insn word0[] = {
	{ SONDE_DIF_ARG, 0, 0, 0, 0 },
	{ SONDE_DIF_CAPW, 0, 0, 0, 0 },
	{ .op = SONDE_DIF_RECORD },
};

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
	CHECK(open_client(c) == 0 && make_buffers(c, 8 << 20) == 0, "open");
	for (uint32_t id = 1; id < 8; id++)
		CHECK(load_words(c, id, word0, 3, 1) == 0, "load: %s",
		      c->last.reply.why);
}

static void arm_call(struct client *c, uint32_t id, uint32_t kind,
		     uint32_t number)
{
	struct sonde_tap tap = { .kind = kind, .number = number };

	CHECK(arm(c, id, tap, NULL) == 0, "arm: %s", c->last.reply.why);
}

/* Entries of the first NUMBERS calls, on one probe. */
static void arm_all(struct client *c)
{
	static struct sonde_tap taps[NUMBERS];
	struct sonde_ecb ecb = { 1, 1, 1, 0 };

	for (uint32_t n = 0; n < NUMBERS; n++)
		taps[n] = (struct sonde_tap){ .id = 100 + n, .probe = 1,
					      .kind = SONDE_TAP_SYSCALL_ENTRY,
					      .number = n };
	CHECK(request(c, SONDE_ECB_ADD, 0, 1, &ecb, sizeof(ecb), NULL, 0) == 0,
	      "ecb: %s", c->last.reply.why);
	CHECK(request(c, SONDE_TAP_ARM, 0, NUMBERS, taps, sizeof(taps), NULL,
		      0) == 0,
	      "arm: %s", c->last.reply.why);
}

static long called = SYS_getppid;

static void call(void)
{
	for (int n = 0; n < CALLS; n++)
		syscall(called, 0);
}

/* Named calls and all of them, one session beside the other. */
static void sessions(void)
{
	struct client named, all;
	uint64_t got;

	only_pid = getpid();
	begin(&named);
	arm_call(&named, 1, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid);
	arm_call(&named, 2, SONDE_TAP_SYSCALL_RETURN, SYS_getppid);
	go(&named);
	call();
	CHECK((got = take(&named, 1)) == CALLS, "named alone: %lu", got);
	CHECK(seen[2] == CALLS, "its returns: %lu", seen[2]);
	CHECK(last[2] == (uint64_t)getppid(), "result: %lu", last[2]);
	take(&named, 1);

	begin(&all);
	arm_all(&all);
	go(&all);
	call();
	CHECK((got = take(&all, 1)) >= CALLS && got < CALLS + 100,
	      "all: %lu", got);
	CHECK((got = take(&named, 1)) == CALLS, "named beside all: %lu", got);
	CHECK(seen[2] == CALLS, "its returns: %lu", seen[2]);
	close_client(&all);
	take(&named, 1);
	call();
	CHECK((got = take(&named, 1)) == CALLS, "named after all: %lu", got);

	begin(&all);
	arm_all(&all);
	go(&all);
	close_client(&named);
	take(&all, 1);
	call();
	CHECK((got = take(&all, 1)) >= CALLS && got < CALLS + 100,
	      "all after named: %lu", got);
	begin(&named); /* a number that is hooked with all */
	arm_call(&named, 1, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid);
	go(&named);
	close_client(&all);
	call();
	CHECK((got = take(&named, 1)) == CALLS, "named within all: %lu", got);
	close_client(&named);
}

/* A child that reads a byte, again and again; to stop it, close the pipe. */
static pid_t reader(int *pipe_end)
{
	int ends[2];
	pid_t pid;
	char byte;

	if (pipe(ends))
		exit(1);
	pid = fork();
	if (pid == 0) {
		close(ends[1]);
		while (read(ends[0], &byte, 1) == 1)
			;
		_exit(0);
	}
	close(ends[0]);
	*pipe_end = ends[1];
	return pid;
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
	for (int n = 0; n < 20000 && !is_reading(pid); n++)
		usleep(1000);
	CHECK(is_reading(pid), "the child does not read");
}

/* The end of a call that was under way when its return was armed. */
static void under_way(int targeted)
{
	struct client c;
	uint64_t got = 0;
	int end;
	pid_t pid = reader(&end);

	only_pid = pid;
	until_reading(pid);
	begin(&c);
	if (targeted)
		CHECK(request(&c, SONDE_ATTACH, 0, pid, NULL, 0, NULL, 0) == 0,
		      "attach: %s", c.last.reply.why);
	arm_call(&c, 1, SONDE_TAP_SYSCALL_RETURN, SYS_read);
	go(&c);
	for (int n = 0; n < 3; n++) {
		CHECK(write(end, "x", 1) == 1, "write");
		until_reading(pid);
	}
	for (int n = 0; n < 20000 && got < 3; n++) {
		memset(seen, 0, sizeof(seen));
		drain(&c, see);
		got += seen[1];
		usleep(1000);
	}
	CHECK(got == 3 && last[1] == 1, "returns%s: %lu", targeted ?
	      " of a target" : "", got);
	close(end);
	waitpid(pid, NULL, 0);
	close_client(&c);
}

static void *thread_calls(void *unused)
{
	(void)unused;
	call();
	return NULL;
}

static pid_t family(int *gate)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		exit(1);
	pid = fork();
	if (pid == 0) {
		pthread_t thread;
		pid_t child;
		char byte;

		if (read(ends[0], &byte, 1) != 1)
			_exit(1);
		pthread_create(&thread, NULL, thread_calls, NULL);
		child = fork();
		if (child == 0) {
			call();
			_exit(0);
		}
		pthread_join(thread, NULL);
		waitpid(child, NULL, 0);
		call();
		_exit(0);
	}
	*gate = ends[1];
	return pid;
}

/* Threads and children that a target makes are traced, others are not. */
static void targets(void)
{
	struct client c;
	uint64_t got;
	int gate;
	pid_t pid = family(&gate);

	only_pid = 0;
	begin(&c);
	arm_call(&c, 1, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid);
	arm_call(&c, 2, SONDE_TAP_SYSCALL_RETURN, SYS_getppid);
	CHECK(request(&c, SONDE_ATTACH, 0, pid, NULL, 0, NULL, 0) == 0,
	      "attach: %s", c.last.reply.why);
	go(&c);
	call();
	CHECK(write(gate, "x", 1) == 1, "write");
	waitpid(pid, NULL, 0);
	call();
	CHECK((got = take(&c, 1)) == 3 * CALLS, "target's family: %lu", got);
	CHECK(seen[2] == 3 * CALLS, "its returns: %lu", seen[2]);
	close_client(&c);
	close(gate);
}

/* Counts a call by its name, and by all calls at once. */
static void count_both(const char *when)
{
	struct client c;
	uint64_t got;

	begin(&c);
	arm_call(&c, 1, SONDE_TAP_SYSCALL_ENTRY, called);
	arm_call(&c, 2, SONDE_TAP_SYSCALL_RETURN, called);
	go(&c);
	call();
	CHECK((got = take(&c, 1)) == CALLS, "named, %s: %lu", when, got);
	CHECK(seen[2] == CALLS, "its returns: %lu", seen[2]);
	close_client(&c);

	begin(&c);
	arm_all(&c);
	go(&c);
	call();
	CHECK((got = take(&c, 1)) >= CALLS && got < CALLS + 100,
	      "all, %s: %lu", when, got);
	close_client(&c);
}

/*
 * Another direct call has the place: the next best hook is taken, and counts
 * the same. Where we are there first, the other one is refused.
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
	begin(&c);
	arm_call(&c, 1, SONDE_TAP_SYSCALL_ENTRY, called);
	go(&c);
	call();
	close(other); /* while its place is wanted */
	call();
	CHECK((got = take(&c, 1)) == 2 * CALLS, "as it goes: %lu", got);
	close_client(&c);
	count_both("after it");

	begin(&c);
	arm_call(&c, 1, SONDE_TAP_SYSCALL_ENTRY, called);
	go(&c);
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
	printf("hooks: %s\n", failures ? "FAILED" : "passed");
	return failures != 0;
}
