// SPDX-License-Identifier: GPL-2.0
/*
 * Taps count exactly what a known program does, while other programs run
 */
#define _GNU_SOURCE
#include <sys/syscall.h>

#include "child.h"

#define CALLS 5000
#define RUNS 10

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

__asm__(".type probed_function, @function\n"
	"probed_function: lea (%rdi,%rdi,2), %rax\n"
	"probed_return: ret\n"
	".size probed_function, . - probed_function\n");
uint64_t probed_function(uint64_t n);
extern char probed_return[];

static int make_calls(void)
{
	for (int n = 0; n < CALLS; n++)
		syscall(SYS_getppid);
	return 7;
}

static int call_function(void)
{
	volatile uint64_t sink = 0;

	for (uint64_t n = 1; n <= 100; n++)
		sink += probed_function(n);
	return 7;
}

static void run(const struct child *child)
{
	open_gate(child);
	CHECK_EXIT(child, 7);
}

static void begin(struct client *c)
{
	GRANTED(c, open_session(c, 4 << 20));
	clear();
}

static void put(struct client *c, uint32_t id, uint32_t kind, uint32_t number)
{
	GRANTED(c, load_words(c, id, INSNS(word0), 1));
	GRANTED(c, arm_kind(c, id, kind, number));
}

/* With system-wide tracing, the calls of one process; then as a target, only those. */
static void calls(int targeted)
{
	struct child child;
	struct client c;

	begin(&c);
	child = start_child(&c, make_calls);
	if (targeted)
		GRANTED(&c, attach(&c, child.pid));
	put(&c, 1, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid);
	put(&c, 2, SONDE_TAP_SYSCALL_RETURN, SYS_getppid);
	make_calls();
	CHECK(drain(&c, NULL) == 0, "it fires before it shall");
	go(&c);
	make_calls(); /* our calls are not the target's */
	run(&child);
	only_pid = targeted ? 0 : child.pid;
	drain(&c, see);
	CHECK(count_of[1] == CALLS, "%lu entries", count_of[1]);
	CHECK(count_of[2] == CALLS, "%lu returns", count_of[2]);
	CHECK(sum_of[2] == (uint64_t)CALLS * getpid(), "results");
	CHECK(drops(&c) == 0, "%lu drops", drops(&c));
	close_client(&c);
}

static int nothing(void)
{
	return 7;
}

static void on_signal(int signal)
{
	(void)signal;
}

static int family(void)
{
	pid_t pid = fork();
	sigset_t blocked;
	int status;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	execl("/no/such/program", "none", (char *)NULL);
	signal(SIGUSR1, SIG_IGN);
	raise(SIGUSR1);
	/* if it is blocked, it is ignored only when it is dequeued */
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	raise(SIGUSR1);
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	signal(SIGUSR2, on_signal);
	raise(SIGUSR2);
	return 7;
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
		/* SIGCHLD at the end comes when it is no longer a target */
		{ SONDE_TAP_SIGNAL_SEND, 3, 3, "signal-send" },
		{ SONDE_TAP_SIGNAL_DELIVER, 1, 1, "signal-handle" },
		{ SONDE_TAP_SIGNAL_DISCARD, 3, 3, "signal-discard" },
	};
	struct child child;
	struct client c;

	begin(&c);
	child = start_child(&c, family);
	GRANTED(&c, attach(&c, child.pid));
	for (uint32_t n = 0; n < LENGTH(rows); n++)
		put(&c, n + 1, rows[n].kind, 0);
	go(&c);
	run(&child);
	drain(&c, see);
	for (uint32_t n = 0; n < LENGTH(rows); n++)
		CHECK(count_of[n + 1] >= rows[n].least &&
			      count_of[n + 1] <= rows[n].most,
		      "%s: %lu", rows[n].name, count_of[n + 1]);
	close_client(&c);
}

#define NEVER_READ 0x70000000

/* Nobody has read the page when the process ends. */
static int map_page(void)
{
	int file = open("/proc/self/exe", O_RDONLY);
	void *page = mmap((void *)NEVER_READ, 4096, PROT_READ,
			  MAP_PRIVATE | MAP_FIXED, file, 0);

	return page == MAP_FAILED ? 8 : 7;
}

static uint64_t first_word, frames, faults;

static void see_end(const struct sonde_record *record)
{
	first_word = record->slot[0];
	frames = SONDE_SPAN_LENGTH(record->slot[1]) / 8;
	faults = record->faults;
}

/* A process that ends still has its memory, also what must be brought in, and its stack. */
static void memory_at_the_end(uint32_t kind)
{
	static const struct sonde_dif_insn code[] = {
		{ SONDE_DIF_LI, 0, 0, 0, NEVER_READ },
		{ SONDE_DIF_LDU, 0, 0, 0, 4 },
		{ SONDE_DIF_CAPW, 0, 0, 0, 0 },
		{ SONDE_DIF_CAPSTACK, 1, 0, 0, 20 },
		{ .op = SONDE_DIF_RECORD },
	};
	static const uint8_t kinds[] = { SONDE_SLOT_WORD, SONDE_SLOT_STACK };
	struct child child;
	struct client c;

	begin(&c);
	child = start_child(&c, map_page);
	GRANTED(&c, attach(&c, child.pid));
	GRANTED(&c, load_kinds(&c, 1, INSNS(code), 2, kinds));
	GRANTED(&c, arm_kind(&c, 1, kind, 0));
	go(&c);
	run(&child);
	CHECK(drain(&c, see_end) == 1 && first_word == 0x464c457f &&
		      frames > 2 && !faults,
	      "kind %u: word %lx, %lu frames, faults %lx", kind, first_word,
	      frames, faults);
	close_client(&c);
}

/* The next event except those about mappings: its size, or -1. */
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
	struct child child;
	struct client c;

	begin(&c);
	child = start_child(&c, nothing);
	GRANTED(&c, attach(&c, child.pid));
	CHECK(read(c.fd, bytes, sizeof(bytes)) == -1 && errno == EAGAIN,
	      "an event before its time");
	run(&child);
	CHECK(next_event(&c, bytes, sizeof(bytes)) == sizeof(*event) &&
		      event->kind == SONDE_EVENT_TARGET_GONE &&
		      event->pid == (uint32_t)child.pid &&
		      event->value == 7 << 8,
	      "kind %u pid %u value %lx", event->kind, event->pid,
	      event->value);
	CHECK(next_event(&c, bytes, sizeof(bytes)) == sizeof(*event) &&
		      event->kind == SONDE_EVENT_ALL_GONE,
	      "kind %u", event->kind);
	close_client(&c);
}

static void user(int targeted)
{
	char path[SONDE_PATH_MAX];
	struct child child;
	struct client c;

	begin(&c);
	go(&c);
	child = start_child(&c, call_function);
	GRANTED(&c, load_words(&c, 1, INSNS(word0), 1));
	GRANTED(&c, load_words(&c, 2, INSNS(word1), 1));
	GRANTED(&c, arm(&c, 1, function_tap(SONDE_TAP_USER_ENTRY,
					    probed_function, path), path));
	GRANTED(&c, arm(&c, 2, return_tap(probed_function, probed_return,
					  path), path));
	if (targeted) {
		GRANTED(&c, attach(&c, child.pid));
		call_function();
	}
	run(&child);
	drain(&c, see);
	CHECK(count_of[1] == 100 && sum_of[1] == 5050, "%lu entries, sum %lu",
	      count_of[1], sum_of[1]);
	CHECK(count_of[2] == 100 && sum_of[2] == 3 * 5050,
	      "%lu returns, sum %lu", count_of[2], sum_of[2]);
	close_client(&c);
}

/* A function whose first instruction the kernel cannot probe: it has a lock prefix. */
__asm__(".type locked_function, @function\n"
	"locked_function: lock addl $1, locked_calls(%rip)\n"
	"	ret\n"
	".size locked_function, . - locked_function\n");
void locked_function(void);
int locked_calls;

static int call_both(void)
{
	locked_function();
	call_function();
	return locked_calls == 1 ? 7 : 8;
}

/* Its tap never fires, the user gets a notice, and other taps work. */
static void not_to_be_probed(void)
{
	char path[SONDE_PATH_MAX], bytes[8192];
	struct sonde_event *event = (void *)bytes;
	struct child child;
	struct client c;

	begin(&c);
	child = start_child(&c, call_both);
	GRANTED(&c, attach(&c, child.pid));
	GRANTED(&c, load_words(&c, 1, INSNS(word0), 1));
	GRANTED(&c, load_words(&c, 2, INSNS(word0), 1));
	GRANTED(&c, arm(&c, 1, function_tap(SONDE_TAP_USER_ENTRY,
					    locked_function, path), path));
	CHECK(next_event(&c, bytes, sizeof(bytes)) > (ssize_t)sizeof(*event) &&
		      event->kind == SONDE_EVENT_NOTICE &&
		      strstr((char *)(event + 1), path),
	      "kind %u", event->kind);
	GRANTED(&c, arm(&c, 2, function_tap(SONDE_TAP_USER_ENTRY,
					    probed_function, path), path));
	go(&c);
	run(&child);
	drain(&c, see);
	CHECK(count_of[1] == 0 && count_of[2] == 100, "%lu, %lu entries",
	      count_of[1], count_of[2]);
	GRANTED(&c, disarm(&c, 1));
	GRANTED(&c, disarm(&c, 2));
	close_client(&c);
}

int main(void)
{
	for (int run = 0; run < RUNS; run++) {
		calls(0);
		calls(1);
	}
	kinds();
	memory_at_the_end(SONDE_TAP_EXIT);
	memory_at_the_end(SONDE_TAP_LWP_EXIT);
	events();
	user(0);
	user(1);
	not_to_be_probed();
	return verdict("taps");
}
