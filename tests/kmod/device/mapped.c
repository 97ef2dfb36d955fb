// SPDX-License-Identifier: GPL-2.0
/*
 * What targets map is told when they map it, and when they end
 */
#include <sys/wait.h>

#include "client.h"

#define FILE_NAME "/bin/true"

static struct client c = { .fd = -1 };
static uint64_t address; /* what the child says */
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
		CHECK(event->address == address && event->offset == 4096,
		      "address %lx, offset %lx", event->address, event->offset);
		mapped++;
		return;
	}
	CHECK(!gone || !only, "a mapping of the dead");
	CHECK(*text == '/' && event->value >= 4096, "%lu bytes of '%s'",
	      event->value, text);
	mappings++;
	ours += is_file && event->address == address;
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

/* Maps a file, says where, and ends when it is told to. */
static pid_t start(int *in, int *out)
{
	int to[2], from[2];
	pid_t pid;

	if (pipe(to) || pipe(from))
		exit(2);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		int fd = open(FILE_NAME, O_RDONLY);
		char byte;
		void *at;

		if (read(to[0], &byte, 1) != 1)
			_exit(1);
		at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
			  4096);
		mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
		if (write(from[1], &at, sizeof(at)) != sizeof(at) ||
		    read(to[0], &byte, 1) != 1)
			_exit(1);
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	*in = to[1];
	*out = from[0];
	return pid;
}

static void run(int targeted)
{
	static const struct sonde_dif_insn stack[] = {
		{ SONDE_DIF_CAPSTACK, 0, 0, 0, 4 },
		{ .op = SONDE_DIF_RECORD },
	};
	static const uint8_t kind = SONDE_SLOT_STACK;
	int in, out;
	pid_t pid;

	mapped = mappings = ours = of_others = gone = 0;
	pid = start(&in, &out);
	CHECK(open_client(&c) == 0 && make_buffers(&c, 4096) == 0, "open");
	if (targeted) {
		only = pid;
		CHECK(request(&c, SONDE_ATTACH, 0, pid, NULL, 0, NULL, 0) == 0,
		      "attach: %s", c.last.reply.why);
	} else {
		only = 0;
		CHECK(load_kinds(&c, 1, stack, 2, 1, &kind) == 0, "load: %s",
		      c.last.reply.why);
	}
	go(&c);
	CHECK(write(in, "x", 1) == 1 &&
		      read(out, &address, sizeof(address)) == sizeof(address),
	      "map");
	read_events();
	CHECK(mapped == targeted, "%d mapped", mapped);
	CHECK(write(in, "x", 1) == 1, "end");
	waitpid(pid, NULL, 0);
	read_events();
	/* the program, the C library, the linker, what it mapped */
	CHECK(mappings >= 3 && ours == 1, "%d mappings, %d of ours", mappings,
	      ours);
	CHECK(of_others == 0, "%d of others", of_others);
	close_client(&c);
	close(in);
	close(out);
}

int main(void)
{
	run(1);
	run(0);
	run(1);
	printf("mapped: %s\n", failures ? "FAILED" : "passed");
	return failures != 0;
}
