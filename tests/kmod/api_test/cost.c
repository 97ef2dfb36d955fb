// SPDX-License-Identifier: GPL-2.0
/*
 * What an operation costs, in ns of the guest's clock: with `run --icount`
 * that is instructions.
 *
 * usage: cost LABEL [EVENTS]	EVENTS: trace ourselves for these (hex)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "utrace_test.h"

static void on_signal(int signr) { (void)signr; }
static void op_getppid(void) { syscall(SYS_getppid); }
static void op_raise(void) { syscall(SYS_kill, getpid(), SIGUSR1); }
static void op_vfork(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* The minimum of several batches. */
static long measure(void (*op)(void), int turns)
{
	long best = 0;
	int batch, i;

	for (batch = 0; batch < 10; batch++) {
		long start = now(), took;

		for (i = 0; i < turns; i++)
			op();
		took = (now() - start) / turns;
		if (!batch || took < best)
			best = took;
	}
	return best;
}

int main(int argc, char **argv)
{
	signal(SIGUSR1, on_signal);
	if (argc > 2) {
		struct utrace_test_attach a = { .pid = getpid(), .flags = 8 };
		__u64 events = strtoull(argv[2], NULL, 16);
		int e = open("/dev/utrace_test", O_RDWR);

		if (ioctl(e, UTRACE_TEST_ATTACH, &a) ||
		    ioctl(e, UTRACE_TEST_SET_EVENTS, &events))
			return 1;
	}
	printf("%-28s getppid %6ld  kill+handler %6ld  vfork+exit+wait %7ld\n",
	       argc > 1 ? argv[1] : "", measure(op_getppid, 1000),
	       measure(op_raise, 200), measure(op_vfork, 50));
	return 0;
}
