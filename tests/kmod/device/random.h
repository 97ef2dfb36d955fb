/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers that can be repeated with their seed, which a test prints
 */
#ifndef SONDE_TEST_RANDOM_H
#define SONDE_TEST_RANDOM_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static __thread uint64_t random_state;

/* The seed, from a test's argument or the clock. */
static inline uint64_t seed(const char *text)
{
	random_state = text ? strtoull(text, NULL, 0) : (uint64_t)time(NULL);
	return random_state;
}

static inline uint64_t any(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

#endif
