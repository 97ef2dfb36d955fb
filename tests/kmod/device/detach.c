// SPDX-License-Identifier: GPL-2.0
/*
 * SONDE_DETACH of all targets: none of them fires any more, however they fork,
 * and a new target does
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "child.h"

#define PROCESSES 300 /* more than the finder's table has chains */
#define THREADS 4
#define LINES 30
#define ROUNDS 5

static struct client c = { .fd = -1 };
static uint64_t fired;

/* Shared with the children. */
static struct {
	uint64_t alive, calls, forks;
	bool end;
} *shared;

static void count(uint64_t *what)
{
	__atomic_add_fetch(what, 1, __ATOMIC_RELAXED);
}

static uint64_t value(const uint64_t *what)
{
	return __atomic_load_n(what, __ATOMIC_RELAXED);
}

static void begin(void)
{
	memset(shared, 0, sizeof(*shared));
	fired = 0;
	GRANTED(&c, open_session(&c, 4 << 20));
	GRANTED(&c, load_words(&c, 1, INSNS(word0), 1));
	GRANTED(&c, arm_kind(&c, 1, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid));
	go(&c);
}

static uint64_t firings(void)
{
	fired += drain(&c, NULL);
	return fired;
}

/* Return: the number of processes that were let go. */
static uint64_t detach_all(void)
{
	GRANTED(&c, ask(&c, SONDE_DETACH, 0, 0));
	return c.last.reply.value;
}

/* Nothing fires although the processes go on. */
static void check_silence(const uint64_t *progress)
{
	uint64_t before = value(progress);

	firings();
	fired = 0;
	CHECK(SOON(value(progress) > before + 20), "they do not go on");
	CHECK(firings() == 0, "%lu firings after the detach", fired);
}

/* The only session that there is. */
static struct sonde_session_info session(void)
{
	struct sonde_session_info all[16] = {};

	GRANTED(&c, request(&c, SONDE_SESSIONS, 0, 0, NULL, 0, all,
			    sizeof(all)));
	CHECK(c.last.reply.value == 1, "%lu sessions", c.last.reply.value);
	return all[0];
}

static void check_targets(uint64_t wanted)
{
	uint64_t targets = session().targets;

	CHECK(targets == wanted, "%lu targets, not %lu", targets, wanted);
}

static void *call_on(void *unused)
{
	count(&shared->alive);
	while (!__atomic_load_n(&shared->end, __ATOMIC_RELAXED)) {
		syscall(SYS_getppid);
		count(&shared->calls);
		usleep(1000);
	}
	return unused;
}

static int threads(void)
{
	pthread_t thread[THREADS];

	for (int n = 0; n < THREADS; n++)
		pthread_create(&thread[n], NULL, call_on, NULL);
	for (int n = 0; n < THREADS; n++)
		pthread_join(thread[n], NULL);
	return 7;
}

static void end(const struct child *child)
{
	__atomic_store_n(&shared->end, true, __ATOMIC_RELAXED);
	CHECK_EXIT(child, 7);
	close_client(&c);
}

/* Threads, then the same process again as a new target. */
static void threads_go_on(void)
{
	struct child child;

	begin();
	child = start_child(&c, threads);
	GRANTED(&c, attach(&c, child.pid));
	open_gate(&child);
	CHECK(SOON(firings() > 20), "%lu firings", fired);
	CHECK(detach_all() == 1, "%lu processes", c.last.reply.value);
	check_silence(&shared->calls);
	CHECK(detach_all() == 0, "%lu processes", c.last.reply.value);
	GRANTED(&c, attach(&c, child.pid));
	CHECK(SOON(firings() > 20), "%lu firings of the new target", fired);
	end(&child);
}

/* Many processes that sleep, each one forked by a target. */
static int many(void)
{
	for (int n = 0; n < PROCESSES; n++)
		if (fork() == 0) {
			count(&shared->alive);
			while (!__atomic_load_n(&shared->end, __ATOMIC_RELAXED))
				usleep(100000);
			_exit(0);
		}
	while (waitpid(-1, NULL, 0) > 0)
		;
	return 7;
}

static void many_processes(void)
{
	struct child child;

	begin();
	child = start_child(&c, many);
	GRANTED(&c, attach(&c, child.pid));
	open_gate(&child);
	CHECK(SOON(value(&shared->alive) == PROCESSES), "%lu processes",
	      value(&shared->alive));
	check_targets(PROCESSES + 1);
	CHECK(detach_all() == PROCESSES + 1, "%lu processes",
	      c.last.reply.value);
	check_targets(0);
	end(&child);
}

/* Each child forks the next one, and ends: no process stays for long. */
static void fork_on(void)
{
	while (!__atomic_load_n(&shared->end, __ATOMIC_RELAXED)) {
		if (fork())
			_exit(0);
		syscall(SYS_getppid);
		count(&shared->forks);
	}
	_exit(0);
}

static int lines(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (int n = 0; n < LINES; n++)
		if (fork() == 0)
			fork_on();
	while (waitpid(-1, NULL, 0) > 0)
		;
	return 7;
}

/* No child escapes, although one is always being made. */
static void forks_go_on(void)
{
	for (int n = 0; n < ROUNDS; n++) {
		struct child child;

		begin();
		child = start_child(&c, lines);
		GRANTED(&c, attach(&c, child.pid));
		open_gate(&child);
		CHECK(SOON(firings() > 20), "%lu firings", fired);
		CHECK(detach_all() >= 1, "no process");
		check_targets(0);
		check_silence(&shared->forks);
		check_targets(0);
		end(&child);
	}
}

static int call_once(void)
{
	syscall(SYS_getppid);
	return 7;
}

/* A thread that waits for a release goes on. */
static void held_go_on(void)
{
	struct sonde_tap tap = { .kind = SONDE_TAP_SYSCALL_ENTRY,
				 .number = SYS_getppid, .id = 2, .probe = 2 };
	struct child child;

	begin();
	child = start_child(&c, call_once);
	GRANTED(&c, attach(&c, child.pid));
	GRANTED(&c, add_ecb(&c, (struct sonde_ecb){ 2, 2, 1,
						    SONDE_ECB_HELD }));
	GRANTED(&c, arm_tap(&c, tap, NULL));
	open_gate(&child);
	CHECK(SOON(session().held == 1), "no thread is held");
	CHECK(detach_all() == 1, "%lu processes", c.last.reply.value);
	CHECK(session().held == 0, "a thread is still held");
	end(&child);
}

__attribute__((noinline)) void probed_function(void)
{
	__asm__ volatile("nop");
}

static int wait_for_end(void)
{
	probed_function();
	count(&shared->alive);
	while (!__atomic_load_n(&shared->end, __ATOMIC_RELAXED))
		usleep(1000);
	return 7;
}

static uint8_t first_byte_in(pid_t pid)
{
	struct iovec there = { probed_function, 1 };
	uint8_t byte = 0;
	struct iovec here = { &byte, 1 };

	CHECK(process_vm_readv(pid, &here, 1, &there, 1, 0) == 1, "read: %s",
	      strerror(errno));
	return byte;
}

/* The code of the processes is as it was. */
static void breakpoints_go(void)
{
	uint8_t original = *(volatile uint8_t *)probed_function;
	char path[SONDE_PATH_MAX];
	struct child child;

	begin();
	child = start_child(&c, wait_for_end);
	GRANTED(&c, attach(&c, child.pid));
	GRANTED(&c, load_words(&c, 2, INSNS(word0), 1));
	GRANTED(&c, arm(&c, 2, function_tap(SONDE_TAP_USER_ENTRY,
					    probed_function, path), path));
	open_gate(&child);
	CHECK(SOON(value(&shared->alive) == 1), "it does not run");
	CHECK(firings() == 1, "%lu firings", fired);
	CHECK(first_byte_in(child.pid) == 0xcc, "no breakpoint");
	CHECK(detach_all() == 1, "%lu processes", c.last.reply.value);
	CHECK(first_byte_in(child.pid) == original, "the breakpoint is left");
	end(&child);
}

int main(void)
{
	shared = share(sizeof(*shared));
	threads_go_on();
	many_processes();
	forks_go_on();
	held_go_on();
	breakpoints_go();
	return verdict("detach");
}
