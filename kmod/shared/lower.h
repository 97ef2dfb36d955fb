/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Lowering: a verified DIF program as instructions of eBPF
 *
 *   DIF --> facts, dead code --> a row for each opcode --> again, with the right branches --> struct bpf_insn[]
 *                                 |
 *                     common: arithmetic, moves, comparisons, branches, names
 *                     the target's: variables, memory, captures, the ends
 *
 * Instructions of eBPF are what all users of a fire part can run: the module hands them to the kernel's JIT
 * (kmod/device/jit.c), the source that needs no module to the verifier and then the same JIT
 * (runtime/bpf/fire_target.cpp). Where there is no such JIT they map onto the registers of x86 one by one. We refused a
 * language of our own between DIF and these: each target would need a second translation.
 *
 * Registers of DIF: the first two have a home, the others are on the stack, below the frame pointer. `one` and `two` are
 * scratch, and so is R0, unless it is a home. A row may not expect that scratch survives another row.
 *
 * Branches only go forward, so a program is translated twice: the first pass finds where each instruction begins, and
 * the second has the right distances. Both emit the same instructions. An instruction that no path reaches is left
 * out, because the kernel's verifier refuses code that cannot be reached.
 */
#ifndef SONDE_LOWER_H
#define SONDE_LOWER_H

#ifdef __KERNEL__
#include <linux/bpf.h>
#include <linux/filter.h>
#else
#include <linux/bpf.h>
#endif

#include "kmod/shared/dif.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SONDE_LOWER_NONE 0xffffffffu /* in `start`: the instruction cannot be reached */
#define SONDE_LOWER_STACK (8u * SONDE_DIF_REGISTERS) /* bytes of the stack that DIF's registers take */
#define SONDE_LOWER_FAR 32767 /* how far a branch of eBPF reaches, in instructions */

struct sonde_lowering;

/* How an opcode, or the read of a variable, is translated. What the members behind `by` mean is up to it. */
struct sonde_lower_row {
	void (*by)(struct sonde_lowering *lowering, const struct sonde_dif_insn *in, const struct sonde_lower_row *row);
	uint8_t op; /* an operation of eBPF, or a size */
	uint8_t calls; /* it needs the registers of a program with calls */
	uint32_t pointer;
	uint32_t offset;
	const void *call; /* a function */
};

struct sonde_lower_registers {
	uint8_t home[2]; /* of DIF's r0 and r1; 0: none */
	uint8_t one, two; /* scratch */
};

struct sonde_lower_target {
	/* The target's row for this instruction; NULL: the common one. A variable's is that of reading it. */
	const struct sonde_lower_row *(*row)(const struct sonde_dif_insn *in);
	/* What comes before the first instruction; may be NULL. */
	void (*begin)(struct sonde_lowering *lowering);
	/* What comes before the instruction `at`; may be NULL. */
	void (*before)(struct sonde_lowering *lowering, uint32_t at);
	/* What comes behind the last instruction; may be NULL. */
	void (*finish)(struct sonde_lowering *lowering);
	/* Before a branch, and before the end, of a program that loads: if a fault is pending, ends with its record. May use all scratch. */
	void (*check_fault)(struct sonde_lowering *lowering);
	/* `to` = word 0 or 1 of the thread's 16-byte name. May use R1, which nobody changes between word 0 and word 1. */
	void (*load_name)(struct sonde_lowering *lowering, uint8_t to, uint32_t word);
	struct sonde_lower_registers plain, calling; /* of programs without calls, and with */
};

/* Properties of a program as a whole. */
struct sonde_lower_facts {
	uint64_t zeroed; /* slots whose capture some path skips: they must be 0 before */
	uint8_t loads; /* it loads memory: a fault may be pending */
	uint8_t spans; /* its records have no fixed size */
	uint8_t faults; /* its slots may have faults */
	uint8_t calls; /* it has a row with calls */
};

struct sonde_lowering {
	/* set by the caller */
	const struct sonde_dif_program *program;
	const struct sonde_lower_target *target;
	struct bpf_insn *out;
	uint32_t room; /* instructions at `out` */
	uint32_t *start; /* one a DIF instruction: where it begins in `out` */
	/* set by sonde_lower() */
	struct sonde_lower_facts facts;
	struct sonde_lower_registers use;
	uint32_t count;
	uint32_t end; /* where all ends; known in the second pass */
	uint8_t unfit; /* a branch is too far, there is no room, or the target has no row for an opcode */
	uint8_t stacked; /* it uses registers that have no home */
};

/* 0: `count` instructions are at `out`. -1: the program cannot be lowered. */
int sonde_lower(struct sonde_lowering *lowering);

/* Whether a capture is of the thread's own name, which needs no call that may fail. */
static inline int sonde_lower_is_execname(const struct sonde_dif_insn *in)
{
	return in->op == SONDE_DIF_CAPTEXT && in->i == SONDE_DIF_TEXT_EXECNAME;
}

static inline int sonde_lower_is_load(uint32_t op)
{
	return op == SONDE_DIF_LDU || op == SONDE_DIF_LDS || op == SONDE_DIF_LDK;
}

static inline int sonde_lower_is_capture(uint32_t op)
{
	return op == SONDE_DIF_CAPW || op == SONDE_DIF_CAPSTR || op == SONDE_DIF_CAPSTRN || op == SONDE_DIF_CAPMEM ||
	       op == SONDE_DIF_CAPTEXT || op == SONDE_DIF_CAPSTACK || op == SONDE_DIF_CAPKSTR ||
	       op == SONDE_DIF_CAPKMEM || op == SONDE_DIF_CAPKSTACK;
}

static inline int sonde_lower_is_branch(uint32_t op)
{
	return op == SONDE_DIF_JMP || op == SONDE_DIF_JZ || op == SONDE_DIF_JNZ;
}

/* For rows: one instruction each, named as the kernel names them. `size`: BPF_B to BPF_DW. */
void sonde_lower_emit(struct sonde_lowering *lowering, uint8_t code, uint8_t dst, uint8_t src, int16_t off, int32_t imm);

static inline void sonde_lower_mov(struct sonde_lowering *l, uint8_t to, uint8_t from)
{
	sonde_lower_emit(l, BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}

static inline void sonde_lower_mov_imm(struct sonde_lowering *l, uint8_t to, int32_t value)
{
	sonde_lower_emit(l, BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value);
}

static inline void sonde_lower_alu(struct sonde_lowering *l, uint8_t op, uint8_t to, uint8_t from)
{
	sonde_lower_emit(l, BPF_ALU64 | op | BPF_X, to, from, 0, 0);
}

static inline void sonde_lower_alu_imm(struct sonde_lowering *l, uint8_t op, uint8_t to, int32_t value)
{
	sonde_lower_emit(l, BPF_ALU64 | op | BPF_K, to, 0, 0, value);
}

static inline void sonde_lower_ldx(struct sonde_lowering *l, uint8_t size, uint8_t to, uint8_t from, int32_t off)
{
	sonde_lower_emit(l, BPF_LDX | BPF_MEM | size, to, from, (int16_t)off, 0);
}

static inline void sonde_lower_stx(struct sonde_lowering *l, uint8_t size, uint8_t to, uint8_t from, int32_t off)
{
	sonde_lower_emit(l, BPF_STX | BPF_MEM | size, to, from, (int16_t)off, 0);
}

static inline void sonde_lower_st(struct sonde_lowering *l, uint8_t size, uint8_t to, int32_t off, int32_t value)
{
	sonde_lower_emit(l, BPF_ST | BPF_MEM | size, to, 0, (int16_t)off, value);
}

/* to = value: two instructions. */
void sonde_lower_constant(struct sonde_lowering *lowering, uint8_t to, uint64_t value);

/* Emit a branch and return its place; sonde_lower_land() makes it lead to the next instruction. */
uint32_t sonde_lower_jump(struct sonde_lowering *lowering);
uint32_t sonde_lower_branch(struct sonde_lowering *lowering, uint8_t op, uint8_t a, uint8_t b);
uint32_t sonde_lower_branch_imm(struct sonde_lowering *lowering, uint8_t op, uint8_t a, int32_t value);
void sonde_lower_land(struct sonde_lowering *lowering, uint32_t at);
/* A jump to a place that the first pass has found, such as `end`. */
void sonde_lower_jump_to(struct sonde_lowering *lowering, uint32_t place);

/* DIF's registers. home(): the register that is the home of `number`; if it has none, `scratch`. source(): one with its
 * value, which is its home, or `scratch` after a load. */
uint8_t sonde_lower_home(const struct sonde_lowering *lowering, uint32_t number, uint8_t scratch);
uint8_t sonde_lower_source(struct sonde_lowering *lowering, uint32_t number, uint8_t scratch);
void sonde_lower_load(struct sonde_lowering *lowering, uint8_t to, uint32_t number);
void sonde_lower_store(struct sonde_lowering *lowering, uint32_t number, uint8_t from);

/* The size of a record without spans. */
static inline uint32_t sonde_lower_fixed_size(const struct sonde_dif_program *program)
{
	return (uint32_t)sizeof(struct sonde_record) + 8 * program->slots;
}

#ifdef __cplusplus
}
#endif

#endif
