// SPDX-License-Identifier: GPL-2.0
/*
 * The number of events equals records + drops, exactly, in rings that overflow
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/syscall.h>

#include "child.h"

#define PROCESSES 3

/* Records every other call: ends with FAIL if argument 0 is odd. */
static const struct sonde_dif_insn even_only[] = {
	{ SONDE_DIF_ARG, 0, 0, 0, 0 },	 { SONDE_DIF_LI, 1, 0, 0, 1 },
	{ SONDE_DIF_AND, 2, 0, 1, 0 },	 { SONDE_DIF_JZ, 0, 2, 0, 1 },
	{ .op = SONDE_DIF_FAIL },	 { SONDE_DIF_CAPW, 0, 0, 0, 0 },
	{ .op = SONDE_DIF_RECORD },
};

/* Makes calls until it is stopped; returns their number. */
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
	volatile int stop;
	volatile uint64_t calls[PROCESSES];
};

static void read_for(struct client *c, int seconds, uint64_t *records,
		     uint64_t *wakes)
{
	uint64_t turn = 0, end = now() + seconds * SECOND;
	char bytes[1024];

	while (now() < end) {
		struct pollfd entry = { c->fd, POLLIN, 0 };

		if (poll(&entry, 1, 100) > 0 &&
		    read(c->fd, bytes, sizeof(bytes)) > 0)
			++*wakes;
		if (turn++ % 8 == 0) /* slow on purpose */
			usleep(2000);
		*records += drain(c, NULL);
	}
}

static void overload(int seconds)
{
	struct shared *shared = share(sizeof(*shared));
	uint64_t records = 0, wakes = 0, passed = 0;
	struct sonde_statistics statistics;
	struct child children[PROCESSES];
	struct client c;

	GRANTED(&c, open_session(&c, 4096));
	GRANTED(&c, load_words(&c, 1, INSNS(six_words), 6));
	GRANTED(&c, load_words(&c, 2, INSNS(even_only), 1));
	for (int n = 0; n < PROCESSES; n++) {
		children[n] = fork_child(&c);
		if (!children[n].pid) {
			await_gate(&children[n]);
			shared->calls[n] = storm(&shared->stop);
			_exit(0);
		}
		GRANTED(&c, attach(&c, children[n].pid));
	}
	GRANTED(&c, arm_kind(&c, 1, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid));
	GRANTED(&c, arm_kind(&c, 2, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid));
	go(&c);
	for (int n = 0; n < PROCESSES; n++)
		open_gate(&children[n]);
	read_for(&c, seconds, &records, &wakes);
	shared->stop = 1;
	for (int n = 0; n < PROCESSES; n++) {
		CHECK_EXIT(&children[n], 0);
		passed += shared->calls[n] + (shared->calls[n] + 1) / 2;
	}
	records += drain(&c, NULL);
	GRANTED(&c, request(&c, SONDE_STATISTICS, 0, 0, NULL, 0, &statistics,
			    sizeof(statistics)));
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
	return verdict("drops");
}
