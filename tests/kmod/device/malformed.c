// SPDX-License-Identifier: GPL-2.0
/*
 * Faulty requests are refused with the errno that the ABI specifies, and do no
 * harm
 */
#define _GNU_SOURCE
#include <grp.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "child.h"

static struct client c;

#define GROUP 4242 /* used as the group `tracing` */

/* A request and the errno that it must yield. */
static void refused(const char *what, int expected, uint32_t kind, uint32_t id,
		    uint64_t value, const void *payload, uint64_t length)
{
	int err = request(&c, kind, id, value, payload, length, NULL, 0);

	CHECK(err == -expected, "%s: %s, not %s (%s)", what, strerror(-err),
	      strerror(expected), c.last.reply.why);
	CHECK(c.last.reply.error == err || err == -EFAULT, "%s: reply %d", what,
	      c.last.reply.error);
}

static void before_hello(void)
{
	c.fd = open("/dev/sonde", O_RDWR | O_NONBLOCK);
	refused("no hello", EPROTO, SONDE_STATISTICS, 0, 0, NULL, 0);
	refused("version 0", EPROTO, SONDE_HELLO, 0, 0, NULL, 0);
	refused("version 9", EPROTO, SONDE_HELLO, 0, 9, NULL, 0);
	refused("still no hello", EPROTO, SONDE_BUFFERS, 0, 4096, NULL, 0);
	CHECK(ioctl(c.fd, _IO(0xd5, 1), 0) == -1 && errno == ENOTTY, "ioctl");
	CHECK(ioctl(c.fd, SONDE_EXCHANGE, 16) == -1 && errno == EFAULT,
	      "bad address");
	close(c.fd);
}

/* A request in which the test sets all fields. */
static int raw(struct sonde_request request)
{
	static const uint64_t payload[8];

	memset(&c.last, 0, sizeof(c.last));
	c.last.request = request;
	c.last.payload = (uintptr_t)payload;
	return ioctl(c.fd, SONDE_EXCHANGE, &c.last) ? -errno : 0;
}

static void not_zero(uint32_t kind, const char *what, struct sonde_request r)
{
	r.kind = kind;
	CHECK(raw(r) == -EINVAL && strstr(c.last.reply.why, "not 0"),
	      "request %u with %s: %s", kind, what, c.last.reply.why);
}

/* Fields that a kind of request does not use, and reserved fields, must be 0. */
static void unused(void)
{
	struct {
		struct sonde_program_payload head;
		struct sonde_dif_insn insn;
	} p = { { 1, 0, 0, 1 }, { .op = SONDE_DIF_RECORD } };
	struct sonde_tap taps[] = {
		{ .flags = 2 }, { .arguments = 1 }, { .returns = 1 },
		{ .reserved = { 1 } }, { .counters = 1 },
		{ .machine = 62 }, { .inode = 1 }, { .major = 1 },
		{ .minor = 1 },
	};
	uint32_t kind, n;

	GRANTED(&c, open_client(&c));
	for (kind = 0; kind < SONDE_REQUEST_COUNT; kind++) {
		unsigned uses = sonde_request_uses(kind);

		not_zero(kind, "flags", (struct sonde_request){ .flags = 1 });
		not_zero(kind, "reserved",
			 (struct sonde_request){ .reserved = 1 });
		if (!(uses & SONDE_USES_ID))
			not_zero(kind, "an id",
				 (struct sonde_request){ .id = 1 });
		if (!(uses & SONDE_USES_VALUE))
			not_zero(kind, "a value",
				 (struct sonde_request){ .value = 1 });
		if (!(uses & SONDE_USES_ADDRESS))
			not_zero(kind, "an address",
				 (struct sonde_request){ .address = 1 });
		if (!(uses & SONDE_USES_LENGTH))
			not_zero(kind, "a payload",
				 (struct sonde_request){ .length = 8 });
	}
	refused("a program's reserved", EINVAL, SONDE_PROGRAM_LOAD, 1, 0, &p,
		sizeof(p));
	for (n = 0; n < LENGTH(taps); n++) {
		taps[n].id = taps[n].probe = 1;
		taps[n].kind = SONDE_TAP_EXEC;
		CHECK(arm_tap(&c, taps[n], NULL) == -EINVAL &&
			      (strstr(c.last.reply.why, "not 0") ||
			       /* there are fewer than it says */
			       (taps[n].arguments &&
				strstr(c.last.reply.why, "location")) ||
			       (taps[n].counters &&
				strstr(c.last.reply.why, "counters"))),
		      "tap, row %u: %s", n, c.last.reply.why);
	}
	close_client(&c);
}

static int can_map(size_t size, int access, int how, uint64_t offset)
{
	return mmap(NULL, size, access, how, c.fd, offset) != MAP_FAILED;
}

static void buffers(void)
{
	uint64_t offset[RINGS_MAX];

	GRANTED(&c, open_client(&c));
	refused("2 GiB", EINVAL, SONDE_BUFFERS, 0, 1ull << 31, NULL, 0);
	refused("-1", EINVAL, SONDE_BUFFERS, 0, -1, NULL, 0);
	refused("all memory", ENOMEM, SONDE_BUFFERS, 0, 1ull << 30, NULL, 0);
	CHECK(!can_map(4096, PROT_READ, MAP_SHARED, 0),
	      "a ring before there is one");
	GRANTED(&c, make_buffers(&c, 1)); /* one byte is a page */
	CHECK(c.ring[0]->size == 4096, "size %lu", c.ring[0]->size);
	refused("no policy", EINVAL, SONDE_BUFFERS, SONDE_POLICY_COUNT, 4096,
		NULL, 0);
	CHECK(!can_map(4096, PROT_READ, MAP_PRIVATE, 0), "private");
	CHECK(!can_map(4096, PROT_READ | PROT_EXEC, MAP_SHARED, 0), "executable");
	CHECK(mprotect(c.ring[0], 4096, PROT_READ | PROT_EXEC) == -1 &&
		      errno == EACCES, "executable later");
	CHECK(!can_map(3 * 4096, PROT_READ, MAP_SHARED, 0), "too long");
	CHECK(!can_map(4096, PROT_READ, MAP_SHARED, 4096),
	      "in the middle of a ring");
	CHECK(!can_map(4096, PROT_READ, MAP_SHARED, 99ull << 31), "no such ring");
	CHECK(request(&c, SONDE_STATISTICS, 0, 0, NULL, 0, offset, 8) ==
		      -EMSGSIZE,
	      "no room");
	CHECK(request(&c, SONDE_STATISTICS, 0, 0, NULL, 0, (void *)16, 4096) ==
		      -EFAULT,
	      "bad room");
	CHECK(read(c.fd, offset, 8) == -1 && errno == EINVAL, "short read");
}

static void programs(void)
{
	static const struct sonde_dif_insn record = { .op = SONDE_DIF_RECORD };
	static const struct sonde_dif_insn jump = { .op = SONDE_DIF_JMP,
						    .i = 5 };
	struct {
		struct sonde_program_payload head;
		struct sonde_dif_insn insn;
	} p = { { 1, 0, 0, 0 }, record };

	refused("empty", EINVAL, SONDE_PROGRAM_LOAD, 1, 0, NULL, 0);
	refused("cut", EINVAL, SONDE_PROGRAM_LOAD, 1, 0, &p, 17);
	refused("bad address", EFAULT, SONDE_PROGRAM_LOAD, 1, 0, (void *)16,
		sizeof(p));
	refused("huge", E2BIG, SONDE_PROGRAM_LOAD, 1, 0, &p, 1ull << 40);
	p.head.length = 5000;
	refused("length", EINVAL, SONDE_PROGRAM_LOAD, 1, 0, &p, sizeof(p));
	p.head.length = 1;
	p.head.slots = 65;
	refused("slots", EINVAL, SONDE_PROGRAM_LOAD, 1, 0, &p, sizeof(p));
	p.head.slots = 0;
	p.head.pool_size = -1;
	refused("pool", EINVAL, SONDE_PROGRAM_LOAD, 1, 0, &p, sizeof(p));
	p.head.pool_size = 0;
	p.insn = jump;
	refused("verifier", EINVAL, SONDE_PROGRAM_LOAD, 1, 0, &p, sizeof(p));
	CHECK(strstr(c.last.reply.why, "instruction 0"), "why: %s",
	      c.last.reply.why);
	GRANTED(&c, load_words(&c, 1, &record, 1, 0));
	CHECK(load_words(&c, 1, &record, 1, 0) == -EEXIST, "twice");
}

static void ecbs(void)
{
	struct sonde_ecb two[2] = { { 1, 1, 1, 0 }, { 1, 1, 1, 0 } };
	uint32_t missing = 77;

	refused("cut", EINVAL, SONDE_ECB_ADD, 0, 1, two, 15);
	refused("count", EINVAL, SONDE_ECB_ADD, 0, 1, two, sizeof(two));
	refused("same twice", EEXIST, SONDE_ECB_ADD, 0, 2, two, sizeof(two));
	two[1].epid = 2;
	two[1].program = 9;
	refused("no program", ENOENT, SONDE_ECB_ADD, 0, 2, two, sizeof(two));
	two[1].program = 1;
	two[1].flags = 4;
	refused("flags", EINVAL, SONDE_ECB_ADD, 0, 2, two, sizeof(two));
	two[1].flags = SONDE_ECB_HELD;
	refused("one of two", EINVAL, SONDE_ECB_ADD, 0, 2, two,
		sizeof(two) - 1);
	two[1].flags = 0;
	two[1].probe = 0;
	refused("no probe", EINVAL, SONDE_ECB_ADD, 0, 2, two, sizeof(two));
	two[1].probe = 1;
	/* no ECB was left */
	GRANTED(&c, request(&c, SONDE_ECB_ADD, 0, 2, two, sizeof(two), NULL,
			    0));
	refused("remove none", ENOENT, SONDE_ECB_REMOVE, 0, 1, &missing, 4);
	refused("remove cut", EINVAL, SONDE_ECB_REMOVE, 0, 1, &missing, 3);
}

/* The first tap has no file before it; nor has a tap after one of another kind. */
static void files(void)
{
	static const struct sonde_tap call = { .id = 1, .probe = 1,
					       .kind = SONDE_TAP_SYSCALL_ENTRY };
	static const struct sonde_tap user = { .id = 2, .probe = 1,
					       .kind = SONDE_TAP_USER_OFFSET };
	struct {
		struct sonde_tap taps[3];
		char path[9];
	} p = { { user, call, user }, "/bin/true" };

	p.taps[0].path_length = sizeof(p.path);
	p.taps[2].id = 3;
	refused("path behind a call", EINVAL, SONDE_TAP_ARM, 0, 3, &p,
		sizeof(p.taps) + sizeof(p.path));
	CHECK(strstr(c.last.reply.why, "tap 3"), "why: %s", c.last.reply.why);
	p.taps[1] = p.taps[2];
	p.taps[1].id = 4;
	GRANTED(&c, request(&c, SONDE_TAP_ARM, 0, 3, &p,
			    sizeof(p.taps) + sizeof(p.path), NULL, 0));
	p.taps[1].id = 5;
	refused("path of another request", EINVAL, SONDE_TAP_ARM, 0, 1,
		&p.taps[1], sizeof(user));
	for (uint32_t id = 2; id <= 4; id++)
		GRANTED(&c, disarm(&c, id));
}

/* The description of the instruction that leaves or reenters. */
static void leaving(void)
{
	const struct sonde_leave any = { .how = SONDE_LEAVE_JUMP_OPERAND,
					 .flags = SONDE_LEAVE_MEMORY };
	struct {
		const char *what;
		uint32_t kind;
		struct sonde_leave leave;
	} rows[] = {
		{ "nothing leaves", SONDE_TAP_USER_RETURN, {} },
		{ "how", SONDE_TAP_USER_RETURN, { .how = SONDE_LEAVE_COUNT } },
		{ "entry", SONDE_TAP_USER_ENTRY, { .how = SONDE_LEAVE_RETURN } },
		{ "loop", SONDE_TAP_USER_RETURN, { .how = SONDE_LEAVE_REENTER } },
		{ "loop", SONDE_TAP_USER_RETURN,
		  { .how = SONDE_LEAVE_REENTER_IF } },
		{ "offset", SONDE_TAP_USER_OFFSET, { .how = SONDE_LEAVE_RETURN } },
		{ "call", SONDE_TAP_SYSCALL_ENTRY, { .how = SONDE_LEAVE_RETURN } },
		{ "condition", SONDE_TAP_USER_RETURN, any },
		{ "flags", SONDE_TAP_USER_RETURN, any },
		{ "reserved", SONDE_TAP_USER_RETURN, any },
		{ "part", SONDE_TAP_USER_RETURN, any },
		{ "other part", SONDE_TAP_USER_RETURN, any },
		{ "base", SONDE_TAP_USER_RETURN, any },
		{ "index", SONDE_TAP_USER_RETURN, any },
		{ "register", SONDE_TAP_USER_RETURN, any },
		{ "register", SONDE_TAP_USER_RETURN, any },
	};

	rows[7].leave.condition = 16;
	rows[8].leave.flags = 8;
	rows[9].leave.reserved = 1;
	rows[10].leave.parts[0].from = 1;
	rows[11].leave.parts[1].to = -1;
	rows[12].leave.base = 16;
	rows[13].leave.index = SONDE_LEAVE_RIP;
	rows[14].leave.flags = 0;
	rows[14].leave.base = SONDE_LEAVE_NO_REGISTER;
	rows[15].leave.flags = 0;
	rows[15].leave.base = SONDE_LEAVE_RIP;
	for (uint32_t n = 0; n < LENGTH(rows); n++) {
		struct sonde_tap tap = { .id = 1, .probe = 1,
					 .kind = rows[n].kind,
					 .leave = rows[n].leave };
		const char *path = tap.kind == SONDE_TAP_SYSCALL_ENTRY ?
					   NULL : "/bin/true";

		CHECK(arm_tap(&c, tap, path) == -EINVAL &&
			      strstr(c.last.reply.why, "leaving instruction"),
		      "%s: %s", rows[n].what, c.last.reply.why);
	}
}

static void taps(void)
{
	struct {
		struct sonde_tap tap;
		char path[8];
	} p = { { .id = 1, .kind = SONDE_TAP_SYSCALL_ENTRY, .probe = 1 }, "" };
	uint32_t missing = 77;
	uint64_t bare = sizeof(p.tap);

	refused("count", EINVAL, SONDE_TAP_ARM, 0, 2, &p, bare);
	refused("count", EINVAL, SONDE_TAP_ARM, 0, -1, &p, bare);
	refused("bytes after", EINVAL, SONDE_TAP_ARM, 0, 1, &p, bare + 3);
	p.tap.kind = SONDE_TAP_KIND_COUNT;
	refused("kind", EINVAL, SONDE_TAP_ARM, 0, 1, &p, bare);
	p.tap.kind = SONDE_TAP_SYSCALL_RETURN;
	p.tap.number = 1024;
	refused("number", EINVAL, SONDE_TAP_ARM, 0, 1, &p, bare);
	p.tap.number = 0;
	p.tap.probe = 0;
	refused("probe", EINVAL, SONDE_TAP_ARM, 0, 1, &p, bare);
	p.tap.probe = 1;
	p.tap.kind = SONDE_TAP_USER_ENTRY;
	refused("no path", EINVAL, SONDE_TAP_ARM, 0, 1, &p, bare);
	p.tap.path_length = 5000;
	refused("path length", EINVAL, SONDE_TAP_ARM, 0, 1, &p, bare + 8);
	p.tap.path_length = 2;
	refused("NUL", EINVAL, SONDE_TAP_ARM, 0, 1, &p, bare + 2);
	memcpy(p.path, "/x", 2);
	refused("no file", ENOENT, SONDE_TAP_ARM, 0, 1, &p, bare + 2);
	memcpy(p.path, "/.", 2);
	refused("directory", EINVAL, SONDE_TAP_ARM, 0, 1, &p, bare + 2);
	files();
	leaving();
	p.tap.path_length = 0;
	p.tap.kind = SONDE_TAP_TICK;
	refused("no period", EINVAL, SONDE_TAP_ARM, 0, 1, &p, bare);
	p.tap.kind = SONDE_TAP_PROFILE;
	p.tap.offset = SONDE_PERIOD_MIN - 1;
	refused("short period", EINVAL, SONDE_TAP_ARM, 0, 1, &p, bare);
	p.tap.offset = -1;
	refused("long period", EINVAL, SONDE_TAP_ARM, 0, 1, &p, bare);
	p.tap.kind = SONDE_TAP_SYSCALL_ENTRY;
	GRANTED(&c, arm_tap(&c, p.tap, NULL));
	refused("twice", EEXIST, SONDE_TAP_ARM, 0, 1, &p, bare);
	refused("disarm none", ENOENT, SONDE_TAP_DISARM, 0, 1, &missing, 4);
	refused("disarm cut", EINVAL, SONDE_TAP_DISARM, 0, 1, &missing, 2);
}

static void others(void)
{
	refused("pid 0", ESRCH, SONDE_ATTACH, 0, 0, NULL, 0);
	refused("pid huge", ESRCH, SONDE_ATTACH, 0, 1ull << 33, NULL, 0);
	refused("no pid", ESRCH, SONDE_ATTACH, 0, 4000000, NULL, 0);
	refused("kernel thread", EPERM, SONDE_ATTACH, 0, 2, NULL, 0);
	refused("detach", ESRCH, SONDE_DETACH, 0, 1, NULL, 0);
	refused("spawn", EOPNOTSUPP, SONDE_SPAWN, 0, 0, NULL, 0);
	refused("memory", EOPNOTSUPP, SONDE_READ_MEMORY, 1, 0, NULL, 8);
	refused("release", ESRCH, SONDE_RELEASE, 1, 0, NULL, 0);
	refused("release 0", ESRCH, SONDE_RELEASE, 0, 0, NULL, 0);
	refused("release huge", ESRCH, SONDE_RELEASE, -1, 0, NULL, 0);
	refused("signal", EINVAL, SONDE_RELEASE, 1, 1000, NULL, 0);
	refused("result", EOPNOTSUPP, SONDE_RELEASE, 1, SONDE_RELEASE_RESULT,
		NULL, 0);
	refused("stack", EOPNOTSUPP, SONDE_STACK, 1, 0, NULL, 0);
	refused("follow", ESRCH, SONDE_FOLLOW, 0, 1, NULL, 0);
	refused("follow huge", ESRCH, SONDE_FOLLOW, 0, 1ull << 40, NULL, 0);
	refused("acknowledge", ESRCH, SONDE_ACKNOWLEDGE, 1, 0, NULL, 0);
	refused("acknowledge 0", ESRCH, SONDE_ACKNOWLEDGE, 0, 0, NULL, 0);
	refused("unknown", EINVAL, SONDE_REQUEST_COUNT, 0, 0, NULL, 0);
	refused("unknown", EINVAL, -1, 0, 0, NULL, 0);
	close_client(&c);
}

static void hundred_calls(void)
{
	for (int n = 0; n < 100; n++)
		syscall(SYS_getppid);
}

static int call_forever(void)
{
	for (;;)
		hundred_calls();
	return 0;
}

static void not_in_group(void)
{
	if (setgroups(0, NULL))
		_exit(2);
	drop_root();
	CHECK(open_client(&c) == -EACCES, "one who is not in the group");
}

/* A user who may open the device, but is not root. */
static void in_group(void)
{
	static const struct sonde_dif_insn record = { .op = SONDE_DIF_RECORD };
	struct sonde_tap file = { .kind = SONDE_TAP_USER_ENTRY };
	struct sonde_tap tick = { .kind = SONDE_TAP_TICK, .offset = 1000000 };
	struct sonde_tap sample = { .kind = SONDE_TAP_PROFILE, .offset = 1000000 };
	gid_t group = GROUP;
	uint64_t seen;

	if (setgroups(1, &group))
		_exit(2);
	drop_root();
	GRANTED(&c, open_session(&c, 1 << 20));
	refused("init", EPERM, SONDE_ATTACH, 0, 1, NULL, 0);
	refused("root's", EPERM, SONDE_ATTACH, 0, getppid(), NULL, 0);
	for (uint32_t id = 1; id <= 4; id++)
		GRANTED(&c, load_words(&c, id, &record, 1, 0));
	CHECK(arm(&c, 2, file, "/bin/sh") == -EPERM, "breakpoints in files");
	CHECK(arm(&c, 3, tick, NULL) == -EPERM, "ticks in others");
	CHECK(arm(&c, 4, sample, NULL) == -EPERM, "samples");
	GRANTED(&c, arm_kind(&c, 1, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid));
	refused("every process", EPERM, SONDE_GO, 0, 0, NULL, 0);
	GRANTED(&c, attach(&c, getpid()));
	go(&c);
	usleep(300000); /* a process of root makes such calls meanwhile */
	seen = drain(&c, NULL);
	CHECK(seen == 0 && drops(&c) == 0, "%lu of others", seen);
	/* only our own processes, as ptrace_may_access() decides */
	hundred_calls();
	run_apart(hundred_calls);
	seen = drain(&c, NULL);
	CHECK(seen == 200 && drops(&c) == 0, "%lu of our own", seen);
}

/* Process numbers are those of the initial namespace. */
static void among_others_numbers(void)
{
	int status = -1;
	pid_t pid;

	CHECK(unshare(CLONE_NEWPID) == 0, "unshare");
	pid = fork();
	if (pid == 0)
		_exit(open_client(&c) == -EPERM ? 0 : 1);
	waitpid(pid, &status, 0);
	CHECK(status == 0, "a session in another pid namespace");
}

/* The device belongs to a group, as with the udev rule. */
static void unprivileged(void)
{
	struct child roots = start_child(&c, call_forever);

	open_gate(&roots);
	CHECK(chown("/dev/sonde", 0, GROUP) == 0 &&
		      chmod("/dev/sonde", 0660) == 0, "chown");
	run_apart(not_in_group);
	run_apart(in_group);
	run_apart(among_others_numbers);
	CHECK(chown("/dev/sonde", 0, 0) == 0, "chown");
	kill(roots.pid, SIGKILL);
	CHECK_KILLED(&roots);
}

int main(void)
{
	before_hello();
	unused();
	buffers();
	programs();
	ecbs();
	taps();
	others();
	unprivileged();
	return verdict("malformed");
}
