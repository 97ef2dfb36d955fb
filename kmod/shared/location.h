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
 * locate.h reads them. This header includes nothing of ours, because it is installed for provider.h.
 *
 * We refused a second array beside args[]: a word is too small for a structure, and somebody must fill it at each hit.
 */
#ifndef SONDE_LOCATION_H
#define SONDE_LOCATION_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

enum sonde_location_kind {
	SONDE_LOCATION_NONE, /* not valid in a tap */
	SONDE_LOCATION_REGISTER, /* `base`, from its byte `value` on: 1 for %ah */
	SONDE_LOCATION_VECTOR, /* the vector register `base`, from its byte `value` on: 8 for the high half */
	SONDE_LOCATION_CONSTANT, /* the bytes of `value` */
	SONDE_LOCATION_MEMORY, /* at base + index * scale + value */
	SONDE_LOCATION_BEHIND, /* at the address that is there */
	SONDE_LOCATION_ADDRESS, /* the bytes of base + index * scale + value itself */
	SONDE_LOCATION_COUNT
};

enum sonde_location_flag {
	SONDE_LOCATION_THREAD = 1, /* the address in memory is relative to the thread's own block: fs on x86-64 */
	SONDE_LOCATION_SIGN = 2, /* one byte is there; all bytes of the part repeat its sign: what makes an int a long */
};

#define SONDE_NO_REGISTER 0xff
#define SONDE_LOCATIONS_MAX 64u /* of a tap */
#define SONDE_ARGUMENTS_MAX 32u

/*
 * Registers have DWARF's numbers for the machine, that of the return address is the program counter; vector registers
 * are numbered from 0.
 */
struct sonde_location {
	uint8_t kind; /* enum sonde_location_kind */
	uint8_t flags; /* enum sonde_location_flag */
	uint8_t argument; /* below SONDE_ARGUMENTS_MAX */
	uint8_t base, index; /* SONDE_NO_REGISTER: none */
	uint8_t scale; /* of index: 1, 2, 4, 8 */
	uint16_t reserved;
	uint32_t at; /* the part's first byte in the argument's value */
	uint32_t size; /* bytes, at least 1; without SIGN, of a register, a vector, a constant and an address: no more than these have */
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

#endif
