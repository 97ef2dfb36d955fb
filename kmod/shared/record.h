/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Records and the ring that carries them
 *
 * One writer, one reader, one ring. The writer reserves, fills and commits by
 * moving head; the reader consumes by moving tail. Positions are bytes and only
 * grow; position p is at p % size in the data. A record never wraps: if the end
 * of the data is too near, a padding record fills it.
 *
 *   |   free   | record | record | padding |
 *              ^ tail (reader's)           ^ head (writer's)
 *
 * low_water is the time below which this ring is complete: a writer stores the
 * current time in it before it starts a firing (so before it takes the record's
 * timestamp), and SONDE_IDLE when it is done. A reader takes the time T, then
 * reads every ring's low_water, then the heads: it may deliver, in order, all
 * records older than T and than every low_water.
 *
 * The reader does not trust the writer: sonde_record_check() (record.c) checks
 * the bounds of every record before anything else reads it.
 */
#ifndef SONDE_RECORD_H
#define SONDE_RECORD_H

#ifdef __KERNEL__
#include <linux/types.h>
#ifndef UINT64_MAX
#define UINT64_MAX (~0ull)
#endif
#else
#include <stddef.h>
#include <stdint.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define SONDE_RING_MAGIC 0x65646e6f53524e47ull
#define SONDE_RING_DATA 4096u /* where the data begins in the mapping */
#define SONDE_IDLE UINT64_MAX
#define SONDE_MAX_SLOTS 64u
#define SONDE_RECORD_MAX 1048576u /* bytes; no program may make a longer record */

struct sonde_ring {
	/* constant */
	uint64_t magic;
	uint64_t size; /* bytes of data, a power of two */
	uint32_t writer; /* index of this writer: the CPU, or a number */
	uint32_t reserved0[11];
	/* the writer's line */
	uint64_t head;
	uint64_t low_water;
	uint64_t drops; /* records that did not fit, in total */
	uint64_t events; /* sent before the records below head; the guard's only, else 0 */
	uint64_t reserved1[4];
	/* the reader's line */
	uint64_t tail;
	uint64_t reserved2[7];
};

enum sonde_record_flags {
	SONDE_RECORD_PADDING = 1, /* only size and flags are valid */
	SONDE_RECORD_PREDICATE_FAULT = 2, /* the fire part's filter faulted; slot 0 = address */
	SONDE_RECORD_HELD = 4, /* the thread waits for a release */
	SONDE_RECORD_STACKS_COPIED = 16, /* slots of user stacks have what a walk needs (copied_stack.h): the source finishes the record before it is checked */
	SONDE_RECORD_UNNAMED_CALL = 8, /* `probe` is the number of a system call without a name; the probe is that of the epid */
};

/* Slots follow at fixed offsets, then the bytes that spans point to. */
struct sonde_record {
	uint32_t size; /* the whole record, a multiple of 8 */
	uint16_t flags;
	uint16_t slots; /* number of slots */
	uint32_t epid; /* the enabled clause (ECB) */
	uint32_t probe; /* id of the probe that fired */
	uint64_t timestamp; /* CLOCK_MONOTONIC, ns; the same for all ECBs of one firing */
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint32_t sequence; /* number of the firing in this writer: distinguishes firings with one timestamp */
	uint64_t faults; /* bit n: slot n could not be captured, and holds the bad address */
	uint64_t slot[];
};

/* A slot that holds a span: bytes [offset, offset + length) of the record.
 * Text spans are followed by a NUL that the length does not count. */
#define SONDE_SPAN(offset, length) (((uint64_t)(offset) << 32) | (uint32_t)(length))
#define SONDE_SPAN_OFFSET(slot) ((uint32_t)((slot) >> 32))
#define SONDE_SPAN_LENGTH(slot) ((uint32_t)(slot))

/* The content of an ECB's slot; the reader checks spans by it. */
enum sonde_slot_kind {
	SONDE_SLOT_WORD, /* 64 bits */
	SONDE_SLOT_TEXT, /* span of bytes, then a NUL */
	SONDE_SLOT_BYTES, /* span of bytes */
	SONDE_SLOT_STACK, /* span of u64 program counters, innermost first */
	SONDE_SLOT_KERNEL_STACK, /* the same, in the kernel */
};

/* 0 if `record` (of which `available` bytes may be read) is well-formed and every
 * span is inside it, else -1. Faulted slots are not checked. `kinds` has `slots` entries. */
int sonde_record_check(const struct sonde_record *record, uint64_t available,
		       const uint8_t *kinds, uint32_t slots);

#ifdef __cplusplus
}
#endif

#endif
