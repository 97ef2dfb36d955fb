// SPDX-License-Identifier: GPL-2.0
/*
 * Events that passed = records + drops, exactly, in rings that overflow
 */
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "client.h"

#define PROCESSES 3

static const struct sonde_dif_insn six_words[] = {
	{ SONDE_DIF_ARG, 0, 0, 0, 0 }, { SONDE_DIF_CAPW, 0, 0, 0, 0 },
	{ SONDE_DIF_ARG, 0, 0, 0, 1 }, { SONDE_DIF_CAPW, 1, 0, 0, 0 },
	{ SONDE_DIF_ARG, 0, 0, 0, 2 }, { SONDE_DIF_CAPW, 2, 0, 0, 0 },
	{ SONDE_DIF_ARG, 0, 0, 0, 3 }, { SONDE_DIF_CAPW, 3, 0, 0, 0 },
	{ SONDE_DIF_ARG, 0, 0, 0, 4 }, { SONDE_DIF_CAPW, 4, 0, 0, 0 },
	{ SONDE_DIF_ARG, 0, 0, 0, 5 }, { SONDE_DIF_CAPW, 5, 0, 0, 0 },
	{ .op = SONDE_DIF_RECORD },
};

/* Only every other call passes: ends with FAIL where argument 0 is odd. */
static const struct sonde_dif_insn even_only[] = {
	{ SONDE_DIF_ARG, 0, 0, 0, 0 },	 { SONDE_DIF_LI, 1, 0, 0, 1 },
	{ SONDE_DIF_AND, 2, 0, 1, 0 },	 { SONDE_DIF_JZ, 0, 2, 0, 1 },
	{ .op = SONDE_DIF_FAIL },	 { SONDE_DIF_CAPW, 0, 0, 0, 0 },
	{ .op = SONDE_DIF_RECORD },
};

/* Calls until told to stop; says how many. */
static uint64_t storm(volatile int *stop)
{
	uint64_t calls = 0;

	while (!*stop) {
		syscall(SYS_getppid, calls, 1, 2, 3, 4, 5);
		calls++;
	}
	return calls;
}

struct shared {
	volatile int go, stop;
	volatile uint64_t calls[PROCESSES];
};

static void run(struct client *c, struct shared *shared, int seconds,
		uint64_t *records, uint64_t *wakes)
{
	struct timespec now, end;
	char bytes[1024];
	uint64_t turn = 0;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += seconds;
	shared->go = 1;
	do {
		struct pollfd entry = { c->fd, POLLIN, 0 };

		if (poll(&entry, 1, 100) > 0 &&
		    read(c->fd, bytes, sizeof(bytes)) > 0)
			++*wakes;
		if (turn++ % 8 == 0) /* slow on purpose */
			usleep(2000);
		*records += drain(c, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < end.tv_sec);
	shared->stop = 1;
}

static void overload(int seconds)
{
	struct sonde_tap tap = { .kind = SONDE_TAP_SYSCALL_ENTRY,
				 .number = SYS_getppid };
	uint64_t records = 0, wakes = 0, passed = 0;
	struct sonde_statistics statistics;
	pid_t pids[PROCESSES];
	struct shared *shared;
	struct client c;

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int n = 0; n < PROCESSES; n++) {
		pids[n] = fork();
		if (pids[n] == 0) {
			while (!shared->go)
				usleep(1000);
			shared->calls[n] = storm(&shared->stop);
			_exit(0);
		}
	}
	CHECK(open_client(&c) == 0 && make_buffers(&c, 4096) == 0, "open");
	CHECK(load_words(&c, 1, six_words, 13, 6) == 0, "%s",
	      c.last.reply.why);
	CHECK(load_words(&c, 2, even_only, 7, 1) == 0, "%s", c.last.reply.why);
	for (int n = 0; n < PROCESSES; n++)
		CHECK(request(&c, SONDE_ATTACH, 0, pids[n], NULL, 0, NULL,
			      0) == 0,
		      "attach: %s", c.last.reply.why);
	CHECK(arm(&c, 1, tap, NULL) == 0, "arm: %s", c.last.reply.why);
	CHECK(arm(&c, 2, tap, NULL) == 0, "arm: %s", c.last.reply.why);
	go(&c);
	run(&c, shared, seconds, &records, &wakes);
	for (int n = 0; n < PROCESSES; n++) {
		waitpid(pids[n], NULL, 0);
		passed += shared->calls[n] + (shared->calls[n] + 1) / 2;
	}
	records += drain(&c, NULL);
	CHECK(request(&c, SONDE_STATISTICS, 0, 0, NULL, 0, &statistics,
		      sizeof(statistics)) == 0,
	      "statistics");
	printf("drops: %lu passed, %lu records + %lu drops, %lu wake-ups\n",
	       passed, records, drops(&c), wakes);
	CHECK(passed == records + drops(&c), "lost: %ld",
	      (long)(passed - records - drops(&c)));
	CHECK(statistics.records == records && statistics.drops == drops(&c),
	      "statistics: %lu records, %lu drops", statistics.records,
	      statistics.drops);
	CHECK(drops(&c) > 0 && wakes > 0, "nothing was overloaded");
	close_client(&c);
}

int main(int argc, char **argv)
{
	overload(argc > 1 ? atoi(argv[1]) : 5);
	printf("drops: %s\n", failures ? "FAILED" : "passed");
	return failures != 0;
}
