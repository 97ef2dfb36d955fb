// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions are killed at any moment: during a request, during an overload,
 * while they hold threads. Nothing of them is left
 *
 * usage: killed [SECONDS]
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <sys/syscall.h>

#include "child.h"

enum { SESSIONS = 8, LOADS = 3 };

static const struct sonde_dif_insn text[] = {
	{ SONDE_DIF_LDT, 1, 0, 0, 0 },	  { SONDE_DIF_LI, 2, 0, 0, 1 },
	{ SONDE_DIF_ADD, 1, 1, 2, 0 },	  { SONDE_DIF_STT, 0, 1, 0, 0 },
	{ SONDE_DIF_ARG, 0, 0, 0, 1 },	  { SONDE_DIF_CAPSTR, 0, 0, 0, 64 },
	{ SONDE_DIF_CAPW, 1, 1, 0, 0 },	  { .op = SONDE_DIF_RECORD },
};
static const uint8_t text_kinds[] = { SONDE_SLOT_TEXT, SONDE_SLOT_WORD };
static const uint32_t calls[] = {
	SYS_getppid, SYS_openat, SYS_clone, SYS_wait4, SYS_kill, SYS_nanosleep,
	SYS_exit_group, SYS_read,
};

static volatile struct shared {
	uint64_t turns[LOADS];
	pid_t loads[LOADS];
} *shared;
static uint64_t function_offset; /* of probed() */
static char our_file[SONDE_PATH_MAX];

__asm__("probed: mov %rdi, %rax\n"
	"	shr %rdi\n"
	"probed_again: jnz probed\n"
	"probed_return: ret\n");
uint64_t probed(uint64_t n);
extern char probed_again[], probed_return[];

/* Does what can be traced: calls, children, their ends, signals, a function, mappings. */
static void load(int n)
{
	int file = open("/bin/true", O_RDONLY);
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
				file, 0);
		pid_t pid = fork();

		if (pid == 0) {
			if (random() % 16 == 0)
				execl("/bin/true", "true", NULL);
			_exit(probed(n));
		}
		for (int i = 0; i < 50; i++) {
			syscall(SYS_getppid, i, "/some/text");
			probed(i);
		}
		close(open("/proc/self/no", O_RDONLY));
		if (read(-1, &byte, 1) != -1)
			_exit(1);
		if (random() % 4 == 0)
			kill(pid, SIGTERM);
		waitpid(pid, NULL, 0);
		munmap(at, 4096);
		shared->turns[n]++;
	}
}

/* An instruction of a random kind, which may not be the real one. */
static void any_instruction(struct sonde_tap *tap)
{
	const char *const at[] = { (char *)probed, probed_again,
				   probed_return };

	tap->function = function_offset;
	tap->offset = function_offset + (at[random() % 3] - (char *)probed);
	tap->leave.how = random() % SONDE_LEAVE_COUNT;
	tap->leave.condition = 5;
	tap->leave.flags = SONDE_LEAVE_MEMORY;
	tap->leave.base = random() % 16;
	tap->leave.index = SONDE_LEAVE_NO_REGISTER;
}

/* A tap of any kind. It may be refused. */
static void any_tap(struct client *c, uint32_t id, bool held)
{
	struct sonde_tap tap = { .kind = random() % SONDE_TAP_KIND_COUNT,
				 .id = id, .probe = id };
	struct sonde_ecb ecb = { id, id, 1 + random() % 2,
				 held ? SONDE_ECB_HELD : 0 };
	const char *path = NULL;

	switch (tap.kind) {
	case SONDE_TAP_SYSCALL_ENTRY:
	case SONDE_TAP_SYSCALL_RETURN:
		tap.number = random() % 4 ? calls[random() % 8] :
					    random() % 330;
		break;
	case SONDE_TAP_USER_ENTRY:
	case SONDE_TAP_USER_RETURN:
	case SONDE_TAP_USER_OFFSET:
		any_instruction(&tap);
		path = our_file;
		break;
	case SONDE_TAP_PROFILE:
	case SONDE_TAP_TICK:
		tap.offset = 500000 + random() % 5000000;
		break;
	}
	add_ecb(c, ecb);
	arm_tap(c, tap, path);
}

static struct client c;

/* Releases some threads; the others stay held until the session dies. */
static void release(const struct sonde_record *record)
{
	if ((record->flags & SONDE_RECORD_HELD) && random() % 4)
		ask(&c, SONDE_RELEASE, record->tid, 0);
}

/* Reads events, also those for which a thread waits. */
static void read_events(void)
{
	char bytes[8192];
	const struct sonde_event *event = (void *)bytes;

	while (read(c.fd, bytes, sizeof(bytes)) > 0)
		if (event->kind == SONDE_EVENT_MAPPED && event->value &&
		    random() % 8)
			ask(&c, SONDE_ACKNOWLEDGE, event->value, 0);
}

/* Does everything a client does, until it is killed. */
static void session(void)
{
	/* Without targets it would also hold the process that is to kill it. */
	bool held = random() % 3 == 0;
	uint32_t id = 1;

	open_client(&c);
	make_policy(&c, 4096ull << random() % 9, random() % SONDE_POLICY_COUNT);
	load_words(&c, 1, INSNS(word1), 1);
	load_kinds(&c, 2, INSNS(text), 2, text_kinds);
	for (int n = 0; n < LOADS; n++)
		if ((held || random() % 4 == 0) &&
		    !attach(&c, shared->loads[n]) && random() % 2)
			ask(&c, SONDE_FOLLOW, 0, shared->loads[n]);
	while (id < 8)
		any_tap(&c, id++, held && random() % 2);
	ask(&c, SONDE_GO, 0, 0);
	/* The session ends with its last descriptor. */
	if (random() % 4 == 0 && fork() == 0)
		prctl(PR_SET_NAME, "heir");
	for (;;) {
		uint32_t old = 1 + random() % (id - 1);

		switch (random() % 8) {
		case 0:
			any_tap(&c, id++, held && random() % 2);
			break;
		case 1:
			disarm(&c, old);
			break;
		case 2:
			request(&c, SONDE_ECB_REMOVE, 0, 1, &old, sizeof(old),
				NULL, 0);
			break;
		case 3:
			ask(&c, SONDE_DETACH, 0,
			    shared->loads[random() % LOADS]);
			break;
		default:
			read_events();
			drain(&c, release);
			usleep(random() % 500);
		}
	}
}

static pid_t start(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		setpgid(0, 0);
		srandom(getpid());
		session();
	}
	setpgid(pid, pid);
	return pid;
}

/*
 * Kills sessions until the time is over and every slot was used: that takes
 * long on a debug kernel. Returns their number.
 */
static uint64_t kill_sessions(uint64_t end)
{
	pid_t pids[SESSIONS] = { 0 };
	uint64_t killed = 0;

	for (int n = 0; now() < end || !killed; n = (n + 1) % SESSIONS) {
		int next = (n + SESSIONS / 2) % SESSIONS;

		/* A killed process needs time to end, and gets it. */
		if (pids[n]) {
			CHECK(waitpid(pids[n], NULL, 0) == pids[n], "wait");
			killed++;
		}
		pids[n] = start();
		usleep(random() % (random() % 4 ? 10000 : 100000));
		if (pids[next])
			kill(-pids[next], SIGKILL);
	}
	for (int n = 0; n < SESSIONS && pids[n]; n++) {
		kill(-pids[n], SIGKILL);
		waitpid(pids[n], NULL, 0);
		killed++;
	}
	return killed;
}

/* Number of lines of a file of the kernel. */
static uint64_t lines_of(const char *path)
{
	FILE *file = fopen(path, "r");
	uint64_t lines = 0;
	int c;

	CHECK(file, "%s", path);
	while (file && (c = getc(file)) != EOF)
		lines += c == '\n';
	if (file)
		fclose(file);
	return lines;
}

/* Number of sessions other than ours; those of killed processes end with their last child. */
static uint64_t sessions_left(void)
{
	struct sonde_session_info info[64];
	struct client own;
	uint64_t left;

	GRANTED(&own, open_client(&own));
	GRANTED(&own, request(&own, SONDE_SESSIONS, 0, 0, NULL, 0, info,
			      sizeof(info)));
	left = own.last.reply.value - 1;
	close_client(&own);
	return left;
}

#define HOOKED "/sys/kernel/tracing/enabled_functions"

static void torture(double seconds)
{
	uint64_t hooked = lines_of(HOOKED), killed;
	uint64_t left;

	killed = kill_sessions(now() + seconds * SECOND);
	CHECK(SOON(sessions_left() == 0), "%lu sessions", sessions_left());
	CHECK(SOON(lines_of(HOOKED) == hooked),
	      "%lu functions are hooked, not %lu", lines_of(HOOKED), hooked);
	/* No thread is held any more. */
	for (int n = 0; n < LOADS; n++) {
		uint64_t turns = shared->turns[n];

		CHECK(SOON(shared->turns[n] != turns), "load %d stands", n);
	}
	CHECK(SOON((left = allocated(NULL)) == 0),
	      "%lu bytes of no session are left", left);
	printf("killed: %lu sessions, %lu turns of what they traced\n", killed,
	       shared->turns[0]);
	CHECK(killed > SESSIONS, "only %lu", killed);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	shared = share(sizeof(*shared));
	function_offset =
		function_tap(SONDE_TAP_USER_ENTRY, probed, our_file).offset;
	for (int n = 0; n < LOADS; n++) {
		pid_t pid = fork();

		if (pid == 0)
			load(n);
		shared->loads[n] = pid;
	}
	torture(argc > 1 ? atof(argv[1]) : 10);
	for (int n = 0; n < LOADS; n++)
		kill(shared->loads[n], SIGKILL);
	return verdict("killed");
}
