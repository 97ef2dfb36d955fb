// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings of targets are reported when they are made, and when the target ends
 */
#define _GNU_SOURCE
#include <sys/stat.h>

#include "child.h"

#define FILE_NAME "/bin/true"

static struct client c = { .fd = -1 };
static volatile struct {
	uint64_t address;
	int done;
} *child_maps; /* the child's own data */
static int mapped, mappings, ours, of_others, gone;
static uint32_t only;

static void take(const struct sonde_event *event, const char *text)
{
	int is_file = strstr(text, "/true") && *text == '/';

	gone |= event->kind == SONDE_EVENT_TARGET_GONE;
	if (event->kind != SONDE_EVENT_MAPPED &&
	    event->kind != SONDE_EVENT_MAPPING)
		return;
	of_others += only && event->pid != only;
	if (event->kind == SONDE_EVENT_MAPPED) {
		CHECK(is_file, "mapped '%s'", text);
		CHECK(event->address == child_maps->address &&
			      event->offset == 4096,
		      "address %lx, offset %lx", event->address, event->offset);
		mapped++;
		return;
	}
	CHECK(!gone || !only, "a mapping of the dead");
	CHECK(*text == '/' && event->size >= 4096 && event->inode,
	      "%lu bytes of '%s', inode %lu", event->size, text, event->inode);
	mappings++;
	ours += is_file && event->address == child_maps->address;
}

static void read_events(void)
{
	static char bytes[8192];
	struct sonde_event *event = (void *)bytes;
	ssize_t got;

	while ((got = read(c.fd, bytes, sizeof(bytes))) > 0) {
		bytes[got] = 0;
		take(event, bytes + sizeof(*event));
	}
}

/* Maps a file, reports the address, and ends on request. */
static struct child start(void)
{
	struct child child = fork_child(&c);
	int fd;

	if (child.pid)
		return child;
	fd = open(FILE_NAME, O_RDONLY);
	await_gate(&child);
	child_maps->address = (uintptr_t)mmap(NULL, 4096, PROT_READ | PROT_EXEC,
					      MAP_PRIVATE, fd, 4096);
	mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	child_maps->done = 1;
	await_gate(&child);
	_exit(0);
}

static void run(int targeted)
{
	static const struct sonde_dif_insn stack[] = {
		{ SONDE_DIF_CAPSTACK, 0, 0, 0, 4 },
		{ .op = SONDE_DIF_RECORD },
	};
	static const uint8_t kind = SONDE_SLOT_STACK;
	struct child child = start();

	child_maps->done = 0;
	mapped = mappings = ours = of_others = gone = 0;
	only = targeted ? child.pid : 0;
	GRANTED(&c, open_session(&c, 4096));
	if (targeted)
		GRANTED(&c, attach(&c, child.pid));
	else
		GRANTED(&c, load_kinds(&c, 1, INSNS(stack), 1, &kind));
	go(&c);
	open_gate(&child);
	CHECK(SOON(child_maps->done), "nothing is mapped");
	read_events();
	CHECK(mapped == targeted, "%d mapped", mapped);
	open_gate(&child);
	CHECK_EXIT(&child, 0);
	read_events();
	/* the program, the C library, the linker, and the file that it mapped */
	CHECK(mappings >= 3 && ours == 1, "%d mappings, %d of ours", mappings,
	      ours);
	CHECK(of_others == 0, "%d of others", of_others);
	close_client(&c);
}

/* The thread that waits, from the next MAPPED event. */
static uint32_t next_waiting(void)
{
	static char bytes[8192];
	struct sonde_event *event = (void *)bytes;

	while (SOON(read(c.fd, bytes, sizeof(bytes)) > 0))
		if (event->kind == SONDE_EVENT_MAPPED)
			return event->value;
	return 0;
}

/* A followed target stops until its mapping has been handled. */
static void follow(void)
{
	struct child child = start();
	uint32_t tid;

	child_maps->done = 0;
	GRANTED(&c, open_session(&c, 4096));
	CHECK(ask(&c, SONDE_FOLLOW, 0, child.pid) == -ESRCH, "no target");
	GRANTED(&c, attach(&c, child.pid));
	go(&c);
	CHECK(ask(&c, SONDE_ACKNOWLEDGE, child.pid, 0) == -ESRCH, "nothing is mapped");
	GRANTED(&c, ask(&c, SONDE_FOLLOW, 0, child.pid));
	open_gate(&child);
	tid = next_waiting();
	CHECK(tid == (uint32_t)child.pid, "%u waits", tid);
	usleep(50000);
	CHECK(!child_maps->done, "it does not wait");
	GRANTED(&c, ask(&c, SONDE_ACKNOWLEDGE, tid, 0));
	CHECK(SOON(child_maps->done), "it does not go on");
	CHECK(ask(&c, SONDE_ACKNOWLEDGE, tid, 0) == -EINVAL, "acknowledged twice");
	open_gate(&child);
	CHECK_EXIT(&child, 0);
	close_client(&c);
}

/* A waiting thread continues at the end of the session, at SIGKILL, or at a detach. */
static void let_go(int how)
{
	struct child child = start();

	child_maps->done = 0;
	GRANTED(&c, open_session(&c, 4096));
	GRANTED(&c, attach(&c, child.pid));
	GRANTED(&c, ask(&c, SONDE_FOLLOW, 0, child.pid));
	go(&c);
	open_gate(&child);
	CHECK(next_waiting() == (uint32_t)child.pid, "nobody waits");
	if (how == 0) {
		close_client(&c);
	} else if (how == 1) {
		GRANTED(&c, ask(&c, SONDE_DETACH, 0, child.pid));
	} else {
		CHECK(!kill(child.pid, SIGKILL), "kill");
		CHECK_KILLED(&child);
	}
	if (how != 2) {
		CHECK(SOON(child_maps->done), "it does not go on: %d", how);
		open_gate(&child);
		CHECK_EXIT(&child, 0);
	}
	if (how != 0)
		close_client(&c);
}

static int follow_files(const char *wildcard, uint64_t length)
{
	return request(&c, SONDE_FOLLOW, 0, 0, wildcard, length, NULL, 0);
}

/* A child maps the file; @waits: until it is acknowledged. */
static void map_once(struct child *child, int waits)
{
	open_gate(child);
	if (waits) {
		CHECK(next_waiting() == (uint32_t)child->pid, "it does not wait");
		usleep(50000);
		CHECK(!child_maps->done, "it goes on");
		GRANTED(&c, ask(&c, SONDE_ACKNOWLEDGE, child->pid, 0));
	}
	CHECK(SOON(child_maps->done), "it does not go on");
	child_maps->done = 0;
	open_gate(child);
	CHECK_EXIT(child, 0);
}

/*
 * A file that matches makes one thread wait, once. What descends from us does not
 * wait unless it is a target.
 */
static void files(int targeted)
{
	struct child first = start(), second = start();
	const char *wildcard = "*/bin/tru[e]";

	child_maps->done = 0;
	GRANTED(&c, open_session(&c, 4096));
	if (targeted) {
		GRANTED(&c, attach(&c, first.pid));
		GRANTED(&c, attach(&c, second.pid));
	}
	GRANTED(&c, follow_files("*/another", 9));
	GRANTED(&c, follow_files(wildcard, strlen(wildcard)));
	GRANTED(&c, follow_files(wildcard, strlen(wildcard)));
	go(&c);
	map_once(&first, targeted);
	if (!targeted)
		CHECK(next_waiting() == 0, "it waits");
	map_once(&second, 0);
	if (targeted)
		CHECK(next_waiting() == 0, "the second one waits");
	close_client(&c);
}

static void limits_of_wildcards(void)
{
	static char text[SONDE_PATH_MAX];
	int n;

	memset(text, 'a', sizeof(text));
	GRANTED(&c, open_session(&c, 4096));
	CHECK(follow_files(text, sizeof(text)) == -EINVAL, "too long");
	CHECK(follow_files("a\0b", 3) == -EINVAL, "with a NUL");
	for (n = 0; n < 1024; n++) {
		sprintf(text, "%04d", n);
		GRANTED(&c, follow_files(text, 4));
	}
	GRANTED(&c, follow_files("0000", 4));
	CHECK(follow_files("more", 4) == -E2BIG, "1025 wildcards");
	close_client(&c);
}

/* Only with targets. */
static void of_a_member(void)
{
	struct child child;

	drop_root();
	child = start();
	GRANTED(&c, open_session(&c, 4096));
	CHECK(follow_files("*/bin/true", 10) == -EPERM, "of every process");
	GRANTED(&c, attach(&c, child.pid));
	GRANTED(&c, follow_files("*/bin/true", 10));
	go(&c);
	map_once(&child, 1);
	close_client(&c);
}

int main(void)
{
	int how;

	child_maps = share(sizeof(*child_maps));
	run(1);
	run(0);
	run(1);
	follow();
	for (how = 0; how < 3; how++)
		let_go(how);
	files(1);
	files(0);
	limits_of_wildcards();
	CHECK(chmod("/dev/sonde", 0666) == 0, "chmod");
	run_apart(of_a_member);
	CHECK(chmod("/dev/sonde", 0600) == 0, "chmod");
	return verdict("mapped");
}
