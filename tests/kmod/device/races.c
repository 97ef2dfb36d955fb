// SPDX-License-Identifier: GPL-2.0
/*
 * Races between two threads, or two CPUs, that must not harm a session
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>

#include "child.h"

static struct client c;
static volatile int over;

#define SWAPPED (8u << 20) /* bytes of a ring: mapping it takes a while */

static void *map_all_the_time(void *maps)
{
	while (!over) {
		void *at = mmap(NULL, SONDE_RING_DATA + SWAPPED,
				PROT_READ | PROT_WRITE, MAP_SHARED, c.fd, 0);

		if (at == MAP_FAILED)
			continue;
		munmap(at, SONDE_RING_DATA + SWAPPED);
		++*(unsigned long *)maps;
	}
	return NULL;
}

/* One thread maps a ring while another replaces it. */
static void mapped_and_replaced(void)
{
	uint64_t end = now() + 4 * SECOND, offsets[RINGS_MAX];
	unsigned long maps = 0, swaps = 0;
	pthread_t thread;

	over = 0;
	GRANTED(&c, open_client(&c));
	GRANTED(&c, make_buffers(&c, SWAPPED));
	pthread_create(&thread, NULL, map_all_the_time, &maps);
	for (; now() < end || !maps; swaps++)
		GRANTED(&c, request(&c, SONDE_BUFFERS, 0, SWAPPED, NULL, 0,
				    offsets, sizeof(offsets)));
	over = 1;
	pthread_join(thread, NULL);
	CHECK(maps && swaps, "%lu maps, %lu swaps", maps, swaps);
	close_client(&c);
}

#define SLOW 800 /* instructions, so that most firings are between reserve and commit */

static volatile unsigned long fired_slowly;

static void *fire_slowly(void *unused)
{
	pin(0);
	for (; !over; fired_slowly++)
		syscall(SYS_getpgrp);
	return unused;
}

/* Waits until some more firings have begun and ended. */
static void let_fire(void)
{
	unsigned long before = fired_slowly;

	CHECK(SOON(fired_slowly > before + 2), "CPU 0 does not fire");
}

/* Policy fill: the ring of one CPU overflows while another makes a record. */
static void filled_on_two_cpus(void)
{
	static struct sonde_dif_insn slow[SLOW + 2];

	for (int n = 0; n < SLOW; n++)
		slow[n] = (struct sonde_dif_insn){
			SONDE_DIF_VAR, 1, 0, 0, SONDE_DIF_VAR_VTIMESTAMP };
	slow[SLOW] = (struct sonde_dif_insn){ SONDE_DIF_CAPW, 0, 1, 0, 0 };
	slow[SLOW + 1].op = SONDE_DIF_RECORD;
	for (int round = 0; round < 5; round++) {
		uint64_t head;
		pthread_t thread;

		over = 0;
		GRANTED(&c, open_client(&c));
		GRANTED(&c, make_policy(&c, 4096, SONDE_POLICY_FILL));
		GRANTED(&c, load_words(&c, 1, slow, SLOW + 2, 1));
		GRANTED(&c, load_words(&c, 2, INSNS(word0), 1));
		GRANTED(&c, arm_kind(&c, 1, SONDE_TAP_SYSCALL_ENTRY,
				     SYS_getpgrp));
		GRANTED(&c, arm_kind(&c, 2, SONDE_TAP_SYSCALL_ENTRY,
				     SYS_getppid));
		go(&c);
		pthread_create(&thread, NULL, fire_slowly, NULL);
		pin(1);
		CHECK(SOON(__atomic_load_n(&c.ring[0]->head, __ATOMIC_ACQUIRE)),
		      "CPU 0 records nothing");
		for (int n = 0; n < 200; n++)
			syscall(SYS_getppid); /* fills the ring of this CPU */
		let_fire(); /* a firing on the other CPU may be in progress */
		head = __atomic_load_n(&c.ring[0]->head, __ATOMIC_ACQUIRE);
		let_fire();
		CHECK(head <= 4096 && c.ring[0]->head == head,
		      "CPU 0 goes on to record: %lu, then %lu", head,
		      c.ring[0]->head);
		CHECK(drops(&c) > 0, "no drop");
		over = 1;
		pthread_join(thread, NULL);
		close_client(&c);
	}
}

#define OTHERS 3000 /* taps in the same request, which only take time */

static volatile int fired;
static __attribute__((noinline)) void function(void)
{
	fired++;
	__asm__ volatile("" ::: "memory");
}

static int call_function(void)
{
	for (;;)
		function();
	return 0;
}

/* A tap that holds is hit while the request that arms it is still in progress. */
static void held_at_once(void)
{
	static struct {
		struct sonde_tap taps[OTHERS + 1];
		char path[SONDE_PATH_MAX];
	} payload;
	struct child child;
	uint32_t taps = OTHERS + 1;

	payload.taps[0] = function_tap(SONDE_TAP_USER_ENTRY, function,
				       payload.path);
	payload.taps[0].id = payload.taps[0].probe = 1;
	payload.taps[0].path_length = strlen(payload.path);
	for (uint32_t n = 1; n < taps; n++)
		payload.taps[n] = (struct sonde_tap){
			.id = n + 1, .probe = n + 1, .kind = SONDE_TAP_CREATE };
	GRANTED(&c, open_session(&c, 4096));
	child = start_child(&c, call_function);
	open_gate(&child);
	GRANTED(&c, attach(&c, child.pid));
	GRANTED(&c, load_words(&c, 1, INSNS(word0), 1));
	go(&c);
	GRANTED(&c, add_ecb(&c, (struct sonde_ecb){ 1, 1, 1,
						    SONDE_ECB_HELD }));
	GRANTED(&c, request(&c, SONDE_TAP_ARM, 0, taps, &payload,
			    sizeof(payload.taps) + strlen(payload.path), NULL,
			    0));
	CHECK(SOON(drain(&c, NULL) == 1), "it is not held");
	usleep(100000);
	CHECK(drain(&c, NULL) == 0, "it goes on without a release");
	kill(child.pid, SIGKILL);
	CHECK_KILLED(&child);
	close_client(&c);
}

int main(void)
{
	run_apart(mapped_and_replaced);
	run_apart(filled_on_two_cpus);
	run_apart(held_at_once);
	return verdict("races");
}
