/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Call frame information: from a function's frame to its caller's, without frame pointers
 *
 * Code built with optimisation keeps no chain of frame pointers. It has .eh_frame instead, which is loaded with the
 * program: for each address of code, where the caller's registers lie. The linker adds .eh_frame_hdr, sorted pairs of
 * code and FDE:
 *
 *   pc --> ELF header --> .eh_frame_hdr (bisect) --> FDE, its CIE --> run both up to pc --> row: CFA, rules
 *      row, registers, stack --> the caller's registers
 *
 * One reader for all who unwind. What it reads comes through two functions of its user, so the tables and the stack may
 * be the memory of the thread that runs, of a process that is stopped, of a file, or a copy in a record.
 *
 * Nothing that is read is believed: entries, expressions and what they keep are bounded, a step is paid for each
 * instruction, and what makes no sense has no row. A row holds no address: places in it count from the table's header, so
 * it holds for every process that has the object, wherever it is loaded.
 *
 * Functions return 0 or: -ENOENT nothing is there for this pc, or the stack begins here; -EFAULT memory that could not be
 * read; -EINVAL what makes no sense; -E2BIG no step is left.
 */
#ifndef SONDE_EH_FRAME_H
#define SONDE_EH_FRAME_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

#include "kmod/shared/arch.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SONDE_CFI_WINDOW 64u /* bytes of a table that are read at once, at most */
#define SONDE_CFI_REMEMBERED 8u /* rows that a function may remember */
#define SONDE_CFI_FRAME_MAX (1ull << 24) /* bytes of a frame that is left by its frame pointer */

/* Where a register of the caller is. */
enum sonde_cfi_rule {
	SONDE_CFI_SAME, /* where it was */
	SONDE_CFI_UNDEFINED,
	SONDE_CFI_AT_OFFSET, /* in memory, at the CFA + offset */
	SONDE_CFI_IS_OFFSET, /* it is the CFA + offset */
	SONDE_CFI_IN_REGISTER, /* whose number is the offset */
	SONDE_CFI_AT_EXPRESSION, /* in memory, where the expression says */
	SONDE_CFI_IS_EXPRESSION,
};

/* What holds at one address of code. */
struct sonde_cfi_row {
	int64_t cfa_offset; /* from cfa_register */
	int32_t cfa_expression; /* of the CFA, if not 0; expressions lie at header + this */
	uint8_t cfa_register;
	uint8_t return_register;
	uint8_t signal_frame; /* the caller was interrupted, it did not call */
	uint8_t kinds[SONDE_CFI_REGISTERS]; /* enum sonde_cfi_rule */
	int32_t offsets[SONDE_CFI_REGISTERS];
};

/* Of one ELF object, as it is loaded. */
struct sonde_cfi_table {
	uint64_t header; /* address of .eh_frame_hdr; of .eh_frame, where there is none */
	uint64_t pairs; /* behind it: pairs of int32_t, code and FDE, from the header; sorted */
	uint32_t count; /* of pairs; 0: nothing that can be read */
};

/* What the reader's user provides. */
struct sonde_cfi_env {
	/*
	 * All of `length` bytes, or not 0: of tables, at most SONDE_CFI_WINDOW, which may be more than an entry has but
	 * never lead over the end of its page; of the stack
	 */
	int (*read_table)(void *context, uint64_t address, void *to, uint32_t length);
	int (*read_stack)(void *context, uint64_t address, void *to, uint32_t length);
	/* For sonde_cfi_walk(): whether an address is of code */
	int (*is_code)(void *context, uint64_t pc);
	/* the row of a pc, and what it counts from; NULL: there is none */
	const struct sonde_cfi_row *(*row)(void *context, uint64_t pc, uint64_t *header);
};

/* What the FDEs of one CIE have in common. */
struct sonde_cfi_common {
	uint64_t at; /* 0: none is known */
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding; /* of an FDE's addresses */
	uint8_t augmented; /* an FDE has a block before its instructions */
	struct sonde_cfi_row first; /* that its instructions make */
};

/* A reader. Some 1.3 KiB: in the kernel it is no local variable. */
struct sonde_cfi {
	const struct sonde_cfi_env *env;
	void *context; /* handed to env */
	uint32_t steps; /* that may still be taken: headers, pairs, instructions, operations */
	/* the last that sonde_cfi_row_at() has made */
	struct sonde_cfi_row row;
	/* private: bytes that are read, one after another */
	int error;
	uint64_t at, end;
	uint64_t window_at;
	uint32_t window;
	uint32_t kept_count;
	uint8_t bytes[SONDE_CFI_WINDOW];
	struct sonde_cfi_common common;
	struct sonde_cfi_row kept[SONDE_CFI_REMEMBERED];
	uint64_t caller[SONDE_CFI_REGISTERS];
};

/* A reader with so many steps. It keeps what it has read: tables must not change while it is used. */
void sonde_cfi_begin(struct sonde_cfi *c, const struct sonde_cfi_env *env, void *context, uint32_t steps);

/*
 * The table of the object whose ELF header lies at `base`, if `pc` is code of it. -ENOENT: it is not, or no such header is
 * there.
 */
int sonde_cfi_open(struct sonde_cfi *c, uint64_t base, uint64_t pc, struct sonde_cfi_table *table);

/* The FDE that may have `pc`, by bisection. */
int sonde_cfi_find(struct sonde_cfi *c, const struct sonde_cfi_table *table, uint64_t pc, uint64_t *fde);

/* From one entry of .eh_frame, at *at, to the next. *code: the first address that it is for; 0: it is no FDE. */
int sonde_cfi_next(struct sonde_cfi *c, uint64_t header, uint64_t *at, uint64_t *code);

/* Makes c->row of `pc`, by the FDE at `fde`. */
int sonde_cfi_row_at(struct sonde_cfi *c, uint64_t header, uint64_t fde, uint64_t pc);

/* From a frame's registers to its caller's. They stay where that fails. */
int sonde_cfi_apply(struct sonde_cfi *c, uint64_t header, const struct sonde_cfi_row *row,
		    uint64_t registers[SONDE_CFI_REGISTERS]);

/*
 * Program counters, innermost first; returns how many, at most `max`. Code without a row is left by its frame pointer, if
 * that is above the stack pointer, and leads to code. `at_entry`: nothing is pushed but the return address.
 * `registers` are those of the last frame then.
 */
uint32_t sonde_cfi_walk(struct sonde_cfi *c, uint64_t registers[SONDE_CFI_REGISTERS], int at_entry, uint64_t *to,
			uint32_t max);

#ifdef __cplusplus
}
#endif

#endif
