// SPDX-License-Identifier: GPL-2.0
/*
 * Taps count what a known program does, exactly, with others running beside it
 */
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "client.h"

#define CALLS 5000
#define RUNS 10

static const struct sonde_dif_insn word0[] = {
	{ SONDE_DIF_ARG, 0, 0, 0, 0 },
	{ SONDE_DIF_CAPW, 0, 0, 0, 0 },
	{ .op = SONDE_DIF_RECORD },
};

static uint64_t count_of[64], sum_of[64];
static uint32_t only_pid;

static void see(const struct sonde_record *record)
{
	if (only_pid && record->pid != only_pid)
		return;
	count_of[record->epid]++;
	sum_of[record->epid] += record->slot[0];
}

static void clear(void)
{
	memset(count_of, 0, sizeof(count_of));
	memset(sum_of, 0, sizeof(sum_of));
	only_pid = 0;
}

__attribute__((noinline, noclone)) uint64_t probed_function(uint64_t n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 3;
}

static void make_calls(void)
{
	for (int n = 0; n < CALLS; n++)
		syscall(SYS_getppid);
}

static void call_function(void)
{
	volatile uint64_t sink = 0;

	for (uint64_t n = 1; n <= 100; n++)
		sink += probed_function(n);
}

/* A child that waits for a byte, does the work, and exits 7. */
static pid_t start(void (*work)(void), int *gate)
{
	int ends[2];
	pid_t pid;
	char byte;

	if (pipe(ends))
		exit(2);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (read(ends[0], &byte, 1) == 1)
			work();
		_exit(7);
	}
	close(ends[0]);
	*gate = ends[1];
	return pid;
}

static void finish(pid_t pid, int gate)
{
	int status;

	if (write(gate, "x", 1) != 1)
		failures++;
	close(gate);
	waitpid(pid, &status, 0);
}

static void begin(struct client *c)
{
	int err = open_client(c);

	CHECK(err == 0, "open: %d", err);
	err = make_buffers(c, 4 << 20);
	CHECK(err == 0, "buffers: %d", err);
	err = load_words(c, 1, word0, 3, 1);
	CHECK(err == 0, "load: %d %s", err, c->last.reply.why);
	clear();
}

static void program(struct client *c, uint32_t id)
{
	int err = id == 1 ? 0 : load_words(c, id, word0, 3, 1);

	CHECK(err == 0, "load %u: %d", id, err);
}

static void arm_kind(struct client *c, uint32_t id, uint32_t kind,
		     uint32_t number)
{
	struct sonde_tap tap = { .kind = kind, .number = number };
	int err;

	program(c, id);
	err = arm(c, id, tap, NULL);
	CHECK(err == 0, "arm %u: %d %s", id, err, c->last.reply.why);
}

/* System-wide, the calls of one process; then as a target, only those. */
static void calls(int targeted)
{
	struct client c;
	pid_t pid;
	int gate;

	begin(&c);
	pid = start(make_calls, &gate);
	if (targeted)
		CHECK(request(&c, SONDE_ATTACH, 0, pid, NULL, 0, NULL, 0) == 0,
		      "attach: %s", c.last.reply.why);
	arm_kind(&c, 1, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid);
	arm_kind(&c, 2, SONDE_TAP_SYSCALL_RETURN, SYS_getppid);
	make_calls();
	CHECK(drain(&c, NULL) == 0, "it fires before it shall");
	go(&c);
	make_calls(); /* ours are not the target's */
	finish(pid, gate);
	only_pid = targeted ? 0 : pid;
	drain(&c, see);
	CHECK(count_of[1] == CALLS, "%lu entries", count_of[1]);
	CHECK(count_of[2] == CALLS, "%lu returns", count_of[2]);
	CHECK(sum_of[2] == (uint64_t)CALLS * getpid(), "results");
	CHECK(drops(&c) == 0, "%lu drops", drops(&c));
	close_client(&c);
}

static void nothing(void)
{
}

static void family(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	execl("/no/such/program", "none", (char *)NULL);
	signal(SIGUSR1, SIG_IGN);
	raise(SIGUSR1);
	signal(SIGUSR2, (void (*)(int))nothing);
	raise(SIGUSR2);
}

static void kinds(void)
{
	static const struct {
		uint32_t kind;
		uint64_t least, most;
		const char *name;
	} rows[] = {
		{ SONDE_TAP_CREATE, 1, 1, "create" },
		{ SONDE_TAP_START, 1, 1, "start" },
		{ SONDE_TAP_LWP_START, 1, 1, "lwp-start" },
		{ SONDE_TAP_EXEC, 2, 2, "exec" },
		{ SONDE_TAP_EXEC_SUCCESS, 1, 1, "exec-success" },
		{ SONDE_TAP_EXEC_FAILURE, 1, 1, "exec-failure" },
		{ SONDE_TAP_EXIT, 2, 2, "exit" },
		{ SONDE_TAP_LWP_EXIT, 2, 2, "lwp-exit" },
		/* an end's SIGCHLD comes when it is no target any more */
		{ SONDE_TAP_SIGNAL_SEND, 2, 2, "signal-send" },
		{ SONDE_TAP_SIGNAL_DELIVER, 1, 1, "signal-handle" },
		{ SONDE_TAP_SIGNAL_DISCARD, 2, 2, "signal-discard" },
	};
	uint32_t count = sizeof(rows) / sizeof(rows[0]);
	struct client c;
	pid_t pid;
	int gate;

	begin(&c);
	pid = start(family, &gate);
	CHECK(request(&c, SONDE_ATTACH, 0, pid, NULL, 0, NULL, 0) == 0,
	      "attach: %s", c.last.reply.why);
	for (uint32_t n = 0; n < count; n++)
		arm_kind(&c, n + 1, rows[n].kind, 0);
	go(&c);
	finish(pid, gate);
	drain(&c, see);
	for (uint32_t n = 0; n < count; n++)
		CHECK(count_of[n + 1] >= rows[n].least &&
			      count_of[n + 1] <= rows[n].most,
		      "%s: %lu", rows[n].name, count_of[n + 1]);
	close_client(&c);
}

/* The next event but for those of mappings: its bytes, or -1. */
static ssize_t next_event(struct client *c, void *bytes, size_t room)
{
	const struct sonde_event *event = bytes;
	ssize_t got;

	do
		got = read(c->fd, bytes, room);
	while (got > 0 && event->kind == SONDE_EVENT_MAPPING);
	return got;
}

/* TARGET_GONE with the status, then ALL_GONE. */
static void events(void)
{
	char bytes[8192];
	struct sonde_event *event = (void *)bytes;
	struct client c;
	pid_t pid;
	int gate;

	begin(&c);
	pid = start(nothing, &gate);
	CHECK(request(&c, SONDE_ATTACH, 0, pid, NULL, 0, NULL, 0) == 0,
	      "attach: %s", c.last.reply.why);
	CHECK(read(c.fd, bytes, sizeof(bytes)) == -1 && errno == EAGAIN,
	      "an event before its time");
	finish(pid, gate);
	CHECK(next_event(&c, bytes, sizeof(bytes)) == sizeof(*event) &&
		      event->kind == SONDE_EVENT_TARGET_GONE &&
		      event->pid == (uint32_t)pid && event->value == 7 << 8,
	      "kind %u pid %u value %lx", event->kind, event->pid,
	      event->value);
	CHECK(next_event(&c, bytes, sizeof(bytes)) == sizeof(*event) &&
		      event->kind == SONDE_EVENT_ALL_GONE,
	      "kind %u", event->kind);
	close_client(&c);
}

/* Where a function of ours stands in our file. */
static uint64_t file_offset(const void *address, char *path)
{
	uint64_t at = (uintptr_t)address, low, high, offset;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4400];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4000s", &low, &high,
			   &offset, path) == 4 &&
		    at >= low && at < high) {
			fclose(maps);
			return at - low + offset;
		}
	exit(2);
}

static void user(int targeted)
{
	struct sonde_tap tap = { .kind = SONDE_TAP_USER_ENTRY };
	char path[4096];
	struct client c;
	pid_t pid;
	int gate, err;

	begin(&c);
	go(&c);
	tap.offset = tap.function =
		file_offset((void *)probed_function, path);
	program(&c, 2);
	pid = start(call_function, &gate);
	err = arm(&c, 1, tap, path);
	CHECK(err == 0, "arm: %d %s", err, c.last.reply.why);
	tap.kind = SONDE_TAP_USER_RETURN;
	err = arm(&c, 2, tap, path);
	CHECK(err == 0, "arm: %d %s", err, c.last.reply.why);
	if (targeted) {
		CHECK(request(&c, SONDE_ATTACH, 0, pid, NULL, 0, NULL, 0) == 0,
		      "attach: %s", c.last.reply.why);
		call_function();
	}
	finish(pid, gate);
	drain(&c, see);
	CHECK(count_of[1] == 100 && sum_of[1] == 5050, "%lu entries, sum %lu",
	      count_of[1], sum_of[1]);
	CHECK(count_of[2] == 100, "%lu returns", count_of[2]);
	close_client(&c);
}

int main(void)
{
	for (int run = 0; run < RUNS; run++) {
		calls(0);
		calls(1);
	}
	kinds();
	events();
	user(0);
	user(1);
	printf("taps: %s\n", failures ? "FAILED" : "passed");
	return failures != 0;
}
