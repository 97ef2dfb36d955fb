// SPDX-License-Identifier: GPL-2.0
/*
 * Held taps: the thread waits where it is, what is done to it meanwhile counts,
 * and nothing can hold it for ever
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "client.h"

#define TURNS 3000 /* of 10 ms: how long a test waits for what must come */

/* A word: arg1. */
static const struct sonde_dif_insn word1[] = {
	{ SONDE_DIF_ARG, 0, 0, 0, 1 },
	{ SONDE_DIF_CAPW, 0, 0, 0, 0 },
	{ .op = SONDE_DIF_RECORD },
};

static struct client c = { .fd = -1 };
/* Held records that were not looked at yet, in a ring. */
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
	CHECK(open_client(&c) == 0 && make_buffers(&c, 1 << 20) == 0, "open");
	CHECK(load_words(&c, 1, word1, 3, 1) == 0, "%s", c.last.reply.why);
	held_count = taken = plain_count = 0;
}

static void add_ecb(uint32_t epid, uint32_t probe, uint32_t flags)
{
	struct sonde_ecb ecb = { epid, probe, 1, flags };

	CHECK(request(&c, SONDE_ECB_ADD, 0, 1, &ecb, sizeof(ecb), NULL, 0) == 0,
	      "ECB: %s", c.last.reply.why);
}

/* A tap with the probe's number as its id. */
static void arm_probe(struct sonde_tap tap, uint32_t probe, const char *path)
{
	char payload[sizeof(tap) + 4096];

	tap.id = tap.probe = probe;
	tap.path_length = path ? strlen(path) : 0;
	memcpy(payload, &tap, sizeof(tap));
	memcpy(payload + sizeof(tap), path, tap.path_length);
	CHECK(request(&c, SONDE_TAP_ARM, 0, 1, payload,
		      sizeof(tap) + tap.path_length, NULL, 0) == 0,
	      "arm: %s", c.last.reply.why);
}

static void hold_at(uint32_t kind, uint32_t number, uint32_t probe)
{
	struct sonde_tap tap = { .kind = kind, .number = number };

	add_ecb(probe, probe, SONDE_ECB_HELD);
	arm_probe(tap, probe, NULL);
}

static void attach(pid_t pid)
{
	CHECK(request(&c, SONDE_ATTACH, 0, pid, NULL, 0, NULL, 0) == 0,
	      "attach: %s", c.last.reply.why);
}

/* Waits for one more held record. */
static int await_held(void)
{
	for (int turn = 0; turn < TURNS; turn++) {
		struct pollfd entry = { c.fd, POLLIN, 0 };
		char bytes[4096];

		drain(&c, see);
		if (take_held())
			return 1;
		if (poll(&entry, 1, 10) > 0 &&
		    read(c.fd, bytes, sizeof(bytes)) < 0)
			usleep(1000);
	}
	CHECK(0, "no thread is held");
	return 0;
}

static int release(uint64_t how)
{
	return request(&c, SONDE_RELEASE, last.tid, how, NULL, 0, NULL, 0);
}

static void let_go(void)
{
	CHECK(release(0) == 0, "release: %s", c.last.reply.why);
}

static void put(pid_t pid, uint64_t address, const char *text)
{
	struct iovec here = { (void *)text, strlen(text) + 1 };
	struct iovec there = { (void *)address, strlen(text) + 1 };

	CHECK(process_vm_writev(pid, &here, 1, &there, 1, 0) ==
		      (ssize_t)here.iov_len,
	      "write to %d", pid);
}

static int gate_read, gate_write;

/* A child that waits for open_gate(), then exits with what `work` says. */
static pid_t start(int (*work)(void))
{
	int ends[2];
	pid_t pid;
	char byte;

	if (pipe(ends))
		exit(2);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		close_client(&c); /* else we would keep it open */
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) == 1 ? work() : 99);
	}
	gate_read = ends[0];
	gate_write = ends[1];
	return pid;
}

static void open_gate(void)
{
	CHECK(write(gate_write, "x", 1) == 1, "gate");
	close(gate_write);
	close(gate_read);
}

static int status_of(pid_t pid)
{
	int status = -1;

	for (int turn = 0; turn < TURNS; turn++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		usleep(10000);
	}
	CHECK(0, "process %d does not end", pid);
	kill(pid, SIGKILL);
	return -1;
}

static void check_exit(pid_t pid, int code)
{
	int status = status_of(pid);

	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == code,
	      "status %x, not exit %d", status, code);
}

/* The name that open() gets is the one that we put there. */
static char name[] = "/no/such/file/there/is";

static int open_name(void)
{
	int fd = syscall(SYS_openat, AT_FDCWD, name, O_RDONLY);

	return fd >= 0 ? 7 : 8;
}

static void before_call(void)
{
	pid_t pid;

	begin();
	pid = start(open_name);
	attach(pid);
	hold_at(SONDE_TAP_SYSCALL_ENTRY, SYS_openat, 1);
	go(&c);
	open_gate();
	if (await_held()) {
		CHECK(last_word == (uintptr_t)name, "%lx", last_word);
		CHECK(waitpid(pid, NULL, WNOHANG) == 0, "it was not held");
		put(pid, last_word, "/dev/null");
		CHECK(release(0) == 0, "release: %s", c.last.reply.why);
		CHECK(release(0) != 0, "twice");
	}
	check_exit(pid, 7);
	close_client(&c);
}

static int read_zero(void)
{
	static char buffer[16];
	int fd = open("/dev/zero", O_RDONLY);

	if (syscall(SYS_read, fd, buffer, sizeof(buffer)) != sizeof(buffer))
		return 1;
	return strcmp(buffer, "changed") == 0 ? 7 : 8;
}

/* At the entry we learn where; at the return we change what it has read. */
static void after_call(void)
{
	uint64_t where;
	pid_t pid;

	begin();
	pid = start(read_zero);
	attach(pid);
	hold_at(SONDE_TAP_SYSCALL_ENTRY, SYS_read, 1);
	hold_at(SONDE_TAP_SYSCALL_RETURN, SYS_read, 2);
	go(&c);
	open_gate();
	/* the return of the gate's read() first, unless it was over */
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
		put(pid, where, "changed");
		let_go();
	}
	check_exit(pid, 7);
	close_client(&c);
}

static int getppid_twice(void)
{
	syscall(SYS_getppid);
	syscall(SYS_getppid);
	return 7;
}

/* ECBs behind one that holds run after the release, in the same firing. */
static void in_order(void)
{
	uint64_t first;
	pid_t pid;

	begin();
	pid = start(getppid_twice);
	attach(pid);
	add_ecb(2, 1, SONDE_ECB_HELD);
	add_ecb(3, 1, 0);
	add_ecb(4, 1, SONDE_ECB_HELD);
	add_ecb(1, 1, 0);
	arm_probe((struct sonde_tap){ .kind = SONDE_TAP_SYSCALL_ENTRY,
				      .number = SYS_getppid },
		  1, NULL);
	go(&c);
	open_gate();
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
	check_exit(pid, 7);
	close_client(&c);
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
	int status = 0;
	pid_t pid;

	begin();
	pid = start(catch_usr1);
	attach(pid);
	hold_at(SONDE_TAP_SYSCALL_ENTRY, SYS_getppid, 1);
	go(&c);
	open_gate();
	if (await_held()) {
		CHECK(release(2 + 200) == -EINVAL, "signal 200");
		CHECK(release(2 + SIGUSR1) == 0, "%s", c.last.reply.why);
	}
	check_exit(pid, 7);
	close_client(&c);

	begin();
	pid = start(getppid_twice);
	attach(pid);
	hold_at(SONDE_TAP_SYSCALL_ENTRY, SYS_getppid, 1);
	go(&c);
	open_gate();
	if (await_held())
		CHECK(release(1) == 0, "%s", c.last.reply.why);
	CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status) &&
		      WSTOPSIG(status) == SIGSTOP,
	      "status %x", status);
	kill(pid, SIGCONT);
	if (await_held())
		let_go();
	check_exit(pid, 7);
	close_client(&c);
}

static int forever(void)
{
	for (;;)
		syscall(SYS_getppid);
	return 0;
}

/* SIGKILL, the end of the session, a detach and a disarm break a hold. */
static void nothing_holds_for_ever(void)
{
	uint32_t id = 1;
	int status;
	pid_t pid;

	begin();
	pid = start(forever);
	attach(pid);
	hold_at(SONDE_TAP_SYSCALL_ENTRY, SYS_getppid, 1);
	go(&c);
	open_gate();
	await_held();
	kill(pid, SIGKILL);
	status = status_of(pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "status %x",
	      status);
	CHECK(release(0) == -ESRCH, "released the dead");
	close_client(&c);

	for (int way = 0; way < 3; way++) {
		begin();
		pid = start(getppid_twice);
		attach(pid);
		hold_at(SONDE_TAP_SYSCALL_ENTRY, SYS_getppid, 1);
		go(&c);
		open_gate();
		await_held();
		if (way == 1)
			CHECK(request(&c, SONDE_DETACH, 0, pid, NULL, 0, NULL,
				      0) == 0,
			      "detach: %s", c.last.reply.why);
		if (way == 2) {
			CHECK(request(&c, SONDE_TAP_DISARM, 0, 1, &id, 4, NULL,
				      0) == 0,
			      "disarm: %s", c.last.reply.why);
			let_go();
		}
		if (way == 0)
			close_client(&c);
		check_exit(pid, 7);
		if (way)
			close_client(&c);
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
	struct sonde_tap tap = { .kind = SONDE_TAP_LWP_START };

	CHECK(load_words(of, 2, word1, 3, 1) == 0, "%s", of->last.reply.why);
	CHECK(request(of, SONDE_ATTACH, 0, pid, NULL, 0, NULL, 0) == 0,
	      "attach: %s", of->last.reply.why);
	CHECK(arm(of, 2, tap, NULL) == 0, "arm: %s", of->last.reply.why);
}

/*
 * A new thread is held before it does what a tap that does not hold wants of
 * it. The tap's session ends all the same, be it this or another one.
 */
static void newborn_held(void)
{
	struct client other = { .fd = -1 };

	for (int own = 0; own < 2; own++) {
		pid_t pid;

		begin();
		pid = start(fork_once);
		attach(pid);
		hold_at(SONDE_TAP_START, 0, 1);
		if (own) {
			start_tap(&c, pid);
		} else {
			CHECK(open_client(&other) == 0 &&
				      make_buffers(&other, 4096) == 0, "open");
			start_tap(&other, pid);
			go(&other);
		}
		go(&c);
		open_gate();
		await_held();
		if (own) {
			close_client(&c);
		} else {
			close_client(&other);
			let_go();
		}
		check_exit(pid, 7);
		if (!own)
			close_client(&c);
	}
}

/* A consumer that is killed. */
static void consumer_dies(void)
{
	pid_t pid = start(getppid_twice), consumer;
	int ends[2];
	char byte;

	if (pipe(ends))
		exit(2);
	fflush(stdout);
	consumer = fork();
	if (consumer == 0) {
		close(gate_write);
		begin();
		attach(pid);
		hold_at(SONDE_TAP_SYSCALL_ENTRY, SYS_getppid, 1);
		go(&c);
		if (write(ends[1], "r", 1) != 1 || !await_held() ||
		    write(ends[1], "h", 1) != 1)
			_exit(1);
		pause();
	}
	CHECK(read(ends[0], &byte, 1) == 1, "ready");
	open_gate();
	CHECK(read(ends[0], &byte, 1) == 1, "held");
	kill(consumer, SIGKILL);
	waitpid(consumer, NULL, 0);
	check_exit(pid, 7);
	close(ends[0]);
	close(ends[1]);
}

static char argument[64] = "original";

__attribute__((noinline, noclone)) int probed_function(int n, const char *text)
{
	__asm__ volatile("" : "+r"(n), "+r"(text) : : "memory");
	return strcmp(text, "changed") == 0 ? n : 8;
}

static int call_function(void)
{
	return probed_function(7, argument);
}

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

static void user_function(int kill_it)
{
	struct sonde_tap tap = { .kind = SONDE_TAP_USER_ENTRY };
	char path[4096];
	int status;
	pid_t pid;

	begin();
	pid = start(call_function);
	attach(pid);
	tap.offset = tap.function = file_offset((void *)probed_function, path);
	add_ecb(1, 1, SONDE_ECB_HELD);
	arm_probe(tap, 1, path);
	tap.kind = SONDE_TAP_USER_RETURN;
	add_ecb(2, 2, SONDE_ECB_HELD);
	arm_probe(tap, 2, path);
	go(&c);
	open_gate();
	if (await_held()) {
		CHECK(last.epid == 1 && last_word == (uintptr_t)argument,
		      "epid %u, %lx", last.epid, last_word);
		if (kill_it) {
			kill(pid, SIGKILL);
			status = status_of(pid);
			CHECK(WIFSIGNALED(status), "status %x", status);
			close_client(&c);
			return;
		}
		put(pid, last_word, "changed");
		let_go();
		await_held();
		CHECK(last.epid == 2 && last_word == 7, "epid %u, %lu",
		      last.epid, last_word);
		let_go();
	}
	check_exit(pid, 7);
	close_client(&c);
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

/* Every kind of tap that can hold does so, as often as it happens. */
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
	uint32_t count = sizeof(rows) / sizeof(rows[0]);
	uint64_t seen[16] = { 0 }, wanted = 0;
	pid_t pid;

	begin();
	pid = start(run_true);
	attach(pid);
	for (uint32_t n = 0; n < count; n++) {
		hold_at(rows[n].kind, 0, n + 1);
		wanted += rows[n].count;
	}
	go(&c);
	open_gate();
	for (uint64_t n = 0; n < wanted && await_held(); n++) {
		seen[last.epid]++;
		let_go();
	}
	check_exit(pid, 7);
	for (uint32_t n = 0; n < count; n++)
		CHECK(seen[n + 1] == rows[n].count, "%s: %lu", rows[n].name,
		      seen[n + 1]);
	close_client(&c);
}

static uint32_t samples, held_samples;

static void see_sample(const struct sonde_record *record)
{
	samples++;
	held_samples += (record->flags & SONDE_RECORD_HELD) != 0;
}

/* Where no thread can wait, the record comes without the flag. */
static void never_held(void)
{
	struct sonde_tap tap = { .id = 1, .kind = SONDE_TAP_PROFILE,
				 .probe = 1, .offset = 1000000 };

	begin();
	add_ecb(1, 1, SONDE_ECB_HELD);
	CHECK(request(&c, SONDE_TAP_ARM, 0, 1, &tap, sizeof(tap), NULL, 0) == 0,
	      "%s", c.last.reply.why);
	go(&c);
	for (int n = 0; n < TURNS && !samples; n++) {
		usleep(10000);
		drain(&c, see_sample);
	}
	CHECK(samples && !held_samples, "%u samples, %u of them held", samples,
	      held_samples);
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
	int turn = 0, status;
	pid_t pid;

	begin();
	pid = start(threads);
	attach(pid);
	hold_at(SONDE_TAP_SYSCALL_ENTRY, SYS_getppid, 1);
	hold_at(SONDE_TAP_SYSCALL_RETURN, SYS_getppid, 2);
	go(&c);
	open_gate();
	while (waitpid(pid, &status, WNOHANG) == 0 && turn++ < 10 * TURNS) {
		drain(&c, release_this);
		usleep(500);
	}
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7, "status %x",
	      status);
	CHECK(held_count == 2ul * THREADS * CALLS, "%lu holds", held_count);
	close_client(&c);
}

static volatile uint64_t *counter;

static int count_up(void)
{
	for (;;)
		++*counter;
	return 0;
}

static void stop_target(void)
{
	uint64_t before;
	pid_t pid;
	int status;

	counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	begin();
	pid = start(count_up);
	CHECK(request(&c, SONDE_STOP_TARGET, 0, pid, NULL, 0, NULL, 0) ==
		      -ESRCH,
	      "stopped who is no target");
	attach(pid);
	go(&c);
	open_gate();
	while (!*counter)
		usleep(1000);
	for (int turn = 0; turn < 3; turn++) {
		CHECK(request(&c, SONDE_STOP_TARGET, 0, pid, NULL, 0, NULL,
			      0) == 0,
		      "stop: %s", c.last.reply.why);
		before = *counter;
		usleep(50000);
		CHECK(*counter == before, "it runs");
		CHECK(waitpid(pid, &status, WNOHANG | WUNTRACED) == 0,
		      "its parent sees it");
		CHECK(request(&c, SONDE_CONTINUE_TARGET, 0, pid, NULL, 0, NULL,
			      0) == 0,
		      "continue: %s", c.last.reply.why);
		for (int n = 0; n < TURNS && *counter == before; n++)
			usleep(10000);
		CHECK(*counter != before, "it does not run");
	}
	CHECK(request(&c, SONDE_STOP_TARGET, 0, pid, NULL, 0, NULL, 0) == 0,
	      "stop: %s", c.last.reply.why);
	close_client(&c);
	before = *counter;
	for (int n = 0; n < TURNS && *counter == before; n++)
		usleep(10000);
	CHECK(*counter != before, "it does not run when the session is over");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
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
	{ "stop_target", stop_target },
};

int main(int argc, char **argv)
{
	for (size_t n = 0; n < sizeof(tests) / sizeof(tests[0]); n++) {
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
	printf("hold: %s\n", failures ? "FAILED" : "passed");
	return failures != 0;
}
