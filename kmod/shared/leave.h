/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The instructions that leave a function
 *
 * A return probe is on each instruction by which its function can be left: its own `ret`s, and the jumps that may lead
 * out of it (tail calls, jumps through an operand). The kind of such an instruction is determined once, by the code
 * that disassembles the function, and travels with the tap. Whether it leaves the function this time is decided when it
 * fires, here, by one function for the guard and the kernel module:
 *
 *   RETURN         always
 *   JUMP           always: only jumps that lead out are armed
 *   JUMP_IF        if its condition holds
 *   JUMP_OPERAND   if the operand's target is outside of the function's parts
 *
 * REENTER does not leave. It is a jump from inside of a function to its own first instruction (a loop, or Go after its
 * stack has grown). It is armed with the ENTRY tap, so that such an arrival is not taken for a call.
 *
 * We refused breakpoints on return addresses, and the kernel's uretprobes: a frame that an exception or longjmp leaves
 * never returns, a function that is entered by a jump has no return address, and stacks may move.
 */
#ifndef SONDE_LEAVE_H
#define SONDE_LEAVE_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

enum sonde_leave_how {
	SONDE_LEAVE_NONE, /* no such instruction */
	SONDE_LEAVE_RETURN,
	SONDE_LEAVE_JUMP,
	SONDE_LEAVE_JUMP_IF,
	SONDE_LEAVE_JUMP_OPERAND,
	SONDE_LEAVE_REENTER, /* an unconditional jump to the function's first instruction */
	SONDE_LEAVE_REENTER_IF,
	SONDE_LEAVE_COUNT
};

enum sonde_leave_flag {
	SONDE_LEAVE_MEMORY = 1, /* the operand is in memory; else it is the register `base` */
	SONDE_LEAVE_FS = 2, /* the operand's segment */
	SONDE_LEAVE_GS = 4,
};

#define SONDE_LEAVE_PARTS 2 /* parts of a function: the hot and the cold one */
#define SONDE_LEAVE_NO_REGISTER 0xff
#define SONDE_LEAVE_RIP 0xfe /* as base: the address of the next instruction */

struct sonde_leave {
	uint8_t how; /* enum sonde_leave_how */
	uint8_t length; /* of the instruction, bytes */
	uint8_t condition; /* of the _IF kinds: the low four bits of the opcode */
	uint8_t flags; /* enum sonde_leave_flag */
	uint8_t base, index; /* registers by their numbers in instructions: 0 rax, 1 rcx, 2 rdx, 3 rbx, 4 rsp, 5 rbp, 6 rsi, 7 rdi, 8.. r8 */
	uint8_t scale; /* of index: 1, 2, 4, 8 */
	uint8_t reserved;
	int32_t displacement;
	struct {
		int32_t from, to; /* bytes from the instruction's address; empty: none */
	} parts[SONDE_LEAVE_PARTS];
};

/* The state of a thread at the instruction. */
struct sonde_leave_state {
	uint64_t pc; /* address of the instruction */
	uint64_t flags;
	uint64_t registers[16]; /* by the numbers above */
	uint64_t fs_base, gs_base;
	/* Reads the thread's memory: 0, or an error. */
	int (*read)(void *context, uint64_t address, uint64_t *value);
	void *context;
};

/* Whether it is valid in a tap. 0, or -1. */
static inline int sonde_leave_check(const struct sonde_leave *leave)
{
	int part;

	if (leave->how >= SONDE_LEAVE_COUNT || leave->condition > 15 || leave->flags > 7 || leave->reserved)
		return -1;
	for (part = 0; part < SONDE_LEAVE_PARTS; part++) {
		if (leave->parts[part].from > leave->parts[part].to)
			return -1;
	}
	if (leave->how != SONDE_LEAVE_JUMP_OPERAND)
		return 0;
	if (leave->base > 15 && leave->base != SONDE_LEAVE_NO_REGISTER && leave->base != SONDE_LEAVE_RIP)
		return -1;
	if (!(leave->flags & SONDE_LEAVE_MEMORY))
		return leave->base > 15 ? -1 : 0;
	if (leave->index > 15 && leave->index != SONDE_LEAVE_NO_REGISTER)
		return -1;
	return 0;
}

/* Whether a conditional branch is taken. */
static inline int sonde_condition_holds(uint8_t condition, uint64_t flags)
{
	int carry = flags & 1, parity = flags >> 2 & 1, zero = flags >> 6 & 1;
	int sign = flags >> 7 & 1, overflow = flags >> 11 & 1, holds;

	switch (condition >> 1) {
	case 0: holds = overflow; break;
	case 1: holds = carry; break;
	case 2: holds = zero; break;
	case 3: holds = carry || zero; break;
	case 4: holds = sign; break;
	case 5: holds = parity; break;
	case 6: holds = sign != overflow; break;
	default: holds = zero || sign != overflow; break;
	}
	return holds != (condition & 1);
}

/* The target of a jump through an operand. Returns 0, or the error of `read`. */
static inline int sonde_leave_target(const struct sonde_leave *leave, const struct sonde_leave_state *state, uint64_t *target)
{
	uint64_t address;

	if (!(leave->flags & SONDE_LEAVE_MEMORY)) {
		*target = state->registers[leave->base & 15];
		return 0;
	}
	address = (uint64_t)(int64_t)leave->displacement;
	if (leave->base == SONDE_LEAVE_RIP)
		address += state->pc + leave->length;
	else if (leave->base != SONDE_LEAVE_NO_REGISTER)
		address += state->registers[leave->base & 15];
	if (leave->index != SONDE_LEAVE_NO_REGISTER)
		address += state->registers[leave->index & 15] * leave->scale;
	if (leave->flags & SONDE_LEAVE_FS)
		address += state->fs_base;
	if (leave->flags & SONDE_LEAVE_GS)
		address += state->gs_base;
	return state->read(state->context, address, target);
}

static inline int sonde_leave_inside(const struct sonde_leave *leave, uint64_t pc, uint64_t target)
{
	int64_t at = (int64_t)(target - pc);
	int part;

	for (part = 0; part < SONDE_LEAVE_PARTS; part++) {
		if (at >= leave->parts[part].from && at < leave->parts[part].to)
			return 1;
	}
	return 0;
}

/*
 * Whether the instruction, which is about to run, leaves its function; for REENTER kinds: whether it jumps to the first
 * instruction. A jump whose target cannot be read will fault, so it does not leave.
 */
static inline int sonde_leaves(const struct sonde_leave *leave, const struct sonde_leave_state *state)
{
	uint64_t target;

	switch (leave->how) {
	case SONDE_LEAVE_RETURN:
	case SONDE_LEAVE_JUMP:
	case SONDE_LEAVE_REENTER:
		return 1;
	case SONDE_LEAVE_JUMP_IF:
	case SONDE_LEAVE_REENTER_IF:
		return sonde_condition_holds(leave->condition, state->flags);
	case SONDE_LEAVE_JUMP_OPERAND:
		return sonde_leave_target(leave, state, &target) == 0 && !sonde_leave_inside(leave, state->pc, target);
	default:
		return 0;
	}
}

#endif
