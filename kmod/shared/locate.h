/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Reads arguments by their locations: see location.h */
#ifndef SONDE_LOCATE_H
#define SONDE_LOCATE_H

#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <string.h>
#endif

#include "kmod/shared/arch.h"
#include "kmod/shared/location.h"

/* The state of a thread at a tap. */
struct sonde_location_state {
	const uint64_t *registers; /* SONDE_CFI_REGISTERS of them */
	uint64_t thread_block;
	/* Both return 0, or an error. */
	int (*read)(void *context, uint64_t address, void *to, uint32_t length);
	int (*vector)(void *context, uint32_t number, void *to); /* SONDE_VECTOR_BYTES */
	void *context;
};

/* How many bytes of its place the part has. */
static inline uint32_t sonde_location_bytes(const struct sonde_location *location)
{
	return location->flags & SONDE_LOCATION_SIGN ? 1 : location->size;
}

static inline int sonde_location_has_room(const struct sonde_location *location, uint32_t bytes)
{
	return location->value >= 0 && location->value < bytes &&
	       sonde_location_bytes(location) <= bytes - (uint32_t)location->value;
}

/* Whether it is valid in a tap: 0, or -1. */
static inline int sonde_location_check(const struct sonde_location *location)
{
	const int based = location->base < SONDE_CFI_REGISTERS;

	if (location->argument >= SONDE_ARGUMENTS_MAX || !location->size || location->reserved ||
	    location->size > ~(uint32_t)0 - location->at ||
	    (location->flags & ~(SONDE_LOCATION_THREAD | SONDE_LOCATION_SIGN)))
		return -1;
	switch (location->kind) {
	case SONDE_LOCATION_REGISTER:
		return based && sonde_location_has_room(location, 8) ? 0 : -1;
	case SONDE_LOCATION_VECTOR:
		return location->base < SONDE_LOCATION_VECTORS && sonde_location_has_room(location, SONDE_VECTOR_BYTES) ? 0 : -1;
	case SONDE_LOCATION_CONSTANT:
		return sonde_location_bytes(location) <= 8 ? 0 : -1;
	case SONDE_LOCATION_MEMORY:
	case SONDE_LOCATION_BEHIND:
	case SONDE_LOCATION_ADDRESS:
		if (!based && location->base != SONDE_NO_REGISTER)
			return -1;
		if (location->kind == SONDE_LOCATION_ADDRESS && sonde_location_bytes(location) > 8)
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

/* Copies `length` bytes of its place, from byte `from` on. Returns 0 or an error. */
static inline int sonde_location_copy_place(const struct sonde_location *location, uint32_t from, void *to,
					    uint32_t length, const struct sonde_location_state *state)
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
	case SONDE_LOCATION_ADDRESS:
		address = sonde_location_address(location, state);
		memcpy(to, (const uint8_t *)&address + from, length);
		return 0;
	default:
		return -1;
	}
}

/* Copies `length` bytes of a part, from its byte `from` on. Returns 0 or an error. */
static inline int sonde_location_copy(const struct sonde_location *location, uint32_t from, void *to, uint32_t length,
				      const struct sonde_location_state *state)
{
	uint8_t byte = 0;
	int error;

	if (!(location->flags & SONDE_LOCATION_SIGN))
		return sonde_location_copy_place(location, from, to, length, state);
	error = sonde_location_copy_place(location, 0, &byte, 1, state);
	if (!error)
		memset(to, byte & 0x80 ? 0xff : 0, length);
	return error;
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
