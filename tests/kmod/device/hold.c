// SPDX-License-Identifier: GPL-2.0
/*
 * Held taps: the thread waits in place, changes made to it meanwhile take
 * effect, and nothing can hold it for ever
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "child.h"

static struct client c = { .fd = -1 };
/* Held records that have not been handled yet, of a ring. */
static struct {
	struct sonde_record record;
	uint64_t word;
} queue[64];
static struct sonde_record last;
static uint64_t last_word, held_count, taken, plain_count;

static void see(const struct sonde_record *record)
{
	if (!(record->flags & SONDE_RECORD_HELD)) {
		plain_count++;
		return;
	}
	queue[held_count % 64].record = *record;
	queue[held_count % 64].word = record->slot[0];
	held_count++;
}

static int take_held(void)
{
	if (taken == held_count)
		return 0;
	last = queue[taken % 64].record;
	last_word = queue[taken % 64].word;
	taken++;
	return 1;
}

static void begin(void)
{
	GRANTED(&c, open_session(&c, 1 << 20));
	GRANTED(&c, load_words(&c, 1, INSNS(word1), 1));
	held_count = taken = plain_count = 0;
}

static void put_ecb(uint32_t epid, uint32_t probe, uint32_t flags)
{
	GRANTED(&c, add_ecb(&c, (struct sonde_ecb){ epid, probe, 1, flags }));
}

/* A tap that holds, with the number of the probe as its id. */
static void hold_tap(struct sonde_tap tap, uint32_t probe, const char *path)
{
	tap.id = tap.probe = probe;
	put_ecb(probe, probe, SONDE_ECB_HELD);
	GRANTED(&c, arm_tap(&c, tap, path));
}

static void hold_at(uint32_t kind, uint32_t number, uint32_t probe)
{
	struct sonde_tap tap = { .kind = kind, .number = number };

	hold_tap(tap, probe, NULL);
}

/* A session, and a child that is its target. */
static struct child begin_with(int (*work)(void))
{
	struct child child;

	begin();
	child = start_child(&c, work);
	GRANTED(&c, attach(&c, child.pid));
	return child;
}

static void run(const struct child *child)
{
	go(&c);
	open_gate(child);
}

/* The same with one call that holds, and the child about to make it. */
static struct child run_to(uint32_t number, int (*work)(void))
{
	struct child child = begin_with(work);

	hold_at(SONDE_TAP_SYSCALL_ENTRY, number, 1);
	run(&child);
	return child;
}

/* Releases the child, which must then end successfully. */
static void end(const struct child *child)
{
	CHECK_EXIT(child, 7);
	close_client(&c);
}

static int next_held(void)
{
	struct pollfd entry = { c.fd, POLLIN, 0 };
	char bytes[4096];

	drain(&c, see);
	if (take_held())
		return 1;
	if (poll(&entry, 1, 10) > 0 && read(c.fd, bytes, sizeof(bytes)) < 0)
		CHECK(errno == EAGAIN, "read: %s", strerror(errno));
	return 0;
}

/* Waits for one more held record. */
static int await_held(void)
{
	int is_held = SOON(next_held());

	CHECK(is_held, "no thread is held");
	return is_held;
}

static int release(uint64_t how)
{
	return ask(&c, SONDE_RELEASE, last.tid, how);
}

static void let_go(void)
{
	GRANTED(&c, release(0));
}

static void put(pid_t pid, uint64_t address, const char *text)
{
	struct iovec here = { (void *)text, strlen(text) + 1 };
	struct iovec there = { (void *)address, strlen(text) + 1 };

	CHECK(process_vm_writev(pid, &here, 1, &there, 1, 0) ==
		      (ssize_t)here.iov_len,
	      "write to %d", pid);
}

/* open() gets the name that we write there. */
static char name[] = "/no/such/file/there/is";

static int open_name(void)
{
	int fd = syscall(SYS_openat, AT_FDCWD, name, O_RDONLY);

	return fd >= 0 ? 7 : 8;
}

static void before_call(void)
{
	struct child child = run_to(SYS_openat, open_name);

	if (await_held()) {
		CHECK(last_word == (uintptr_t)name, "%lx", last_word);
		CHECK(waitpid(child.pid, NULL, WNOHANG) == 0,
		      "it was not held");
		put(child.pid, last_word, "/dev/null");
		let_go();
		CHECK(release(0) != 0, "twice");
	}
	end(&child);
}

static int read_zero(void)
{
	static char buffer[16];
	int fd = open("/dev/zero", O_RDONLY);

	if (syscall(SYS_read, fd, buffer, sizeof(buffer)) != sizeof(buffer))
		return 1;
	return strcmp(buffer, "changed") == 0 ? 7 : 8;
}

/* At the entry we get the address; at the return we change the bytes that were read. */
static void after_call(void)
{
	struct child child = begin_with(read_zero);
	uint64_t where;

	hold_at(SONDE_TAP_SYSCALL_ENTRY, SYS_read, 1);
	hold_at(SONDE_TAP_SYSCALL_RETURN, SYS_read, 2);
	run(&child);
	/* first comes the return of the gate's read(), unless that was over */
	do {
		if (!await_held())
			break;
		if (last.epid == 2)
			let_go();
	} while (last.epid == 2);
	where = last_word;
	let_go();
	if (await_held()) {
		CHECK(last.epid == 2 && last_word == 16, "epid %u, %lu",
		      last.epid, last_word);
		put(child.pid, where, "changed");
		let_go();
	}
	end(&child);
}

static int getppid_twice(void)
{
	syscall(SYS_getppid);
	syscall(SYS_getppid);
	return 7;
}

/* ECBs after one that holds run after the release, in the same firing. */
static void in_order(void)
{
	struct sonde_tap tap = { .id = 1, .probe = 1,
				 .kind = SONDE_TAP_SYSCALL_ENTRY,
				 .number = SYS_getppid };
	struct child child = begin_with(getppid_twice);
	uint64_t first;

	put_ecb(2, 1, SONDE_ECB_HELD);
	put_ecb(3, 1, 0);
	put_ecb(4, 1, SONDE_ECB_HELD);
	put_ecb(1, 1, 0);
	GRANTED(&c, arm_tap(&c, tap, NULL));
	run(&child);
	for (int turn = 0; turn < 2 && await_held(); turn++) {
		first = last.timestamp;
		CHECK(last.epid == 2 && plain_count == 1u + 2 * turn,
		      "epid %u, %lu before", last.epid, plain_count);
		let_go();
		await_held();
		CHECK(last.epid == 4 && plain_count == 2u + 2 * turn,
		      "epid %u, %lu before", last.epid, plain_count);
		CHECK(last.timestamp == first, "two times of one firing");
		let_go();
	}
	end(&child);
}

static volatile int caught;

static void catch(int signal)
{
	caught = signal;
}

static int catch_usr1(void)
{
	signal(SIGUSR1, catch);
	syscall(SYS_getppid);
	return caught == SIGUSR1 ? 7 : 8;
}

static void raise_and_stop(void)
{
	struct child child = run_to(SYS_getppid, catch_usr1);
	int status = 0;

	if (await_held()) {
		CHECK(release(2 + 200) == -EINVAL, "signal 200");
		GRANTED(&c, release(2 + SIGUSR1));
	}
	end(&child);

	child = run_to(SYS_getppid, getppid_twice);
	if (await_held())
		GRANTED(&c, release(1));
	CHECK(waitpid(child.pid, &status, WUNTRACED) == child.pid &&
		      WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP,
	      "status %x", status);
	kill(child.pid, SIGCONT);
	if (await_held())
		let_go();
	end(&child);
}

static int forever(void)
{
	for (;;)
		syscall(SYS_getppid);
	return 0;
}

/* SIGKILL, the end of the session, a detach and a disarm end a hold. */
static void nothing_holds_for_ever(void)
{
	struct child child = run_to(SYS_getppid, forever);

	await_held();
	kill(child.pid, SIGKILL);
	CHECK_KILLED(&child);
	CHECK(release(0) == -ESRCH, "released the dead");
	close_client(&c);

	for (int way = 0; way < 3; way++) {
		child = run_to(SYS_getppid, getppid_twice);
		await_held();
		switch (way) {
		case 0:
			close_client(&c);
			break;
		case 1:
			GRANTED(&c, ask(&c, SONDE_DETACH, 0, child.pid));
			break;
		case 2:
			GRANTED(&c, disarm(&c, 1));
			let_go();
			break;
		}
		end(&child);
	}
}

static int fork_once(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return waitpid(pid, &status, 0) == pid ? 7 : 8;
}

static void start_tap(struct client *of, pid_t pid)
{
	GRANTED(of, load_words(of, 2, INSNS(word1), 1));
	GRANTED(of, attach(of, pid));
	GRANTED(of, arm_kind(of, 2, SONDE_TAP_LWP_START, 0));
}

/*
 * A new thread is held before a tap that does not hold can fire in it. The
 * session of that tap, this one or another, can end nevertheless.
 */
static void newborn_held(void)
{
	struct client other = { .fd = -1 };

	for (int own = 0; own < 2; own++) {
		struct child child = begin_with(fork_once);

		hold_at(SONDE_TAP_START, 0, 1);
		if (own) {
			start_tap(&c, child.pid);
		} else {
			GRANTED(&other, open_session(&other, 4096));
			start_tap(&other, child.pid);
			go(&other);
		}
		run(&child);
		await_held();
		if (own) {
			close_client(&c);
		} else {
			close_client(&other);
			let_go();
		}
		end(&child);
	}
}

/* A consumer is killed. */
static void consumer_dies(void)
{
	enum { READY = 1, HELD };
	volatile int *state = share(sizeof(*state));
	struct child child = start_child(&c, getppid_twice);
	struct child consumer = fork_child(&c);

	if (!consumer.pid) {
		close(child.gate);
		begin();
		GRANTED(&c, attach(&c, child.pid));
		hold_at(SONDE_TAP_SYSCALL_ENTRY, SYS_getppid, 1);
		go(&c);
		*state = READY;
		if (!await_held())
			_exit(1);
		*state = HELD;
		for (;;)
			pause();
	}
	CHECK(SOON(*state == READY), "it is not ready");
	open_gate(&child);
	CHECK(SOON(*state == HELD), "it holds nobody");
	kill(consumer.pid, SIGKILL);
	CHECK_KILLED(&consumer);
	end(&child);
}

static char argument[64] = "original";

__attribute__((used)) int if_changed(int n, const char *text)
{
	return strcmp(text, "changed") == 0 ? n : 8;
}

__asm__("probed_function: sub $8, %rsp\n"
	"	call if_changed\n"
	"	add $8, %rsp\n"
	"probed_return: ret\n");
int probed_function(int n, const char *text);
extern char probed_return[];

static int call_function(void)
{
	return probed_function(7, argument);
}

static void user_function(int kill_it)
{
	struct child child = begin_with(call_function);
	char path[SONDE_PATH_MAX];

	hold_tap(function_tap(SONDE_TAP_USER_ENTRY, probed_function, path), 1,
		 path);
	hold_tap(return_tap(probed_function, probed_return, path), 2, path);
	run(&child);
	if (await_held()) {
		CHECK(last.epid == 1 && last_word == (uintptr_t)argument,
		      "epid %u, %lx", last.epid, last_word);
		if (kill_it) {
			kill(child.pid, SIGKILL);
			CHECK_KILLED(&child);
			close_client(&c);
			return;
		}
		put(child.pid, last_word, "changed");
		let_go();
		await_held();
		CHECK(last.epid == 2 && last_word == 7, "epid %u, %lu",
		      last.epid, last_word);
		let_go();
	}
	end(&child);
}

static int run_true(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	signal(SIGUSR1, catch);
	raise(SIGUSR1);
	signal(SIGUSR2, SIG_IGN);
	raise(SIGUSR2);
	execl("/no/such/program", "none", (char *)NULL);
	return 7;
}

/* Every kind of tap that can hold does so, at every event. */
static void kinds(void)
{
	static const struct {
		uint32_t kind;
		uint64_t count;
		const char *name;
	} rows[] = {
		{ SONDE_TAP_CREATE, 1, "create" },
		{ SONDE_TAP_START, 1, "start" },
		{ SONDE_TAP_LWP_START, 1, "lwp-start" },
		{ SONDE_TAP_EXEC, 2, "exec" },
		{ SONDE_TAP_EXEC_SUCCESS, 1, "exec-success" },
		{ SONDE_TAP_EXEC_FAILURE, 1, "exec-failure" },
		{ SONDE_TAP_EXIT, 2, "exit" },
		{ SONDE_TAP_LWP_EXIT, 2, "lwp-exit" },
		{ SONDE_TAP_SIGNAL_DELIVER, 1, "signal-handle" },
		{ SONDE_TAP_SIGNAL_DISCARD, 2, "signal-discard" },
	};
	struct child child = begin_with(run_true);
	uint64_t seen[LENGTH(rows) + 1] = { 0 }, wanted = 0;

	for (uint32_t n = 0; n < LENGTH(rows); n++) {
		hold_at(rows[n].kind, 0, n + 1);
		wanted += rows[n].count;
	}
	run(&child);
	for (uint64_t n = 0; n < wanted && await_held(); n++) {
		seen[last.epid]++;
		let_go();
	}
	end(&child);
	for (uint32_t n = 0; n < LENGTH(rows); n++)
		CHECK(seen[n + 1] == rows[n].count, "%s: %lu", rows[n].name,
		      seen[n + 1]);
}

static uint32_t samples, held_samples;

static void see_sample(const struct sonde_record *record)
{
	samples++;
	held_samples += (record->flags & SONDE_RECORD_HELD) != 0;
}

/* If the thread cannot wait, the record has no HELD flag. */
static void never_held(void)
{
	struct sonde_tap tap = { .kind = SONDE_TAP_PROFILE, .offset = 1000000 };

	begin();
	hold_tap(tap, 1, NULL);
	go(&c);
	CHECK(SOON(drain(&c, see_sample)) && !held_samples,
	      "%u samples, %u of them held", samples, held_samples);
	close_client(&c);
}

#define THREADS 4
#define CALLS 200

static void *thread_calls(void *unused)
{
	for (int n = 0; n < CALLS; n++)
		syscall(SYS_getppid);
	return unused;
}

static int threads(void)
{
	pthread_t thread[THREADS];

	for (int n = 0; n < THREADS; n++)
		pthread_create(&thread[n], NULL, thread_calls, NULL);
	for (int n = 0; n < THREADS; n++)
		pthread_join(thread[n], NULL);
	return 7;
}

static void release_this(const struct sonde_record *record)
{
	see(record);
	if (take_held())
		let_go();
}

static void many_threads(void)
{
	struct child child = begin_with(threads);

	hold_at(SONDE_TAP_SYSCALL_ENTRY, SYS_getppid, 1);
	hold_at(SONDE_TAP_SYSCALL_RETURN, SYS_getppid, 2);
	run(&child);
	CHECK(SOON((drain(&c, release_this),
		    held_count == 2ul * THREADS * CALLS)),
	      "%lu holds", held_count);
	end(&child); /* no thread is held again */
}

static void user_plain(void)
{
	user_function(0);
}

static void user_killed(void)
{
	user_function(1);
}

static const struct {
	const char *name;
	void (*test)(void);
} tests[] = {
	{ "before_call", before_call },
	{ "after_call", after_call },
	{ "in_order", in_order },
	{ "raise_and_stop", raise_and_stop },
	{ "nothing_holds_for_ever", nothing_holds_for_ever },
	{ "newborn_held", newborn_held },
	{ "consumer_dies", consumer_dies },
	{ "user_function", user_plain },
	{ "user_killed", user_killed },
	{ "kinds", kinds },
	{ "never held", never_held },
	{ "many_threads", many_threads },
};

int main(int argc, char **argv)
{
	for (size_t n = 0; n < LENGTH(tests); n++) {
		int before = failures;

		if (argc > 1 && strcmp(argv[1], tests[n].name))
			continue;
		if (argc > 1)
			printf("hold: %s\n", tests[n].name);
		tests[n].test();
		if (failures > before)
			printf("hold: %s FAILED\n", tests[n].name);
		fflush(stdout);
	}
	return verdict("hold");
}
