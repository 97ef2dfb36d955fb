// SPDX-License-Identifier: GPL-2.0
/*
 * Timer taps: what they sample, on every CPU, and that they stop
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/uio.h>

#include "child.h"
#include "kmod/shared/copied_stack.h"
#include "kmod/shared/stack_flags.h"

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
	pin((long)cpu);
	busy_loop();
	return NULL;
}

/* A process with a busy thread on every CPU. */
static struct child spinner(struct client *c, long count)
{
	struct child child = fork_child(c);

	if (!child.pid) {
		pthread_t thread;

		for (long n = 1; n < count; n++)
			pthread_create(&thread, NULL, spin_on, (void *)n);
		spin_on((void *)0);
	}
	return child;
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
	GRANTED(c, open_session(c, 1 << 20));
	GRANTED(c, load_words(c, 1, INSNS(where), 3));
	clear();
}

static void profile(int targeted)
{
	struct sonde_tap tap = { .kind = SONDE_TAP_PROFILE, .offset = PERIOD };
	long count = sysconf(_SC_NPROCESSORS_ONLN);
	struct child child;
	struct client c;

	begin(&c);
	child = spinner(&c, count);
	only = child.pid;
	if (targeted)
		GRANTED(&c, attach(&c, child.pid));
	GRANTED(&c, arm(&c, 1, tap, NULL));
	usleep(50000);
	CHECK(drain(&c, NULL) == 0, "it fires before it shall");
	go(&c);
	for (int turn = 0; turn < 100 && (cpus != (1ull << count) - 1 || !in_loop); turn++)
		drain_until(&c, samples + 50);
	CHECK(cpus == (1ull << count) - 1, "only on CPUs %lx", cpus);
	CHECK(in_loop > 0, "never in the loop, of %lu samples", samples);
	CHECK(both == 0 && neither == 0, "%lu with both, %lu with none", both,
	      neither);
	if (targeted)
		CHECK(others == 0, "%lu of others", others);
	GRANTED(&c, disarm(&c, 1));
	drain(&c, NULL);
	usleep(50000);
	CHECK(drain(&c, NULL) == 0, "it fires when it is disarmed");
	kill(child.pid, SIGKILL);
	CHECK_KILLED(&child);
	close_client(&c);
}

static uint64_t alike, unlike;

/* A sample has a copy of the stack, which does not change in the loop. */
static void see_stack(const struct sonde_record *record)
{
	const uint8_t *span = (const uint8_t *)record +
			      SONDE_SPAN_OFFSET(record->slot[0]);
	uint64_t length = SONDE_SPAN_LENGTH(record->slot[0]), from, pc;
	const struct sonde_copied_stack *copied = (const void *)span;
	static uint8_t there[SONDE_STACK_BYTES];
	struct iovec to = { there }, of = {};

	if (length < sizeof(*copied) + 64 ||
	    length > sizeof(*copied) + SONDE_STACK_BYTES ||
	    record->flags != SONDE_RECORD_STACKS_COPIED || record->faults ||
	    copied->frames != 20 || copied->at_edge) {
		unlike++;
		return;
	}
	from = copied->registers.rsp & -8ul;
	pc = copied->registers.rip;
	to.iov_len = of.iov_len = length - sizeof(*copied);
	of.iov_base = (void *)from;
	if (pc - (uintptr_t)busy_loop >= 64)
		return; /* it is on its way there */
	samples++;
	alike += process_vm_readv(only, &to, 1, &of, 1, 0) == (ssize_t)to.iov_len &&
		 !memcmp(there, copied + 1, to.iov_len);
}

/* @bytes: of a ring; in a small one the copies are shorter. */
static void stacks(uint64_t bytes)
{
	static const struct sonde_dif_insn code[] = {
		{ SONDE_DIF_CAPSTACK, 0, 0, 0, 20 },
		{ .op = SONDE_DIF_RECORD },
	};
	static const uint8_t kinds[] = { SONDE_SLOT_STACK };
	struct sonde_tap tap = { .kind = SONDE_TAP_PROFILE, .offset = PERIOD };
	struct child child;
	struct client c;

	clear();
	alike = unlike = 0;
	GRANTED(&c, open_session(&c, bytes));
	GRANTED(&c, load_kinds(&c, 1, INSNS(code), 1, kinds));
	child = spinner(&c, 1);
	only = child.pid;
	GRANTED(&c, attach(&c, child.pid));
	GRANTED(&c, arm(&c, 1, tap, NULL));
	go(&c);
	for (int turn = 0; turn < 3000 && samples < 20; turn++) {
		usleep(10000);
		drain(&c, see_stack);
	}
	CHECK(samples >= 20 && alike == samples && !unlike,
	      "rings of %lu bytes: %lu samples, %lu alike, %lu of another form",
	      bytes, samples, alike, unlike);
	kill(child.pid, SIGKILL);
	CHECK_KILLED(&child);
	close_client(&c);
}

/* One firing per period on the whole machine: never more than the time allows. */
static void tick(void)
{
	struct sonde_tap tap = { .kind = SONDE_TAP_TICK, .offset = PERIOD };
	struct client c;
	uint64_t before, passed;

	begin(&c);
	go(&c);
	before = now();
	GRANTED(&c, arm(&c, 1, tap, NULL));
	drain_until(&c, 100);
	passed = now() - before;
	CHECK(samples >= 100, "%lu ticks", samples);
	CHECK(samples <= passed / PERIOD, "%lu ticks in %lu ns", samples,
	      passed);
	close_client(&c); /* while it is armed */
}

static uint64_t ticks;

static void see_tick(const struct sonde_record *r)
{
	ticks += r->probe == 2;
}

/*
 * More firings than a CPU can run: programs continue, the rest is counted as
 * drops, and a tick that ends a script still fires.
 */
static void too_much(void)
{
	struct sonde_tap rare = { .id = 64, .probe = 2, .kind = SONDE_TAP_TICK,
				  .offset = SECOND / 10 };
	struct sonde_tap tap = { .kind = SONDE_TAP_PROFILE,
				 .offset = SONDE_PERIOD_MIN };
	static struct sonde_dif_insn code[4001];
	volatile uint32_t turns = 0;
	uint64_t began, took;
	struct client c;

	for (int n = 0; n < 4000; n++)
		code[n] = (struct sonde_dif_insn){ SONDE_DIF_VAR, 0, 0, 0,
						   SONDE_DIF_VAR_VTIMESTAMP };
	code[4000].op = SONDE_DIF_RECORD;
	GRANTED(&c, open_session(&c, 1 << 22));
	GRANTED(&c, load_words(&c, 1, INSNS(code), 0));
	GRANTED(&c, attach(&c, getpid()));
	GRANTED(&c, load_words(&c, 2, INSNS(word0), 1));
	for (uint32_t id = 1; id <= 63; id++) {
		tap.id = id;
		tap.probe = 1;
		GRANTED(&c, arm_tap(&c, tap, NULL));
	}
	GRANTED(&c, arm_tap(&c, rare, NULL));
	GRANTED(&c, add_ecb(&c, (struct sonde_ecb){ 1, 1, 1, 0 }));
	GRANTED(&c, add_ecb(&c, (struct sonde_ecb){ 2, 2, 2, 0 }));
	go(&c);
	began = now();
	while (turns < 20000000 && now() < began + 60 * SECOND)
		turns++;
	took = now() - began;
	CHECK(turns == 20000000, "%u turns in a minute", turns);
	CHECK(drain(&c, see_tick) > ticks, "no sample");
	CHECK(ticks >= took / rare.offset / 2, "%lu ticks in %lu ms", ticks,
	      took / 1000000);
	CHECK(all_drops(&c) > 0, "no drops");
	close_client(&c);
}

int main(void)
{
	profile(0);
	profile(1);
	stacks(1 << 20);
	stacks(4096);
	tick();
	too_much();
	return verdict("timers");
}
