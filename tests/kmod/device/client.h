/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A minimal client of /dev/sonde, for tests that need requests of a faulty
 * client
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
#include <time.h>
#include <unistd.h>

#include "kmod/shared/abi.h"
#include "kmod/shared/request.h"

#define RINGS_MAX 64

struct client {
	int fd;
	uint32_t rings;
	struct sonde_ring *ring[RINGS_MAX];
	uint64_t size; /* size of a ring's data */
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

/* A request that must succeed; otherwise prints the kernel's message. */
#define GRANTED(c, call)                                                   \
	CHECK((call) == 0, "%s: %s", strerror(errno), (c)->last.reply.why)

#define SECOND 1000000000ull

/* CLOCK_MONOTONIC, in ns. */
static inline uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

/* Whether the condition becomes true within a minute. */
#define SOON(condition)                                                    \
	({                                                                 \
		uint64_t limit_ = now() + 60 * SECOND;                     \
		int is_so_;                                                \
                                                                           \
		while (!(is_so_ = !!(condition)) && now() < limit_)        \
			usleep(1000);                                      \
		is_so_;                                                    \
	})

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* The result of main(). */
static inline int verdict(const char *test)
{
	printf("%s: %s\n", test, failures ? "FAILED" : "passed");
	return failures != 0;
}

/* Returns 0 or a negative errno. */
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

/* A request without payload and answer. */
static inline int ask(struct client *c, uint32_t kind, uint32_t id,
		      uint64_t value)
{
	return request(c, kind, id, value, NULL, 0, NULL, 0);
}

static inline int open_client(struct client *c)
{
	memset(c, 0, sizeof(*c));
	c->fd = open("/dev/sonde", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (c->fd < 0)
		return -errno;
	return ask(c, SONDE_HELLO, 0, SONDE_ABI_VERSION);
}

/* Returns 0 or a negative errno. */
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

/* Makes rings; earlier mappings remain: see unmap_rings(). */
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

/* A session with rings of this many bytes. */
static inline int open_session(struct client *c, uint64_t bytes)
{
	int err = open_client(c);

	return err ? err : make_buffers(c, bytes);
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

/* Programs that capture words: argument 0, argument 1, all six. */
static const struct sonde_dif_insn word0[] = {
	{ SONDE_DIF_ARG, 0, 0, 0, 0 },
	{ SONDE_DIF_CAPW, 0, 0, 0, 0 },
	{ .op = SONDE_DIF_RECORD },
};
static const struct sonde_dif_insn word1[] = {
	{ SONDE_DIF_ARG, 0, 0, 0, 1 },
	{ SONDE_DIF_CAPW, 0, 0, 0, 0 },
	{ .op = SONDE_DIF_RECORD },
};
static const struct sonde_dif_insn six_words[] = {
	{ SONDE_DIF_ARG, 0, 0, 0, 0 }, { SONDE_DIF_CAPW, 0, 0, 0, 0 },
	{ SONDE_DIF_ARG, 0, 0, 0, 1 }, { SONDE_DIF_CAPW, 1, 0, 0, 0 },
	{ SONDE_DIF_ARG, 0, 0, 0, 2 }, { SONDE_DIF_CAPW, 2, 0, 0, 0 },
	{ SONDE_DIF_ARG, 0, 0, 0, 3 }, { SONDE_DIF_CAPW, 3, 0, 0, 0 },
	{ SONDE_DIF_ARG, 0, 0, 0, 4 }, { SONDE_DIF_CAPW, 4, 0, 0, 0 },
	{ SONDE_DIF_ARG, 0, 0, 0, 5 }, { SONDE_DIF_CAPW, 5, 0, 0, 0 },
	{ .op = SONDE_DIF_RECORD },
};

/* If kinds is NULL, all slots are words. */
static inline int load_program(struct client *c, uint32_t id,
			       const struct sonde_dif_program *program)
{
	struct sonde_program_payload head = { program->length, program->slots,
					      program->pool_size, 0 };
	size_t insns = program->length * sizeof(*program->insns);
	size_t size = sizeof(head) + insns + program->slots +
		      program->pool_size;
	uint8_t *payload = calloc(1, size), *at = payload;
	int err;

	if (!payload)
		exit(2);
	memcpy(at, &head, sizeof(head));
	at += sizeof(head);
	memcpy(at, program->insns, insns);
	at += insns;
	if (program->kinds)
		memcpy(at, program->kinds, program->slots);
	at += program->slots;
	if (program->pool)
		memcpy(at, program->pool, program->pool_size);
	err = request(c, SONDE_PROGRAM_LOAD, id, 0, payload, size, NULL, 0);
	free(payload);
	return err;
}

#define INSNS(array) (array), LENGTH(array)

static inline int load_kinds(struct client *c, uint32_t id,
			     const struct sonde_dif_insn *insns,
			     uint32_t length, uint32_t slots,
			     const uint8_t *kinds)
{
	struct sonde_dif_program program = { .insns = insns, .length = length,
					     .slots = slots, .kinds = kinds };

	return load_program(c, id, &program);
}

static inline int load_words(struct client *c, uint32_t id,
			     const struct sonde_dif_insn *insns,
			     uint32_t length, uint32_t slots)
{
	return load_kinds(c, id, insns, length, slots, NULL);
}

static inline int add_ecb(struct client *c, struct sonde_ecb ecb)
{
	return request(c, SONDE_ECB_ADD, 0, 1, &ecb, sizeof(ecb), NULL, 0);
}

/* `path` may be NULL. */
static inline int arm_tap(struct client *c, struct sonde_tap tap,
			  const char *path)
{
	char payload[sizeof(tap) + SONDE_PATH_MAX];

	tap.path_length = path ? strlen(path) : 0;
	memcpy(payload, &tap, sizeof(tap));
	if (path)
		memcpy(payload + sizeof(tap), path, tap.path_length);
	return request(c, SONDE_TAP_ARM, 0, 1, payload,
		       sizeof(tap) + tap.path_length, NULL, 0);
}

/* Loads program `id`, adds it to probe `id` as ECB `id`, and arms one tap `id`. */
static inline int arm(struct client *c, uint32_t id, struct sonde_tap tap,
		      const char *path)
{
	int err = add_ecb(c, (struct sonde_ecb){ id, id, id, 0 });

	tap.id = tap.probe = id;
	return err ? err : arm_tap(c, tap, path);
}

/* The same for a tap that has only a kind and a number. */
static inline int arm_kind(struct client *c, uint32_t id, uint32_t kind,
			   uint32_t number)
{
	struct sonde_tap tap = { .kind = kind, .number = number };

	return arm(c, id, tap, NULL);
}

static inline int disarm(struct client *c, uint32_t id)
{
	return request(c, SONDE_TAP_DISARM, 0, 1, &id, sizeof(id), NULL, 0);
}

/* A tap on a function of this program; the name of its file is stored in `path`. */
static inline struct sonde_tap function_tap(uint32_t kind, const void *function,
					    char path[SONDE_PATH_MAX])
{
	uint64_t at = (uintptr_t)function, low, high, offset;
	FILE *maps = fopen("/proc/self/maps", "r");
	struct sonde_tap tap = { .kind = kind };
	char line[4400];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4000s", &low, &high,
			   &offset, path) == 4 &&
		    at >= low && at < high) {
			fclose(maps);
			tap.offset = tap.function = at - low + offset;
			return tap;
		}
	exit(2);
}

/* A tap on the `ret` at `at` in a function of this program. */
static inline struct sonde_tap return_tap(const void *function, const void *at,
					  char path[SONDE_PATH_MAX])
{
	struct sonde_tap tap = function_tap(SONDE_TAP_USER_RETURN, at, path);

	tap.function -= (uintptr_t)at - (uintptr_t)function;
	tap.leave.how = SONDE_LEAVE_RETURN;
	return tap;
}

static inline int attach(struct client *c, pid_t pid)
{
	return ask(c, SONDE_ATTACH, 0, pid);
}

static inline void go(struct client *c)
{
	GRANTED(c, ask(c, SONDE_GO, 0, 0));
}

/* Reads all records; `see` may be NULL. Returns their number. */
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

/* Bytes that the module has allocated for a kind; NULL: for all kinds. */
static inline uint64_t allocated(const char *kind)
{
	FILE *file = fopen("/proc/sonde", "r");
	uint64_t bytes, sum = 0, lines = 0;
	char line[512], name[64];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "memory %60[^:]: %*u objects, %lu bytes", name,
			   &bytes) != 2)
			continue;
		lines++;
		if (!kind || strcmp(kind, name) == 0)
			sum += bytes;
	}
	if (file)
		fclose(file);
	CHECK(lines > 5, "/proc/sonde has %lu kinds of memory", lines);
	return sum;
}

/* Drops, including those that no ring counts. */
static inline uint64_t all_drops(struct client *c)
{
	struct sonde_statistics all = {};

	GRANTED(c, request(c, SONDE_STATISTICS, 0, 0, NULL, 0, &all,
			   sizeof(all)));
	return all.drops;
}

static inline uint64_t drops(struct client *c)
{
	uint64_t sum = 0;

	for (uint32_t n = 0; n < c->rings; n++)
		sum += __atomic_load_n(&c->ring[n]->drops, __ATOMIC_RELAXED);
	return sum;
}

#endif
