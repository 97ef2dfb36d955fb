/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A bare client of /dev/sonde, for tests that must say what no good client says
 */
#ifndef SONDE_TEST_CLIENT_H
#define SONDE_TEST_CLIENT_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kmod/shared/abi.h"

#define RINGS_MAX 64

struct client {
	int fd;
	uint32_t rings;
	struct sonde_ring *ring[RINGS_MAX];
	uint64_t size; /* of a ring's data */
	struct sonde_exchange last;
};

static int failures;

#define CHECK(condition, ...)                                              \
	do {                                                               \
		if (!(condition)) {                                        \
			printf("FAIL %s:%d: %s: ", __FILE__, __LINE__,     \
			       #condition);                                \
			printf(__VA_ARGS__);                               \
			printf("\n");                                      \
			failures++;                                        \
		}                                                          \
	} while (0)

/* 0 or a negative errno. */
static inline int request(struct client *c, uint32_t kind, uint32_t id,
			  uint64_t value, const void *payload, uint64_t length,
			  void *answer, uint64_t room)
{
	memset(&c->last, 0, sizeof(c->last));
	c->last.request.kind = kind;
	c->last.request.id = id;
	c->last.request.value = value;
	c->last.request.length = length;
	c->last.payload = (uintptr_t)payload;
	c->last.answer = (uintptr_t)answer;
	c->last.room = room;
	return ioctl(c->fd, SONDE_EXCHANGE, &c->last) ? -errno : 0;
}

static inline int open_client(struct client *c)
{
	memset(c, 0, sizeof(*c));
	c->fd = open("/dev/sonde", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (c->fd < 0)
		return -errno;
	return request(c, SONDE_HELLO, 0, SONDE_ABI_VERSION, NULL, 0, NULL, 0);
}

/* 0 or a negative errno. */
static inline int map_ring_of(struct client *c, uint32_t n, uint64_t size)
{
	c->ring[n] = mmap(NULL, SONDE_RING_DATA + size, PROT_READ | PROT_WRITE,
			  MAP_SHARED, c->fd, n * SONDE_RING_STRIDE);
	if (c->ring[n] == MAP_FAILED)
		return -errno;
	if (n >= c->rings)
		c->rings = n + 1;
	return 0;
}

/* Makes rings; those that were mapped before stay so: see unmap_rings(). */
static inline int make_policy(struct client *c, uint64_t bytes, uint32_t policy)
{
	uint64_t offsets[RINGS_MAX];
	int err = request(c, SONDE_BUFFERS, policy, bytes, NULL, 0, offsets,
			  sizeof(offsets));
	uint32_t rings = c->last.reply.value;

	if (err)
		return err;
	c->rings = 0;
	for (c->size = 4096; c->size < bytes; c->size *= 2)
		;
	for (uint32_t n = 0; n < rings && !err; n++)
		err = offsets[n] == n * SONDE_RING_STRIDE ?
			      map_ring_of(c, n, c->size) :
			      -EPROTO;
	return err;
}

static inline int make_buffers(struct client *c, uint64_t bytes)
{
	return make_policy(c, bytes, SONDE_POLICY_SWITCH);
}

static inline void unmap_rings(struct client *c)
{
	for (uint32_t n = 0; n < c->rings; n++)
		munmap(c->ring[n], SONDE_RING_DATA + c->size);
}

static inline void close_client(struct client *c)
{
	unmap_rings(c);
	close(c->fd);
	c->fd = -1;
	c->rings = 0;
}

/* A program of these instructions; `kinds` may be NULL: all slots are words. */
static inline int load_kinds(struct client *c, uint32_t id,
			     const struct sonde_dif_insn *insns,
			     uint32_t length, uint32_t slots,
			     const uint8_t *kinds)
{
	struct {
		struct sonde_program_payload head;
		uint8_t bytes[sizeof(*insns) * 64 + SONDE_MAX_SLOTS];
	} payload = { .head = { length, slots, 0, 0 } };

	memcpy(payload.bytes, insns, length * sizeof(*insns));
	if (kinds)
		memcpy(payload.bytes + length * sizeof(*insns), kinds, slots);
	return request(c, SONDE_PROGRAM_LOAD, id, 0, &payload,
		       sizeof(payload.head) + length * sizeof(*insns) + slots,
		       NULL, 0);
}

static inline int load_words(struct client *c, uint32_t id,
			     const struct sonde_dif_insn *insns,
			     uint32_t length, uint32_t slots)
{
	return load_kinds(c, id, insns, length, slots, NULL);
}

/* Program `id` on probe `id`, by an ECB `id`, at one tap `id`. */
static inline int arm(struct client *c, uint32_t id, struct sonde_tap tap,
		      const char *path)
{
	struct sonde_ecb ecb = { id, id, id, 0 };
	char payload[sizeof(tap) + 4096];
	int err = request(c, SONDE_ECB_ADD, 0, 1, &ecb, sizeof(ecb), NULL, 0);

	if (err)
		return err;
	tap.id = tap.probe = id;
	tap.path_length = path ? strlen(path) : 0;
	memcpy(payload, &tap, sizeof(tap));
	if (path)
		memcpy(payload + sizeof(tap), path, tap.path_length);
	return request(c, SONDE_TAP_ARM, 0, 1, payload,
		       sizeof(tap) + tap.path_length, NULL, 0);
}

static inline void go(struct client *c)
{
	CHECK(request(c, SONDE_GO, 0, 0, NULL, 0, NULL, 0) == 0, "go");
}

/* Takes all records out; `see` may be NULL. Returns how many there were. */
static inline uint64_t drain(struct client *c,
			     void (*see)(const struct sonde_record *))
{
	uint64_t seen = 0;

	for (uint32_t n = 0; n < c->rings; n++) {
		struct sonde_ring *ring = c->ring[n];
		uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
		uint64_t tail = ring->tail;

		while (tail < head) {
			struct sonde_record *record =
				(void *)((char *)ring + SONDE_RING_DATA +
					 tail % c->size);

			if (record->size < 8 || record->size % 8) {
				printf("FAIL: a record of %u bytes\n",
				       record->size);
				failures++;
				return seen;
			}
			tail += record->size;
			if (record->flags & SONDE_RECORD_PADDING)
				continue;
			seen++;
			if (see)
				see(record);
		}
		__atomic_store_n(&ring->tail, tail, __ATOMIC_RELEASE);
	}
	return seen;
}

static inline uint64_t drops(struct client *c)
{
	uint64_t sum = 0;

	for (uint32_t n = 0; n < c->rings; n++)
		sum += __atomic_load_n(&c->ring[n]->drops, __ATOMIC_RELAXED);
	return sum;
}

#endif
