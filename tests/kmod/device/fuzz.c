// SPDX-License-Identifier: GPL-2.0
/*
 * Random requests from several threads on several descriptors, by root and by
 * an ordinary user, beside children that do what can be traced: afterwards the
 * kernel log has no report, and nothing is left
 *
 * usage: fuzz [SECONDS [SEED]]
 *   SECONDS  as the ordinary user, uid 65534; before that, a third as long as root
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "child.h"
#include "random.h"

enum { THREADS = 4, SESSIONS = 3, CHILDREN = 3 };
enum { LEAST = 100 }; /* requests that must be granted, even on a slow machine */

static volatile int fds[SESSIONS]; /* replaced while other threads use them */
static pid_t children[CHILDREN];
static uint64_t end;
static volatile unsigned long requests, granted;
static uint64_t first_state;

/* Half of the values are valid, half random. */
static uint64_t random_field(void)
{
	switch (any() % 5) {
	case 0:
		return any() % 8;
	case 1:
		return any() % 512;
	case 2:
		return children[any() % CHILDREN];
	case 3:
		return getpid();
	}
	return any();
}

static volatile int called;
static __attribute__((noinline)) void function(void)
{
	called++;
	__asm__ volatile("" ::: "memory");
}

/* Some taps on a program that the children run; only the first names its file. */
static uint64_t shape_user(struct sonde_tap *taps)
{
	static char path[SONDE_PATH_MAX];
	static struct sonde_tap real;
	uint32_t count = 1 + any() % 3;

	if (!path[0])
		real = function_tap(SONDE_TAP_USER_ENTRY, function, path);
	for (uint32_t n = 0; n < count; n++) {
		taps[n] = (struct sonde_tap){
			.id = any() % 16,
			.kind = SONDE_TAP_USER_ENTRY + any() % 3,
			.probe = any() % 8,
			.path_length = n ? 0 : strlen(path),
			.offset = real.offset,
			.function = any() % 2 ? real.function : any() % 64,
			.leave.how = any() % SONDE_LEAVE_COUNT,
			.leave.base = any() % 17,
			.leave.index = any() % 17,
			.leave.parts[0].to = any() % 4,
		};
	}
	memcpy(&taps[count], path, strlen(path));
	return count * sizeof(*taps) + strlen(path);
}

static const uint32_t calls[] = { SYS_getppid, SYS_openat,    SYS_close,
				  SYS_wait4,   SYS_nanosleep, SYS_execve,
				  SYS_kill,    SYS_clone,     SYS_exit_group };

static void shape_tap(struct sonde_tap *tap)
{
	*tap = (struct sonde_tap){
		.id = any() % 16,
		.kind = any() % SONDE_TAP_KIND_COUNT,
		.probe = any() % 8,
		.number = any() % 4 ? calls[any() % LENGTH(calls)] : any() % 400,
		.pid = any() % 2 ? 0 : children[any() % CHILDREN],
	};
	if (tap->kind == SONDE_TAP_PROFILE || tap->kind == SONDE_TAP_TICK)
		tap->offset = 1000000 + any() % 9000000;
}

/* A program that reads memory, stacks and variables; sometimes with one bit flipped. */
static uint64_t shape_program(void *bytes)
{
	static const struct sonde_dif_insn code[] = {
		{ SONDE_DIF_LDT, 1, 0, 0, 0 },
		{ SONDE_DIF_LI, 2, 0, 0, 1 },
		{ SONDE_DIF_ADD, 1, 1, 2, 0 },
		{ SONDE_DIF_STT, 0, 1, 0, 0 },
		{ SONDE_DIF_ARG, 0, 0, 0, 1 },
		{ SONDE_DIF_CAPSTR, 0, 0, 0, 64 },
		{ SONDE_DIF_CAPW, 1, 1, 0, 0 },
		{ SONDE_DIF_VAR, 3, 0, 0, SONDE_DIF_VAR_USTACKDEPTH },
		{ SONDE_DIF_CAPW, 2, 3, 0, 0 },
		{ SONDE_DIF_CAPSTACK, 3, 0, 0, 16 },
		{ SONDE_DIF_CAPTEXT, 4, 0, 0, SONDE_DIF_TEXT_CWD },
		{ .op = SONDE_DIF_RECORD },
	};
	static const uint8_t kinds[] = { SONDE_SLOT_TEXT, SONDE_SLOT_WORD,
					 SONDE_SLOT_WORD, SONDE_SLOT_STACK,
					 SONDE_SLOT_TEXT };
	struct sonde_program_payload *head = bytes;
	uint8_t *at = (uint8_t *)(head + 1);
	uint64_t length = sizeof(*head) + sizeof(code) + sizeof(kinds);

	*head = (struct sonde_program_payload){ LENGTH(code), LENGTH(kinds), 0,
						0 };
	memcpy(at, code, sizeof(code));
	memcpy(at + sizeof(code), kinds, sizeof(kinds));
	if (any() % 2)
		((uint8_t *)bytes)[any() % length] ^= 1 << any() % 8;
	return length;
}

/* Names the programs that the children run, or files that they do not map. */
static uint64_t shape_wildcard(void *bytes)
{
	static const char *const some[] = { "*", "/*/bin/tru?", "*.so*",
					    "[!a]*/libc[-.]*", "*a*a*a*a*a*b" };
	const char *wildcard = some[any() % LENGTH(some)];
	uint64_t length = strlen(wildcard);

	memcpy(bytes, wildcard, length);
	if (any() % 4 == 0)
		((char *)bytes)[any() % length] = any();
	return length;
}

/* A request that may be accepted. */
static uint64_t shape(uint32_t kind, void *bytes, uint64_t length)
{
	uint32_t *ids = bytes;

	switch (kind) {
	case SONDE_PROGRAM_LOAD:
		return shape_program(bytes);
	case SONDE_TAP_ARM:
		if (any() % 2)
			return shape_user(bytes);
		shape_tap(bytes);
		return sizeof(struct sonde_tap);
	case SONDE_ECB_ADD:
		*(struct sonde_ecb *)bytes = (struct sonde_ecb){
			.epid = any() % 64,
			.probe = any() % 8,
			.program = any() % 8,
			.flags = any() % 4 == 0 ? SONDE_ECB_HELD : 0,
		};
		return sizeof(struct sonde_ecb);
	case SONDE_FOLLOW: /* files; else a process */
		return any() % 2 ? shape_wildcard(bytes) : 0;
	case SONDE_ECB_REMOVE:
	case SONDE_TAP_DISARM:
		ids[0] = any() % 16;
		return sizeof(*ids);
	}
	return length;
}

static void random_request(struct client *c)
{
	uint64_t bytes[(3 * sizeof(struct sonde_tap) + SONDE_PATH_MAX) / 8 + 1];
	uint32_t kind = any() % (SONDE_REQUEST_COUNT + 2);
	uint64_t answer[64], length = any() % 512, value = random_field();
	uint32_t id = any() % 2 ? any() % 16 : random_field();

	for (int n = 0; n < 64; n++)
		bytes[n] = random_field() | random_field() << 32;
	if (any() % 16 == 0)
		length = any();
	if (any() % 4)
		length = shape(kind, bytes, length);
	if (kind == SONDE_TAP_ARM)
		value = length / sizeof(struct sonde_tap);
	if (kind == SONDE_BUFFERS)
		value %= 1 << 20;
	if (kind == SONDE_RELEASE) /* root must not send signals: the receiver may be our parent */
		value = any() % 2 ? 0 : getuid() ? any() % 70 : 1000;
	if (kind == SONDE_ATTACH || kind == SONDE_FOLLOW || kind == SONDE_DETACH)
		value = any() % 2 ? value : (uint64_t)children[any() % CHILDREN];
	if (kind == SONDE_FOLLOW && length) /* it names no process */
		id = value = 0;
	if (kind == SONDE_ECB_ADD)
		value = length / sizeof(struct sonde_ecb);
	if (kind == SONDE_ECB_REMOVE || kind == SONDE_TAP_DISARM)
		value = length / sizeof(uint32_t);
	if (any() % 16) { /* otherwise it is refused at once */
		uint32_t uses = sonde_request_uses(kind);

		id = uses & SONDE_USES_ID ? id : 0;
		value = uses & SONDE_USES_VALUE ? value : 0;
		length = uses & SONDE_USES_LENGTH ? length : 0;
	}
	if (!request(c, kind, id, value,
		     any() % 64 ? bytes : (void *)any(), length,
		     any() % 64 ? answer : (void *)any(), sizeof(answer)))
		__atomic_fetch_add(&granted, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&requests, 1, __ATOMIC_RELAXED);
}

/* Reads events, and answers those that wait for it. */
static void read_events(struct client *c)
{
	char bytes[8192];
	const struct sonde_event *event = (void *)bytes;

	while (read(c->fd, bytes, any() % sizeof(bytes)) > 0)
		if (event->kind == SONDE_EVENT_MAPPED && event->value)
			ask(c, SONDE_ACKNOWLEDGE, event->value, 0);
}

static void release(struct client *c)
{
	for (int n = 0; n < CHILDREN; n++)
		ask(c, SONDE_RELEASE, children[n], 0);
}

static void look_into_ring(struct client *c)
{
	size_t size = 4096 << any() % 4;
	uint64_t *ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
			      c->fd, any() % 3 * SONDE_RING_STRIDE);

	if (ring == MAP_FAILED)
		return;
	if (any() % 8 == 0) /* a reader with false values */
		ring[any() % (size / 8)] = any();
	munmap(ring, size);
}

/* Opens a session, ready to record or not. */
static int open_one(void)
{
	static const struct sonde_dif_insn record = { .op = SONDE_DIF_RECORD };
	struct client c;

	if (open_client(&c))
		return -1;
	if (any() % 8) {
		ask(&c, SONDE_BUFFERS, any() % SONDE_POLICY_COUNT,
		    4096 << any() % 6);
		for (uint32_t id = 0; id < 4; id++)
			load_words(&c, id, &record, 1, 0);
		ask(&c, SONDE_ATTACH, 0, children[any() % CHILDREN]);
		ask(&c, SONDE_GO, 0, 0);
	}
	return c.fd;
}

static void replace(int n)
{
	int old = __atomic_exchange_n(&fds[n], open_one(), __ATOMIC_SEQ_CST);

	if (old >= 0)
		close(old);
}

static void *fuzz(void *number)
{
	struct client c = {};

	random_state = first_state + 7919 * (uintptr_t)number;
	while (now() < end || granted < LEAST) {
		int n = any() % SESSIONS;

		c.fd = fds[n];
		switch (any() % 64) {
		case 0:
			replace(n);
			break;
		case 1:
			look_into_ring(&c);
			break;
		case 2:
			read_events(&c);
			break;
		case 3:
			release(&c);
			break;
		default:
			random_request(&c);
		}
	}
	return NULL;
}

static void child_process(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	for (unsigned int n = 0;; n++) {
		pid_t pid = n % 4 ? 0 : fork();

		if (pid == 0 && n % 4 == 0) {
			execl("/bin/true", "true", NULL);
			_exit(1);
		}
		function();
		syscall(SYS_getppid, "some", "/some/text");
		close(openat(AT_FDCWD, "/proc/self/no", O_RDONLY));
		kill(getpid(), SIGUSR1);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

static void everything(double seconds)
{
	pthread_t threads[THREADS];

	for (int n = 0; n < CHILDREN; n++) {
		children[n] = fork();
		if (children[n] == 0)
			child_process();
	}
	for (int n = 0; n < SESSIONS; n++)
		fds[n] = open_one();
	end = now() + seconds * SECOND;
	for (uintptr_t n = 0; n < THREADS; n++)
		pthread_create(&threads[n], NULL, fuzz, (void *)(n + 1));
	for (int n = 0; n < THREADS; n++)
		pthread_join(threads[n], NULL);
	for (int n = 0; n < SESSIONS; n++)
		close(fds[n]);
	for (int n = 0; n < CHILDREN; n++) {
		kill(children[n], SIGKILL);
		CHECK(waitpid(children[n], NULL, 0) == children[n], "wait");
	}
	printf("fuzz: user %d: %lu requests, %lu granted\n", getuid(), requests,
	       granted);
}

static double seconds;

static void as_root(void)
{
	everything(seconds / 3);
}

static void as_nobody(void)
{
	drop_root();
	everything(seconds);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	seconds = argc > 1 ? atof(argv[1]) : 7.5;
	first_state = seed(argc > 2 ? argv[2] : NULL);
	printf("fuzz: seed %lu, %.1f s as root, %.1f s as user 65534\n", first_state,
	       seconds / 3, seconds);
	CHECK(chmod("/dev/sonde", 0666) == 0, "chmod");
	run_apart(as_root);
	run_apart(as_nobody);
	CHECK(chmod("/dev/sonde", 0600) == 0, "chmod");
	CHECK(SOON(allocated(NULL) == 0), "%lu bytes are left", allocated(NULL));
	return verdict("fuzz");
}
