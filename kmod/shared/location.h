/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Where an argument is
 *
 * A compiler passes an argument in registers, in memory, or in a mixture of both. A tap has a list of locations, each
 * of one part of one argument; together the parts of an argument are its value, byte for byte:
 *
 *   f(struct { int a; double b; } s, struct big t, int k)
 *
 *   argument 0  bytes 0-7   REGISTER rdi          argument 1  bytes 0-23  MEMORY rsp + 8
 *               bytes 8-15  VECTOR xmm0           argument 2  bytes 0-3   REGISTER rsi
 *
 * To programs (dif.h) the argument is memory: its first byte has the address SONDE_ARGUMENT_ADDRESS(n), which no
 * process can map. So a load, a copy and a text of an argument, or of a member of it, are what they are everywhere
 * else, and whoever does not read an argument does not pay for it. A load beyond the argument's bytes, and of an
 * argument without locations, is a fault.
 *
 * We refused a second array beside args[]: a word is too small for a structure, and somebody must fill it at each hit.
 */
#ifndef SONDE_LOCATION_H
#define SONDE_LOCATION_H

#ifdef __KERNEL__
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stdint.h>
#include <string.h>
#endif

#include "kmod/shared/arch.h"

enum sonde_location_kind {
	SONDE_LOCATION_NONE, /* not valid in a tap */
	SONDE_LOCATION_REGISTER, /* `base`, from its byte `value` on: 1 for %ah */
	SONDE_LOCATION_VECTOR, /* the vector register `base`, from its byte `value` on: 8 for the high half */
	SONDE_LOCATION_CONSTANT, /* the bytes of `value` */
	SONDE_LOCATION_MEMORY, /* at base + index * scale + value */
	SONDE_LOCATION_BEHIND, /* at the address that is there */
	SONDE_LOCATION_COUNT
};

enum sonde_location_flag {
	SONDE_LOCATION_THREAD = 1, /* the address in memory is relative to the thread's own block: fs on x86-64 */
};

#define SONDE_NO_REGISTER 0xff
#define SONDE_LOCATIONS_MAX 64u /* of a tap */
#define SONDE_ARGUMENTS_MAX 32u

/* Registers have DWARF's numbers for the machine; vector registers are numbered from 0. */
struct sonde_location {
	uint8_t kind; /* enum sonde_location_kind */
	uint8_t flags; /* enum sonde_location_flag */
	uint8_t argument; /* below SONDE_ARGUMENTS_MAX */
	uint8_t base, index; /* SONDE_NO_REGISTER: none */
	uint8_t scale; /* of index: 1, 2, 4, 8 */
	uint16_t reserved;
	uint32_t at; /* the part's first byte in the argument's value */
	uint32_t size; /* bytes, at least 1; of a register, a vector and a constant: no more than these have */
	int64_t value;
};

#define SONDE_LOCATION_VECTORS 16u /* vector registers that may be named */
#define SONDE_VECTOR_BYTES 16u

/* Not a valid address of a process or of the kernel on any machine: neither half of the address space reaches it. */
#define SONDE_ARGUMENT_WINDOW 0x8a65000000000000ull
#define SONDE_ARGUMENT_ADDRESS(argument) (SONDE_ARGUMENT_WINDOW + ((uint64_t)(argument) << 32))

static inline int sonde_is_argument(uint64_t address)
{
	return address >> 48 == SONDE_ARGUMENT_WINDOW >> 48;
}

/* The state of a thread at a tap. */
struct sonde_location_state {
	const uint64_t *registers; /* SONDE_CFI_REGISTERS of them */
	uint64_t thread_block;
	/* Both return 0, or an error. */
	int (*read)(void *context, uint64_t address, void *to, uint32_t length);
	int (*vector)(void *context, uint32_t number, void *to); /* SONDE_VECTOR_BYTES */
	void *context;
};

static inline int sonde_location_has_room(const struct sonde_location *location, uint32_t bytes)
{
	return location->value >= 0 && location->value < bytes && location->size <= bytes - (uint32_t)location->value;
}

/* Whether it is valid in a tap: 0, or -1. */
static inline int sonde_location_check(const struct sonde_location *location)
{
	const int based = location->base < SONDE_CFI_REGISTERS;

	if (location->argument >= SONDE_ARGUMENTS_MAX || !location->size || location->reserved ||
	    location->size > ~(uint32_t)0 - location->at || (location->flags & ~SONDE_LOCATION_THREAD))
		return -1;
	switch (location->kind) {
	case SONDE_LOCATION_REGISTER:
		return based && sonde_location_has_room(location, 8) ? 0 : -1;
	case SONDE_LOCATION_VECTOR:
		return location->base < SONDE_LOCATION_VECTORS && sonde_location_has_room(location, SONDE_VECTOR_BYTES) ? 0 : -1;
	case SONDE_LOCATION_CONSTANT:
		return location->size <= 8 ? 0 : -1;
	case SONDE_LOCATION_MEMORY:
	case SONDE_LOCATION_BEHIND:
		if (!based && location->base != SONDE_NO_REGISTER)
			return -1;
		return location->index < SONDE_CFI_REGISTERS || location->index == SONDE_NO_REGISTER ? 0 : -1;
	default:
		return -1;
	}
}

static inline uint64_t sonde_location_address(const struct sonde_location *location, const struct sonde_location_state *state)
{
	uint64_t address = (uint64_t)location->value;

	if (location->base != SONDE_NO_REGISTER)
		address += state->registers[location->base];
	if (location->index != SONDE_NO_REGISTER)
		address += state->registers[location->index] * location->scale;
	if (location->flags & SONDE_LOCATION_THREAD)
		address += state->thread_block;
	return address;
}

/* Copies `length` bytes of a part, from its byte `from` on. Returns 0 or an error. */
static inline int sonde_location_copy(const struct sonde_location *location, uint32_t from, void *to, uint32_t length,
				      const struct sonde_location_state *state)
{
	const uint32_t skip = (uint32_t)location->value + from; /* in a register */
	uint8_t bytes[SONDE_VECTOR_BYTES];
	uint64_t address;
	int error;

	switch (location->kind) {
	case SONDE_LOCATION_REGISTER:
		memcpy(to, (const uint8_t *)&state->registers[location->base] + skip, length);
		return 0;
	case SONDE_LOCATION_VECTOR:
		error = state->vector(state->context, location->base, bytes);
		if (!error)
			memcpy(to, bytes + skip, length);
		return error;
	case SONDE_LOCATION_CONSTANT:
		memcpy(to, (const uint8_t *)&location->value + from, length);
		return 0;
	case SONDE_LOCATION_MEMORY:
		return state->read(state->context, sonde_location_address(location, state) + from, to, length);
	case SONDE_LOCATION_BEHIND:
		error = state->read(state->context, sonde_location_address(location, state), &address, sizeof(address));
		return error ? error : state->read(state->context, address + from, to, length);
	default:
		return -1;
	}
}

/* The part that has the byte `at` of the argument; NULL: none. */
static inline const struct sonde_location *sonde_location_find(const struct sonde_location *list, uint32_t count,
							       uint32_t argument, uint32_t at)
{
	uint32_t n;

	for (n = 0; n < count; n++) {
		if (list[n].argument == argument && at >= list[n].at && at - list[n].at < list[n].size)
			return &list[n];
	}
	return NULL;
}

/*
 * Reads `length` bytes of an argument; sonde_is_argument(address). Returns 0, or an error: then some of the bytes have
 * no location, or cannot be read. The list has passed sonde_location_check().
 */
static inline int sonde_location_read(const struct sonde_location *list, uint32_t count, uint64_t address, void *to,
				      uint32_t length, const struct sonde_location_state *state)
{
	const uint32_t argument = address >> 32 & 0xffff;
	uint32_t at = (uint32_t)address;
	uint8_t *byte = (uint8_t *)to;

	while (length) {
		const struct sonde_location *part = sonde_location_find(list, count, argument, at);
		uint32_t from, some;

		if (!part)
			return -1;
		from = at - part->at;
		some = part->size - from < length ? part->size - from : length;
		if (sonde_location_copy(part, from, byte, some, state))
			return -1;
		byte += some;
		at += some;
		length -= some;
	}
	return 0;
}

#endif
