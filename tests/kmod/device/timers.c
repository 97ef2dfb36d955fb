// SPDX-License-Identifier: GPL-2.0
/*
 * Timer taps: what they sample, on every CPU, and that they stop
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "client.h"

#define PERIOD 2000000 /* ns */

/* arg0, arg1, cpu */
static const struct sonde_dif_insn where[] = {
	{ SONDE_DIF_ARG, 0, 0, 0, 0 },
	{ SONDE_DIF_CAPW, 0, 0, 0, 0 },
	{ SONDE_DIF_ARG, 0, 0, 0, 1 },
	{ SONDE_DIF_CAPW, 1, 0, 0, 0 },
	{ SONDE_DIF_VAR, 0, 0, 0, SONDE_DIF_VAR_CPU },
	{ SONDE_DIF_CAPW, 2, 0, 0, 0 },
	{ .op = SONDE_DIF_RECORD },
};

static uint64_t samples, in_loop, both, neither, others, cpus;
static uint32_t only;

__attribute__((noinline, noclone)) static void busy_loop(void)
{
	for (;;)
		__asm__ volatile("" ::: "memory");
}

static void see(const struct sonde_record *record)
{
	uint64_t kernel = record->slot[0], user = record->slot[1];
	uint64_t loop = (uintptr_t)busy_loop;

	samples++;
	both += kernel && user;
	neither += !kernel && !user;
	cpus |= 1ull << record->slot[2];
	if (record->pid != only)
		others++;
	else if (user >= loop && user < loop + 64)
		in_loop++;
}

static void clear(void)
{
	samples = in_loop = both = neither = others = cpus = 0;
}

static void *spin_on(void *cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((long)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	busy_loop();
	return NULL;
}

/* A process with a busy thread on every CPU. */
static pid_t spinner(long count)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		pthread_t thread;

		for (long n = 1; n < count; n++)
			pthread_create(&thread, NULL, spin_on, (void *)n);
		spin_on((void *)0);
	}
	return pid;
}

static void drain_until(struct client *c, uint64_t wanted)
{
	for (int turn = 0; turn < 3000 && samples < wanted; turn++) {
		usleep(10000);
		drain(c, see);
	}
}

static void begin(struct client *c)
{
	CHECK(open_client(c) == 0 && make_buffers(c, 1 << 20) == 0, "open");
	CHECK(load_words(c, 1, where, 7, 3) == 0, "%s", c->last.reply.why);
	clear();
}

static void profile(int targeted)
{
	struct sonde_tap tap = { .kind = SONDE_TAP_PROFILE, .offset = PERIOD };
	long count = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t id = 1;
	struct client c;

	begin(&c);
	only = spinner(count);
	if (targeted)
		CHECK(request(&c, SONDE_ATTACH, 0, only, NULL, 0, NULL, 0) == 0,
		      "attach: %s", c.last.reply.why);
	CHECK(arm(&c, 1, tap, NULL) == 0, "arm: %s", c.last.reply.why);
	usleep(50000);
	CHECK(drain(&c, NULL) == 0, "it fires before it shall");
	go(&c);
	for (int turn = 0; turn < 100 && cpus != (1ull << count) - 1; turn++)
		drain_until(&c, samples + 50);
	CHECK(cpus == (1ull << count) - 1, "only on CPUs %lx", cpus);
	CHECK(in_loop > 0, "never in the loop, of %lu samples", samples);
	CHECK(both == 0 && neither == 0, "%lu with both, %lu with none", both,
	      neither);
	if (targeted)
		CHECK(others == 0, "%lu of others", others);
	CHECK(request(&c, SONDE_TAP_DISARM, 0, 1, &id, 4, NULL, 0) == 0,
	      "disarm");
	drain(&c, NULL);
	usleep(50000);
	CHECK(drain(&c, NULL) == 0, "it fires when it is disarmed");
	kill(only, SIGKILL);
	waitpid(only, NULL, 0);
	close_client(&c);
}

/* One firing a period on the whole machine: never more than time has passed. */
static void tick(void)
{
	struct sonde_tap tap = { .kind = SONDE_TAP_TICK, .offset = PERIOD };
	struct timespec before, after;
	struct client c;
	uint64_t passed;

	begin(&c);
	go(&c);
	clock_gettime(CLOCK_MONOTONIC, &before);
	CHECK(arm(&c, 1, tap, NULL) == 0, "arm: %s", c.last.reply.why);
	drain_until(&c, 100);
	clock_gettime(CLOCK_MONOTONIC, &after);
	passed = (after.tv_sec - before.tv_sec) * 1000000000ull +
		 after.tv_nsec - before.tv_nsec;
	CHECK(samples >= 100, "%lu ticks", samples);
	CHECK(samples <= passed / PERIOD, "%lu ticks in %lu ns", samples,
	      passed);
	close_client(&c); /* armed as it is */
}

int main(void)
{
	profile(0);
	profile(1);
	tick();
	printf("timers: %s\n", failures ? "FAILED" : "passed");
	return failures != 0;
}
