// SPDX-License-Identifier: GPL-2.0
/*
 * Each allocation of each request fails once: either the request returns an
 * error and can be repeated, or it succeeds without the memory; and firings
 * without memory are counted as drops
 *
 * Needs a kernel with fault injection (tests/guest/debug-kernel).
 */
#define _GNU_SOURCE
#include <sys/syscall.h>

#include "child.h"

#define FAULTS "/sys/kernel/debug/"

static struct client c;
static int fail_nth = -1;

/* 0: such an allocation fails in the threads that ask for it. */
static int write_to(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t bytes = write(file, text, strlen(text));

	close(file);
	return bytes < 0 ? -errno : 0;
}

/* Makes the n-th allocation of this thread fail from now on; 0: none. */
static void fail(int nth)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", nth);
	if (pwrite(fail_nth, text, strlen(text), 0) < 0)
		CHECK(0, "fail-nth: %s", strerror(errno));
}

/* Whether that allocation was reached; stops failures. */
static int has_failed(void)
{
	char text[16] = "";

	if (pread(fail_nth, text, sizeof(text) - 1, 0) < 0)
		CHECK(0, "fail-nth: %s", strerror(errno));
	fail(0);
	return atoi(text) == 0;
}

static char path[SONDE_PATH_MAX];
static struct child target;

static __attribute__((noinline)) void function(void)
{
	__asm__ volatile("" ::: "memory");
}

static int wait_for_ever(void)
{
	for (;;)
		pause();
	return 0;
}

static int open_it(void)
{
	int err = open_client(&c);

	if (err && c.fd >= 0)
		close(c.fd);
	return err;
}

static int close_it(void)
{
	close(c.fd);
	return 0;
}

static int make_rings(void)
{
	uint64_t offsets[RINGS_MAX];

	return request(&c, SONDE_BUFFERS, SONDE_POLICY_RING, 65536, NULL, 0,
		       offsets, sizeof(offsets));
}

static int load(void)
{
	static const struct sonde_dif_insn code[] = {
		{ SONDE_DIF_LI, 2, 0, 0, 1 },
		{ SONDE_DIF_STT, 0, 2, 0, 0 },
		{ SONDE_DIF_ARG, 0, 0, 0, 0 },
		{ SONDE_DIF_CAPSTR, 0, 0, 0, 64 },
		{ .op = SONDE_DIF_RECORD },
	};
	static const uint8_t kinds[] = { SONDE_SLOT_TEXT };
	static uint32_t id = 100;

	return load_kinds(&c, ++id, INSNS(code), 1, kinds);
}

static int add(void)
{
	return add_ecb(&c, (struct sonde_ecb){ 1, 1, 1, 0 });
}

static int add_held(void)
{
	return add_ecb(&c, (struct sonde_ecb){ 1, 1, 1, SONDE_ECB_HELD });
}

static int drop(void)
{
	const uint32_t epid = 1;

	return request(&c, SONDE_ECB_REMOVE, 0, 1, &epid, sizeof(epid), NULL, 0);
}

static struct sonde_tap tap;

static int arm_it(void)
{
	return arm_tap(&c, tap, tap.kind == SONDE_TAP_USER_ENTRY ? path : NULL);
}

static int disarm_it(void)
{
	return disarm(&c, 1);
}

static int detach_it(void)
{
	return ask(&c, SONDE_DETACH, 0, target.pid);
}

/* A process whose attach is refused is no target. */
static int attach_it(void)
{
	int err = attach(&c, target.pid), left;

	if (err) {
		left = detach_it();
		CHECK(left == -ESRCH, "a refused attach left a target: %s",
		      strerror(-left));
	}
	return err;
}

static int follow_it(void)
{
	return ask(&c, SONDE_FOLLOW, 0, target.pid);
}

static int look(void)
{
	struct sonde_statistics all;
	struct sonde_session_info infos[64];
	int err = request(&c, SONDE_STATISTICS, 0, 0, NULL, 0, &all,
			  sizeof(all));

	return err ? err : request(&c, SONDE_SESSIONS, 0, 0, NULL, 0, infos,
				   sizeof(infos));
}

/* A step: each of its allocations fails in turn; then it must succeed. */
static void step(const char *what, int (*act)(void), int (*undo)(void))
{
	int nth = 1, refused = 0, err;

	for (;; nth++) {
		fail(nth);
		err = act();
		if (!has_failed())
			break;
		refused += err != 0;
		CHECK(!err || err == -ENOMEM, "%s, allocation %d: %s: %s", what,
		      nth, strerror(-err), c.last.reply.why);
		if (!err && undo)
			CHECK((err = undo()) == 0, "%s undone: %s", what,
			      strerror(-err));
		if (nth == 3000)
			break;
	}
	CHECK(err == 0 && nth < 3000, "%s: %s: %s", what, strerror(-err),
	      c.last.reply.why);
	printf("nomem: %s: %d allocations, %d refusals\n", what, nth - 1,
	       refused);
}

static void arm_kinds(void)
{
	static const struct {
		const char *what;
		uint32_t kind, number;
	} rows[] = {
		{ "a call", SONDE_TAP_SYSCALL_ENTRY, SYS_getppid },
		{ "a return", SONDE_TAP_SYSCALL_RETURN, SYS_getppid },
		{ "exec", SONDE_TAP_EXEC_SUCCESS, 0 },
		{ "signals", SONDE_TAP_SIGNAL_DISCARD, 0 },
		{ "a function", SONDE_TAP_USER_ENTRY, 0 },
		{ "samples", SONDE_TAP_PROFILE, 0 },
		{ "ticks", SONDE_TAP_TICK, 0 },
	};

	for (uint32_t n = 0; n < LENGTH(rows); n++) {
		tap = rows[n].kind == SONDE_TAP_USER_ENTRY ?
			      function_tap(rows[n].kind, function, path) :
			      (struct sonde_tap){ .kind = rows[n].kind };
		if (rows[n].kind == SONDE_TAP_PROFILE ||
		    rows[n].kind == SONDE_TAP_TICK)
			tap.offset = 100000000;
		tap.number = rows[n].number;
		tap.id = tap.probe = 1;
		step(rows[n].what, arm_it, disarm_it);
		step("the same held", add_held, drop);
		step("no more", drop, add_held);
		step("disarmed", disarm_it, arm_it);
	}
}

static void requests(void)
{
	c.fd = -1;
	target = start_child(&c, wait_for_ever);
	open_gate(&target);
	step("open", open_it, close_it);
	step("rings", make_rings, NULL);
	step("a program", load, NULL);
	GRANTED(&c, load_words(&c, 1, INSNS(word0), 1));
	step("clauses", add, drop);
	GRANTED(&c, drop());
	arm_kinds();
	step("attach", attach_it, detach_it);
	tap = (struct sonde_tap){ .id = 1, .probe = 1,
				  .kind = SONDE_TAP_SYSCALL_RETURN,
				  .number = SYS_pause };
	step("a tap of a target", arm_it, disarm_it);
	go(&c);
	step("follow", follow_it, NULL);
	step("what there is", look, NULL);
	close(c.fd);
	kill(target.pid, SIGKILL);
	CHECK_KILLED(&target);
	CHECK(SOON(allocated(NULL) == 0), "%lu bytes are left", allocated(NULL));
}

static struct { int gate[2], calls; } *caller; /* shared with the child */

/* Makes a call for each byte that it gets, and counts it. */
static int call_when_asked(void)
{
	char byte;

	close(caller->gate[1]);
	while (read(caller->gate[0], &byte, 1) == 1) {
		syscall(SYS_getppid);
		__atomic_add_fetch(&caller->calls, 1, __ATOMIC_SEQ_CST);
	}
	return 0;
}

/* Each of two taps fires once, whichever hook it has now. */
static void fires_twice(const char *when, int nth)
{
	static int calls;
	uint64_t seen;

	CHECK(write(target.gate, "x", 1) == 1, "gate");
	calls++;
	CHECK(SOON(__atomic_load_n(&caller->calls, __ATOMIC_SEQ_CST) == calls),
	      "%s, allocation %d: no call", when, nth);
	seen = drain(&c, NULL);
	CHECK(seen == 2, "%s, allocation %d: %lu records of 2", when, nth, seen);
}

/* Taps that get, or lose, an ECB that holds, while an allocation fails. */
static void moved(void)
{
	const struct sonde_ecb held = { 2, 1, 1, SONDE_ECB_HELD };
	const uint32_t epid = held.epid;
	int nth, reached = 1, err;

	caller = share(sizeof(*caller));
	if (pipe(caller->gate))
		exit(2);
	GRANTED(&c, open_session(&c, 65536));
	target = start_child(&c, call_when_asked);
	open_gate(&target);
	close(target.gate);
	close(caller->gate[0]);
	target.gate = caller->gate[1];
	GRANTED(&c, attach(&c, target.pid));
	GRANTED(&c, load_words(&c, 1, INSNS(word0), 1));
	GRANTED(&c, arm_kind(&c, 1, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid));
	GRANTED(&c, arm_tap(&c, (struct sonde_tap){
		.id = 2, .probe = 1, .kind = SONDE_TAP_SYSCALL_RETURN,
		.number = SYS_getppid }, NULL));
	go(&c);
	for (nth = 1; reached && nth < 3000; nth++) {
		fail(nth);
		err = add_ecb(&c, held);
		reached = has_failed();
		if (err)
			fires_twice("held", nth);
		else
			GRANTED(&c, request(&c, SONDE_ECB_REMOVE, 0, 1, &epid,
					    sizeof(epid), NULL, 0));
	}
	CHECK(nth > 2, "no allocation");
	for (nth = 1, reached = 1; reached && nth < 3000; nth++) {
		GRANTED(&c, add_ecb(&c, held));
		fail(nth);
		err = request(&c, SONDE_ECB_REMOVE, 0, 1, &epid, sizeof(epid),
			      NULL, 0);
		reached = has_failed();
		if (err) /* nothing was done, so it can be repeated */
			GRANTED(&c, request(&c, SONDE_ECB_REMOVE, 0, 1, &epid,
					    sizeof(epid), NULL, 0));
		fires_twice("held no more", nth);
	}
	CHECK_EXIT(&target, 0);
	close_client(&c);
}

/* Allocations of a firing: variables of the thread, and deferral. */
static void firings(void)
{
	enum { CALLS = 40 };
	const struct sonde_dif_insn code[] = {
		{ SONDE_DIF_LI, 2, 0, 0, 1 },
		{ SONDE_DIF_STT, 0, 2, 0, 0 },
		{ SONDE_DIF_ARG, 0, 0, 0, 0 },
		{ SONDE_DIF_CAPSTR, 0, 0, 0, 64 },
		{ .op = SONDE_DIF_RECORD },
	};
	static const uint8_t kinds[] = { SONDE_SLOT_TEXT };
	uint64_t seen = 0;

	GRANTED(&c, open_session(&c, 65536));
	GRANTED(&c, load_kinds(&c, 1, INSNS(code), 1, kinds));
	GRANTED(&c, attach(&c, getpid()));
	GRANTED(&c, arm_kind(&c, 1, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid));
	go(&c);
	for (int n = 0; n < CALLS; n++) {
		char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		fail(1 + n % 4);
		syscall(SYS_getppid, page);
		fail(0);
		seen += drain(&c, NULL);
		munmap(page, 4096);
	}
	CHECK(seen + all_drops(&c) == CALLS && all_drops(&c) > 0,
	      "%lu records, %lu drops of %d", seen, all_drops(&c), CALLS);
	close_client(&c);
	CHECK(SOON(allocated(NULL) == 0), "%lu bytes are left", allocated(NULL));
}

int main(void)
{
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fail_nth < 0) {
		printf("nomem: skipped: this kernel lets no allocation fail: see tests/guest/debug-kernel\n");
		return 0;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	/* also allocations that may sleep */
	CHECK(!write_to(FAULTS "failslab/ignore-gfp-wait", "N") &&
		      !write_to(FAULTS "fail_page_alloc/ignore-gfp-wait", "N") &&
		      !write_to(FAULTS "fail_page_alloc/ignore-gfp-highmem", "N") &&
		      !write_to(FAULTS "fail_page_alloc/min-order", "0"),
	      "how allocations fail");
	/* otherwise each prints a stack to the kernel log, which the test searches for reports */
	write_to(FAULTS "failslab/verbose", "0");
	write_to(FAULTS "fail_page_alloc/verbose", "0");
	requests();
	moved();
	firings();
	return verdict("nomem");
}
