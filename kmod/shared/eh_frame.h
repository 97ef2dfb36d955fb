/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Call frame information: from a function's frame to its caller's, without frame pointers
 *
 * Optimised code keeps no chain of frame pointers. It has .eh_frame instead, which is loaded with the program: it
 * gives, for each address of code, where the caller's registers are. The linker adds .eh_frame_hdr, sorted pairs of
 * code and FDE:
 *
 *   pc --> ELF header --> .eh_frame_hdr (bisect) --> FDE, its CIE --> run both up to pc --> row: CFA, rules
 *      row, registers, stack --> the caller's registers
 *
 * One reader for all unwinders. It reads through two functions of its user, so the tables and the stack may be in the
 * memory of the running thread, of a stopped process, in a file, or in a copy in a record.
 *
 * Nothing that is read is trusted: entries, expressions and the state they keep are bounded, each instruction costs a
 * step of a budget, and malformed data yields no row. A row contains no absolute address: its addresses are relative to
 * the table's header, so it is valid for every process that has the object, wherever it is loaded.
 *
 * Functions return 0 or: -ENOENT there is nothing for this pc, or the stack begins here; -EFAULT memory that could not
 * be read; -EINVAL malformed data; -E2BIG the steps are used up.
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
#define SONDE_CFI_FRAME_MAX (1ull << 24) /* bytes of a frame that is unwound by its frame pointer */

/* Where a register of the caller is. */
enum sonde_cfi_rule {
	SONDE_CFI_SAME, /* unchanged */
	SONDE_CFI_UNDEFINED,
	SONDE_CFI_AT_OFFSET, /* in memory, at the CFA + offset */
	SONDE_CFI_IS_OFFSET, /* its value is the CFA + offset */
	SONDE_CFI_IN_REGISTER, /* in the register whose number is the offset */
	SONDE_CFI_AT_EXPRESSION, /* in memory, at the address that the expression computes */
	SONDE_CFI_IS_EXPRESSION,
};

/* The rules for one address of code. */
struct sonde_cfi_row {
	int64_t cfa_offset; /* from cfa_register */
	int32_t cfa_expression; /* for the CFA, if not 0; expressions are at header + this */
	uint8_t cfa_register;
	uint8_t return_register;
	uint8_t signal_frame; /* the caller was interrupted, it did not make a call */
	uint8_t kinds[SONDE_CFI_REGISTERS]; /* enum sonde_cfi_rule */
	int32_t offsets[SONDE_CFI_REGISTERS];
};

/* The table of a loaded ELF object. */
struct sonde_cfi_table {
	uint64_t header; /* address of .eh_frame_hdr or, if there is none, of .eh_frame */
	uint64_t pairs; /* after the header: sorted pairs of int32_t, code and FDE, relative to the header */
	uint32_t count; /* number of pairs; 0: the table cannot be read */
};

/* What the user of the reader provides. */
struct sonde_cfi_env {
	/*
	 * Read `length` bytes; return 0 only for all of them. Of tables, at most SONDE_CFI_WINDOW, which may be more
	 * than an entry has but never cross the end of its page; of the stack
	 */
	int (*read_table)(void *context, uint64_t address, void *to, uint32_t length);
	int (*read_stack)(void *context, uint64_t address, void *to, uint32_t length);
	/* For sonde_cfi_walk(): whether an address is of code */
	int (*is_code)(void *context, uint64_t pc);
	/* the row of a pc, and the header that it is relative to; NULL: there is none */
	const struct sonde_cfi_row *(*row)(void *context, uint64_t pc, uint64_t *header);
};

/* What the FDEs of one CIE have in common. */
struct sonde_cfi_common {
	uint64_t at; /* address of the CIE; 0: none */
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding; /* of an FDE's addresses */
	uint8_t augmented; /* an FDE has a block before its instructions */
	struct sonde_cfi_row first; /* the row after its initial instructions */
};

/* A reader. Some 1.3 KiB: too large for a local variable in the kernel. */
struct sonde_cfi {
	const struct sonde_cfi_env *env;
	void *context; /* handed to env */
	uint32_t steps; /* left in the budget: headers, pairs, instructions, operations */
	/* the last that sonde_cfi_row_at() has made */
	struct sonde_cfi_row row;
	/* private: the position of reading */
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

/* Initialises a reader with a budget of steps. It caches what it has read: tables must not change while it is used. */
void sonde_cfi_begin(struct sonde_cfi *c, const struct sonde_cfi_env *env, void *context, uint32_t steps);

/*
 * Finds the table of the object whose ELF header is at `base`, if `pc` is in its code. -ENOENT: it is not, or there is
 * no such header.
 */
int sonde_cfi_open(struct sonde_cfi *c, uint64_t base, uint64_t pc, struct sonde_cfi_table *table);

/* Finds the FDE that may contain `pc`, by bisection. */
int sonde_cfi_find(struct sonde_cfi *c, const struct sonde_cfi_table *table, uint64_t pc, uint64_t *fde);

/* Moves *at from one entry of .eh_frame to the next. *code: the first address that the entry covers; 0: it is not an FDE. */
int sonde_cfi_next(struct sonde_cfi *c, uint64_t header, uint64_t *at, uint64_t *code);

/* Makes c->row for `pc`, from the FDE at `fde`. */
int sonde_cfi_row_at(struct sonde_cfi *c, uint64_t header, uint64_t fde, uint64_t pc);

/* Replaces a frame's registers by its caller's. On an error they are unchanged. */
int sonde_cfi_apply(struct sonde_cfi *c, uint64_t header, const struct sonde_cfi_row *row,
		    uint64_t registers[SONDE_CFI_REGISTERS]);

/*
 * Stores program counters, innermost first; returns their number, at most `max`. Code without a row is unwound by its
 * frame pointer, if that is above the stack pointer and leads to code; the innermost frame else by the return address
 * that may be on top of the stack; CPython's perf trampoline by its own frame. `at_entry`: only the return address has been
 * pushed. Afterwards `registers` are those of the last frame.
 */
uint32_t sonde_cfi_walk(struct sonde_cfi *c, uint64_t registers[SONDE_CFI_REGISTERS], int at_entry, uint64_t *to,
			uint32_t max);

#ifdef __cplusplus
}
#endif

#endif
