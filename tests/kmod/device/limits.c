// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of a session and of a user, and what they get when they reach them
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <stdbool.h>

#include "child.h"

static struct client c;

/* A file of the child, with a name longer than the buffer of read(). */
static int map_long_name(void)
{
	char path[4096] = "/tmp", name[201];
	int file;

	memset(name, 'x', 200);
	name[200] = 0;
	for (int n = 0; n < 10; n++) {
		strcat(path, "/");
		strcat(path, name);
		mkdir(path, 0755);
	}
	strcat(path, "/f");
	file = open(path, O_CREAT | O_RDWR, 0755);
	if (file < 0 || ftruncate(file, 4096))
		return 1;
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED)
		return 2;
	sleep(60);
	return 3;
}

static void read_no_more_than_asked(void)
{
	/* the least that read() accepts */
	enum { ROOM = sizeof(struct sonde_event) +
		      sizeof(((struct sonde_reply *)0)->why) };
	struct child child;
	char buffer[8192];
	ssize_t got, most = 0;
	int refused = 0;

	GRANTED(&c, open_session(&c, 4096));
	child = start_child(&c, map_long_name);
	GRANTED(&c, attach(&c, child.pid));
	go(&c);
	open_gate(&child);
	memset(buffer, 'y', sizeof(buffer));
	for (uint64_t end = now() + 60 * SECOND; !refused && now() < end;
	     usleep(1000))
		while ((got = read(c.fd, buffer, ROOM)) != -1 || errno != EAGAIN) {
			refused = got < 0 && errno == EMSGSIZE;
			if (got > most)
				most = got;
			if (refused)
				break;
		}
	CHECK(refused, "the long event never came");
	CHECK(most <= ROOM, "%zd bytes of %d", most, ROOM);
	for (int n = ROOM; n < (int)sizeof(buffer); n++)
		if (buffer[n] != 'y') {
			CHECK(0, "byte %d is written", n);
			break;
		}
	CHECK(read(c.fd, buffer, sizeof(buffer)) > 2000, "it is gone");
	kill(child.pid, SIGKILL);
	CHECK_KILLED(&child);
	close_client(&c);
}

static uint64_t slot0;

static void see_slot(const struct sonde_record *r)
{
	if (r->epid == 2)
		slot0 = r->slot[0];
}

/* A slot whose only capture comes after a RECORD is 0, with native code, too. */
static void slot_behind_a_record(void)
{
	static const struct sonde_dif_insn dirty[] = {
		{ SONDE_DIF_LI, 0, 0, 0, 0x5a5a5a },
		{ SONDE_DIF_CAPW, 0, 0, 0, 0 },
		{ .op = SONDE_DIF_FAIL },
	};
	static const struct sonde_dif_insn clean[] = {
		{ .op = SONDE_DIF_RECORD },
		{ SONDE_DIF_LI, 0, 0, 0, 1 },
		{ SONDE_DIF_CAPW, 0, 0, 0, 0 },
		{ .op = SONDE_DIF_RECORD },
	};

	GRANTED(&c, open_session(&c, 4096));
	GRANTED(&c, load_words(&c, 1, INSNS(dirty), 1));
	GRANTED(&c, load_words(&c, 2, INSNS(clean), 1));
	GRANTED(&c, arm_kind(&c, 1, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid));
	GRANTED(&c, add_ecb(&c, (struct sonde_ecb){ 2, 1, 2, 0 }));
	go(&c);
	slot0 = 1;
	syscall(SYS_getppid);
	CHECK(drain(&c, see_slot) == 1 && slot0 == 0, "slot 0 is 0x%lx", slot0);
	close_client(&c);
}

static int add_ecbs(uint32_t first, uint32_t count)
{
	struct sonde_ecb *all = calloc(count, sizeof(*all));
	int err;

	for (uint32_t n = 0; n < count; n++) /* the last comes first */
		all[n] = (struct sonde_ecb){ first + count - 1 - n, 1, 1, 0 };
	err = request(&c, SONDE_ECB_ADD, 0, count, all, count * sizeof(*all),
		      NULL, 0);
	free(all);
	return err;
}

static uint32_t last_epid, disorder;

static void see_order(const struct sonde_record *r)
{
	disorder += r->epid <= last_epid;
	last_epid = r->epid;
}

static uint64_t fire(void)
{
	last_epid = disorder = 0;
	syscall(SYS_getppid);
	return drain(&c, see_order);
}

/*
 * Many ECBs on one probe: each fires once, in order, and so do those that are
 * left after removals.
 */
static void many_ecbs(void)
{
	uint32_t odd[200], n;

	GRANTED(&c, open_session(&c, 1 << 20));
	GRANTED(&c, load_words(&c, 1, INSNS(word0), 1));
	GRANTED(&c, add_ecbs(201, 200));
	GRANTED(&c, add_ecbs(401, 200));
	GRANTED(&c, add_ecbs(1, 200)); /* before the others */
	GRANTED(&c, arm_tap(&c, (struct sonde_tap){
		.id = 1, .probe = 1, .kind = SONDE_TAP_SYSCALL_ENTRY,
		.number = SYS_getppid }, NULL));
	go(&c);
	CHECK(fire() == 600 && !disorder, "%u out of order", disorder);
	for (n = 0; n < LENGTH(odd); n++)
		odd[n] = 2 * n + 1;
	GRANTED(&c, request(&c, SONDE_ECB_REMOVE, 0, LENGTH(odd), odd, sizeof(odd), NULL,
			    0));
	CHECK(fire() == 400 && !disorder, "%u out of order", disorder);
	GRANTED(&c, add_ecbs(1001, 100));
	CHECK(fire() == 500 && !disorder, "%u out of order", disorder);
	for (n = 1; n <= 1100; n++)
		request(&c, SONDE_ECB_REMOVE, 0, 1, &n, sizeof(n), NULL, 0);
	CHECK(fire() == 0, "removed, and fires");
	GRANTED(&c, add_ecbs(1, 1));
	CHECK(fire() == 1, "added again, and does not fire");
	CHECK(add_ecbs(2, 4096) == -E2BIG, "4097 clauses");
	CHECK(fire() == 1, "some of a refused request are there");
	close_client(&c);
}

/* The cost of one firing is limited. */
static void costly_firings(void)
{
	struct sonde_dif_insn code[SONDE_MAX_SLOTS + 1] = {};
	uint8_t kinds[SONDE_MAX_SLOTS];
	uint32_t n;

	for (n = 0; n < SONDE_MAX_SLOTS; n++) {
		code[n] = (struct sonde_dif_insn){ SONDE_DIF_CAPSTACK, n, 0, 0,
						   SONDE_DIF_MAX_FRAMES };
		kinds[n] = SONDE_SLOT_STACK;
	}
	code[n].op = SONDE_DIF_RECORD;
	GRANTED(&c, open_session(&c, 4096));
	GRANTED(&c, load_kinds(&c, 1, INSNS(code), SONDE_MAX_SLOTS, kinds));
	CHECK(add_ecbs(1, 4) == -E2BIG && strstr(c.last.reply.why, "instructions"),
	      "256 walks of the stack in one firing: %s", c.last.reply.why);
	GRANTED(&c, add_ecbs(1, 3));
	close_client(&c);
}

/* A member's limit is a tenth of root's. */
static void members_cost_less(void)
{
	static struct sonde_dif_insn code[4001];

	for (uint32_t n = 0; n < 4000; n++)
		code[n] = (struct sonde_dif_insn){ SONDE_DIF_VAR, 0, 0, 0,
						   SONDE_DIF_VAR_UID };
	code[4000].op = SONDE_DIF_RECORD;
	GRANTED(&c, open_session(&c, 4096));
	GRANTED(&c, load_words(&c, 1, INSNS(code), 0));
	CHECK(add_ecbs(1, 13) == -E2BIG, "13 times 32,001 instructions");
	GRANTED(&c, add_ecbs(1, 12));
	close_client(&c);
}

static uint64_t of_probe[4];

static void see_probe(const struct sonde_record *r)
{
	of_probe[r->probe]++;
}

static __attribute__((noinline)) void function(void)
{
	__asm__ volatile("" ::: "memory");
}

/* So is the cost of all that fire at one place; the others are counted as drops. */
static void costly_sites(uint32_t kind)
{
	enum { EACH = 92 }; /* of 32,001 instructions, so 2.9 million together */
	static struct sonde_dif_insn code[4001];
	static struct sonde_ecb ecbs[2 * EACH + 1];
	bool user = kind == SONDE_TAP_USER_ENTRY;
	char path[SONDE_PATH_MAX];
	struct sonde_tap tap = function_tap(kind, function, path);
	uint32_t n;

	if (!user)
		tap = (struct sonde_tap){ .kind = kind, .number = SYS_getppid };
	memset(of_probe, 0, sizeof(of_probe));
	for (n = 0; n < 4000; n++)
		code[n] = (struct sonde_dif_insn){ SONDE_DIF_VAR, 0, 0, 0,
						   SONDE_DIF_VAR_UID };
	code[n].op = SONDE_DIF_RECORD;
	for (n = 0; n < LENGTH(ecbs); n++)
		ecbs[n] = (struct sonde_ecb){ n + 1, n / EACH + 1, n / (2 * EACH) + 1,
					      0 };
	GRANTED(&c, open_session(&c, 65536));
	GRANTED(&c, load_words(&c, 1, INSNS(code), 0));
	GRANTED(&c, load_words(&c, 2, INSNS(word0), 1));
	GRANTED(&c, request(&c, SONDE_ECB_ADD, 0, LENGTH(ecbs), ecbs,
			    sizeof(ecbs), NULL, 0));
	GRANTED(&c, attach(&c, getpid()));
	for (n = 1; n <= 3; n++) {
		tap.id = tap.probe = n;
		GRANTED(&c, arm_tap(&c, tap, user ? path : NULL));
	}
	go(&c);
	syscall(SYS_getppid);
	function();
	drain(&c, see_probe);
	CHECK(of_probe[1] == EACH && of_probe[2] == 0 && of_probe[3] == 1,
	      "%lu, %lu and %lu records", of_probe[1], of_probe[2],
	      of_probe[3]);
	CHECK(all_drops(&c) == EACH, "%lu drops", all_drops(&c));
	close_client(&c);
}

/* A function whose frame table has 500 steps: it calls itself, then makes a system call. */
__asm__(".text\n"
	".type winding, @function\n"
	"winding: .cfi_startproc\n"
	"push %rbx\n"
	".cfi_def_cfa_offset 16\n"
	".rept 250\n"
	".cfi_remember_state\n"
	".cfi_restore_state\n"
	".endr\n"
	"dec %edi\n"
	"js 1f\n"
	"call winding\n"
	"jmp 2f\n"
	"1: mov $110, %eax\n" /* getppid */
	"syscall\n"
	"2: pop %rbx\n"
	".cfi_def_cfa_offset 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size winding, . - winding\n");
void winding(int depth);

/* The same with a table of the compiler. */
static __attribute__((noinline)) void plain(int depth)
{
	if (depth)
		plain(depth - 1);
	else
		syscall(SYS_getppid);
	__asm__ volatile("" ::: "memory"); /* prevents a tail call */
}

static uint32_t frames;

static void see_frames(const struct sonde_record *r)
{
	frames = SONDE_SPAN_LENGTH(r->slot[0]) / sizeof(uint64_t);
}

static uint32_t frames_of(void (*function)(int), int depth)
{
	frames = 0;
	function(depth);
	CHECK(drain(&c, see_frames) == 1, "no record");
	return frames;
}

/* The walk of a stack is limited, whatever the tables of the program contain. */
static void costly_walks(void)
{
	static const struct sonde_dif_insn code[] = {
		{ SONDE_DIF_CAPSTACK, 0, 0, 0, SONDE_DIF_MAX_FRAMES },
		{ .op = SONDE_DIF_RECORD },
	};
	static const uint8_t kind = SONDE_SLOT_STACK;

	GRANTED(&c, open_session(&c, 65536));
	GRANTED(&c, load_kinds(&c, 1, INSNS(code), 1, &kind));
	GRANTED(&c, arm_kind(&c, 1, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid));
	GRANTED(&c, attach(&c, getpid()));
	go(&c);
	CHECK(frames_of(plain, 250) >= 250, "%u frames", frames);
	CHECK(frames_of(winding, 10) >= 11, "%u frames", frames);
	CHECK(frames_of(winding, 250) >= 20 && frames < 40,
	      "%u frames of 500 steps", frames);
	close_client(&c);
}

enum { DEPTH = 40, ASKED = 3000 };

static volatile int over;
static void *volatile *return_address; /* of a frame in the middle */
static void *returns_to;
static uint64_t unlike;

/* The stack ends there, or continues. */
static void *cut_the_stack(void *unused)
{
	while (!over) {
		*return_address = NULL;
		*return_address = returns_to;
	}
	return unused;
}

static __attribute__((noinline)) void call_below(int depth)
{
	void *volatile *frame = __builtin_frame_address(0);
	pthread_t thread;

	if (depth == DEPTH / 2) {
		return_address = frame + 1;
		returns_to = *return_address;
	}
	if (depth) {
		call_below(depth - 1);
		__asm__ volatile("" ::: "memory"); /* prevents a tail call */
		return;
	}
	over = 0;
	pthread_create(&thread, NULL, cut_the_stack, NULL);
	for (int n = 0; n < 20; n++)
		syscall(SYS_getppid);
	over = 1;
	pthread_join(thread, NULL);
}

static void see_depths(const struct sonde_record *r)
{
	unlike += r->slot[0] != r->slot[1] || r->slot[0] < 2;
}

/* The stack is walked once per firing, even if several programs read its depth. */
static void one_depth_a_firing(void)
{
	static struct sonde_dif_insn code[ASKED + 3];
	uint32_t n;

	for (n = 0; n < ASKED; n++)
		code[n] = (struct sonde_dif_insn){
			SONDE_DIF_VAR, n > 0, 0, 0, SONDE_DIF_VAR_USTACKDEPTH };
	code[n++] = (struct sonde_dif_insn){ SONDE_DIF_CAPW, 0, 0, 0, 0 };
	code[n++] = (struct sonde_dif_insn){ SONDE_DIF_CAPW, 1, 1, 0, 0 };
	code[n++].op = SONDE_DIF_RECORD;
	GRANTED(&c, open_session(&c, 4096));
	GRANTED(&c, load_words(&c, 1, INSNS(code), 2));
	GRANTED(&c, arm_kind(&c, 1, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid));
	GRANTED(&c, attach(&c, getpid()));
	go(&c);
	unlike = 0;
	call_below(DEPTH);
	CHECK(drain(&c, see_depths) == 20 && unlike == 0,
	      "%lu firings saw two depths", unlike);
	close_client(&c);
}

/* A discarded signal whose receiver never runs again is counted as a drop. */
static void lost_with_its_receiver(void)
{
	struct child child;
	siginfo_t info;

	GRANTED(&c, open_session(&c, 65536));
	GRANTED(&c, load_words(&c, 1, INSNS(word0), 1));
	GRANTED(&c, arm_kind(&c, 1, SONDE_TAP_SIGNAL_DISCARD, 0));
	GRANTED(&c, add_ecb(&c, (struct sonde_ecb){ 2, 1, 1, 0 }));
	child = start_child(&c, getppid);
	go(&c);
	open_gate(&child);
	CHECK(waitid(P_PID, child.pid, &info, WEXITED | WNOWAIT) == 0, "wait");
	drain(&c, NULL);
	CHECK(all_drops(&c) == 0, "%lu drops before", all_drops(&c));
	CHECK(kill(child.pid, SIGURG) == 0, "kill");
	CHECK(all_drops(&c) == 2, "%lu drops of two records", all_drops(&c));
	waitpid(child.pid, NULL, 0);
	close(child.gate);
	close_client(&c);
}

static void many_timers(void)
{
	struct sonde_tap tap = { .probe = 1, .kind = SONDE_TAP_TICK,
				 .offset = SECOND };

	GRANTED(&c, open_session(&c, 4096));
	for (tap.id = 1; tap.id <= 64; tap.id++)
		GRANTED(&c, arm_tap(&c, tap, NULL));
	CHECK(arm_tap(&c, tap, NULL) == -E2BIG, "65 timers");
	close_client(&c);
}

/* Taps at one place: many are armed and disarmed at once, in any order. */
static void many_taps(void)
{
	static struct sonde_tap taps[4097];
	static uint32_t ids[4096];

	GRANTED(&c, open_session(&c, 1 << 20));
	GRANTED(&c, load_words(&c, 1, INSNS(word0), 1));
	GRANTED(&c, add_ecbs(1, 1));
	for (uint32_t n = 0; n < LENGTH(taps); n++)
		taps[n] = (struct sonde_tap){
			.id = n + 1, .probe = 1,
			.kind = SONDE_TAP_SYSCALL_ENTRY, .number = SYS_getppid };
	CHECK(request(&c, SONDE_TAP_ARM, 0, 4097, taps, sizeof(taps), NULL,
		      0) == -E2BIG, "4097 taps at one place");
	GRANTED(&c, request(&c, SONDE_TAP_ARM, 0, 300, taps,
			    300 * sizeof(*taps), NULL, 0));
	go(&c);
	syscall(SYS_getppid);
	CHECK(drain(&c, NULL) == 300, "not each tap fires once");
	for (uint32_t n = 0; n < 150; n++)
		ids[n] = 2 * n + 1;
	GRANTED(&c, request(&c, SONDE_TAP_DISARM, 0, 150, ids,
			    150 * sizeof(*ids), NULL, 0));
	syscall(SYS_getppid);
	CHECK(drain(&c, NULL) == 150, "not each that is left fires once");
	close_client(&c);
}

/* A session with a program; returns the size of its native code. */
static uint64_t native_code(void)
{
	uint64_t bytes;

	GRANTED(&c, open_session(&c, 4096));
	GRANTED(&c, load_words(&c, 1, INSNS(word0), 1));
	CHECK(seteuid(0) == 0, "seteuid");
	bytes = allocated("native code");
	close_client(&c);
	CHECK(allocated("native code") == 0, "native code is left");
	return bytes;
}

/* A program of a member is not compiled to kernel code; it is interpreted. */
static void native_for_who_may(void)
{
	CHECK(native_code() > 0, "root's program has no native code");
	CHECK(seteuid(65534) == 0, "seteuid");
	CHECK(native_code() == 0, "a member's program has native code");
}

/* The same for taps on an instruction of a program. */
static void many_user_taps(void)
{
	static struct {
		struct sonde_tap taps[4097];
		char path[SONDE_PATH_MAX];
	} all;
	struct sonde_tap one = function_tap(SONDE_TAP_USER_ENTRY, function,
					    all.path);
	uint32_t length = strlen(all.path);

	for (uint32_t n = 0; n < LENGTH(all.taps); n++) {
		all.taps[n] = one;
		all.taps[n].id = n + 1;
		all.taps[n].probe = 1;
	}
	all.taps[0].path_length = length;
	GRANTED(&c, open_session(&c, 4096));
	GRANTED(&c, attach(&c, getpid()));
	CHECK(request(&c, SONDE_TAP_ARM, 0, 4097, &all,
		      sizeof(all.taps) + length, NULL, 0) == -E2BIG,
	      "4097 taps at one instruction");
	close_client(&c);
}

/* Whether every task of the machine runs through our hooks. */
static int all_pay(FILE *status)
{
	char line[512];
	int all = -1;

	rewind(status);
	while (fgets(line, sizeof(line), status))
		if (strncmp(line, "calls:", 6) == 0)
			all = strstr(line, "every task") != NULL;
	return all;
}

/* A session that traces no task makes no task pay for its taps. */
static void only_targets_pay(void)
{
	FILE *status = fopen("/proc/sonde", "r");

	CHECK(status && setvbuf(status, NULL, _IONBF, 0) == 0, "/proc/sonde");
	for (int member = 0; member < 2; member++) {
		CHECK(seteuid(member ? 65534 : 0) == 0, "seteuid");
		GRANTED(&c, open_session(&c, 4096));
		GRANTED(&c, load_words(&c, 1, INSNS(word0), 1));
		GRANTED(&c, arm_kind(&c, 1, SONDE_TAP_SYSCALL_ENTRY,
				     SYS_getppid));
		CHECK(all_pay(status) == !member, "%s: %d", member ?
		      "a member's" : "root's", all_pay(status));
		close_client(&c);
	}
	CHECK(seteuid(0) == 0, "seteuid");
	fclose(status);
}

enum { MAPS = 3000 }; /* of 2 KiB and more each */

/* As map_long_name(), but too often to keep all events. */
static int map_often(void)
{
	char path[4096] = "/tmp", name[201];
	int file;

	memset(name, 'x', 200);
	name[200] = 0;
	for (int n = 0; n < 10; n++) {
		strcat(path, "/");
		strcat(path, name);
	}
	strcat(path, "/f");
	file = open(path, O_RDONLY);
	for (int n = 0; n < MAPS; n++) {
		void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
				file, 0);

		if (at == MAP_FAILED)
			return 1;
		munmap(at, 4096);
	}
	return 0;
}

/* Unread events are kept up to a limit; the rest is counted as lost. */
static void unread_events(void)
{
	char packet[8192];
	const struct sonde_event *event = (void *)packet;
	uint32_t mapped = 0, lost = 0, count;
	struct child child;

	GRANTED(&c, open_session(&c, 4096));
	child = start_child(&c, map_often);
	GRANTED(&c, attach(&c, child.pid));
	go(&c);
	open_gate(&child);
	CHECK_EXIT(&child, 0);
	while (read(c.fd, packet, sizeof(packet)) > 0) {
		mapped += event->kind == SONDE_EVENT_MAPPED;
		if (event->kind == SONDE_EVENT_NOTICE &&
		    sscanf(packet + sizeof(*event), "%u events were lost",
			   &count) == 1)
			lost += count;
	}
	CHECK(mapped > 1000 && mapped < 2200 && mapped + lost >= MAPS,
	      "%u of %u events are kept, %u are lost", mapped, MAPS, lost);
	close_client(&c);
}

/*
 * What a user's sessions take together is limited, and does not limit others
 */

#define MIB (1ull << 20)
enum { ONE = 65534, OTHER = 65533 }; /* users */

static int open_as(struct client *client, uid_t user)
{
	int err;

	CHECK(setresuid(user, user, 0) == 0, "setresuid");
	err = open_client(client);
	CHECK(setresuid(0, 0, 0) == 0, "setresuid");
	return err;
}

/* Loads programs until one is refused. Returns their bytes. */
static uint64_t load_until_refused(struct client *client, int *err)
{
	static const struct sonde_dif_insn insn = { .op = SONDE_DIF_FAIL };
	static uint8_t pool[SONDE_DIF_MAX_POOL];
	const struct sonde_dif_program large = {
		.insns = &insn, .length = 1, .pool = pool,
		.pool_size = sizeof(pool) };
	uint32_t id = 1;

	while (id < 100000 && !(*err = load_program(client, id, &large)))
		id++;
	return (id - 1) * sizeof(pool);
}

static void users_programs(void)
{
	struct client first, second, others;
	uint64_t bytes;
	int err;

	GRANTED(&first, open_as(&first, ONE));
	GRANTED(&second, open_as(&second, ONE));
	GRANTED(&others, open_as(&others, OTHER));
	bytes = load_until_refused(&first, &err);
	CHECK(err == -ENOMEM && bytes > 60 * MIB && bytes <= 64 * MIB,
	      "%lu bytes of programs, then %d", bytes, err);
	bytes = load_until_refused(&second, &err);
	CHECK(err == -ENOMEM && bytes == 0, "%lu bytes in a second session",
	      bytes);
	GRANTED(&others, load_words(&others, 1, INSNS(word0), 1));
	close_client(&first);
	bytes = load_until_refused(&second, &err);
	CHECK(bytes > 60 * MIB, "%lu bytes after the first has ended", bytes);
	close_client(&second);
	close_client(&others);
}

static struct client unread[6]; /* sessions, of more events than their user may have */

static void make_events(uint32_t sessions)
{
	struct child child = start_child(&c, map_often);

	for (uint32_t n = 0; n < sessions; n++) {
		GRANTED(&unread[n], open_session(&unread[n], 4096));
		GRANTED(&unread[n], attach(&unread[n], child.pid));
		go(&unread[n]);
	}
	open_gate(&child);
	CHECK_EXIT(&child, 0);
}

/* Returns the bytes of what they kept. */
static uint64_t read_events(uint32_t sessions)
{
	uint64_t bytes = 0;
	char packet[8192];
	ssize_t got;

	for (uint32_t n = 0; n < sessions; n++) {
		while ((got = read(unread[n].fd, packet, sizeof(packet))) > 0)
			bytes += got;
		close_client(&unread[n]);
	}
	return bytes;
}

static void of_other_user(void)
{
	uint64_t bytes;

	if (setgid(OTHER) || setuid(OTHER))
		_exit(2);
	prctl(PR_SET_DUMPABLE, 1);
	make_events(1);
	bytes = read_events(1);
	CHECK(bytes > 3 * MIB, "another user keeps %lu bytes", bytes);
}

static void users_events(void)
{
	struct child other = fork_child(&c);
	uint64_t bytes;

	if (!other.pid) {
		await_gate(&other);
		of_other_user();
		fflush(stdout);
		_exit(failures != 0);
	}
	drop_root();
	make_events(LENGTH(unread));
	open_gate(&other);
	CHECK_EXIT(&other, 0);
	bytes = read_events(LENGTH(unread));
	CHECK(bytes > 12 * MIB && bytes <= 16 * MIB,
	      "%lu bytes of events of one user", bytes);
}

/*
 * In a user namespace of his own a user would have as many limits as he has
 * subordinate uids: none of them may open the device there.
 */

static uint32_t *stage; /* shared: 1: the namespace is there; 2: there is none here; 3: it has a map */

static void open_as_subordinate(uid_t user)
{
	struct client inside;

	if (setresuid(user, user, user))
		_exit(3);
	_exit(open_client(&inside) == -EPERM ? 0 : 4);
}

static int in_own_namespace(void)
{
	int status;
	pid_t pid;

	drop_root();
	*stage = unshare(CLONE_NEWUSER) ? 2 : 1;
	if (*stage == 2 || !SOON(*stage == 3))
		return *stage;
	for (uid_t user = 0; user < 4; user++) {
		pid = fork();
		if (!pid)
			open_as_subordinate(user);
		if (waitpid(pid, &status, 0) != pid || status)
			return 10 + user;
	}
	return 0;
}

/* As newuidmap does it. */
static void write_map(pid_t pid, const char *map, const char *text)
{
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, map);
	file = open(path, O_WRONLY);
	CHECK(file >= 0 && write(file, text, strlen(text)) > 0, "%s: %s", path,
	      strerror(errno));
	close(file);
}

static void subordinate_users(void)
{
	struct child child;

	stage = share(4096);
	child = start_child(&c, in_own_namespace);
	open_gate(&child);
	CHECK(SOON(*stage), "no namespace");
	if (*stage == 2) {
		printf("limits: no user namespaces here\n");
		CHECK_EXIT(&child, 2);
		return;
	}
	write_map(child.pid, "uid_map", "0 65534 1\n1 100000 10\n");
	*stage = 3;
	CHECK_EXIT(&child, 0);
}

static void as_member(void)
{
	const struct rlimit little = { 1 << 20, 1 << 20 };
	static struct client more[11];
	int opened = 0, err = 0;

	drop_root();
	setrlimit(RLIMIT_MEMLOCK, &little);
	members_cost_less();
	unread_events();
	CHECK(open_session(&c, 1 << 20) == -ENOMEM &&
		      strstr(c.last.reply.why, "RLIMIT_MEMLOCK"),
	      "rings beyond RLIMIT_MEMLOCK: %s", c.last.reply.why);
	close_client(&c);
	for (int n = 0; n < 200; n++) { /* each frees everything */
		GRANTED(&c, open_session(&c, 1 << 18));
		unmap_rings(&c);
		GRANTED(&c, make_buffers(&c, 1 << 17));
		close_client(&c);
	}
	for (; opened < 11 && !err; opened += !err)
		err = open_client(&more[opened]);
	CHECK(opened == 10 && err == -EMFILE, "%d sessions, then %d", opened,
	      err);
}

int main(void)
{
	read_no_more_than_asked();
	slot_behind_a_record();
	many_ecbs();
	costly_firings();
	costly_sites(SONDE_TAP_SYSCALL_ENTRY);
	costly_sites(SONDE_TAP_USER_ENTRY);
	costly_walks();
	many_timers();
	one_depth_a_firing();
	lost_with_its_receiver();
	many_taps();
	many_user_taps();
	CHECK(chmod("/dev/sonde", 0666) == 0, "chmod");
	run_apart(as_member);
	subordinate_users();
	users_programs();
	run_apart(users_events);
	native_for_who_may();
	only_targets_pay();
	CHECK(chmod("/dev/sonde", 0600) == 0, "chmod");
	return verdict("limits");
}
