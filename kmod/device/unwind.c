// SPDX-License-Identifier: GPL-2.0
/*
 * User stacks, by frame information
 *
 * kmod/shared/eh_frame.h reads the tables, from the memory of the process that
 * fires, as all captures do. This file has its read functions, and finds the
 * table for a pc: pc --> mapping --> ELF header.
 *
 * An absent page of a table defers the firing (deferred.c); an absent page of
 * the stack ends the walk. For code without frame information, as from JIT
 * compilers, the frame pointer is used; so it is for all code in interrupts,
 * where mappings cannot be looked up.
 *
 * The number of steps of a walk is limited by the cost that was counted for the
 * program.
 */
#include <linux/mm.h>
#include <linux/sched.h>

#include "kmod/arch.h"
#include "kmod/device/deferred.h"
#include "kmod/device/fire.h"
#include "kmod/device/session.h"
#include "kmod/shared/eh_frame.h"
#include "kmod/shared/stack_flags.h"

#define GAPS_MAX 4u /* maximal number of pages by which a linker moves the text */

/* One walk. It is in the page for paths, after the frames of ustackdepth. */
struct walk {
	struct sonde_cfi cfi;
	u64 regs[SONDE_CFI_REGISTERS];
	u64 start, end; /* the last mapping that was looked up */
	struct sonde_cfi_table table; /* of the mapped object */
	u32 lacks; /* SONDE_RECORD_STACK_... */
	bool lost; /* the last frame has no row, but a frame pointer: no thread starts there */
};

static int unwind_read_table(void *walk, u64 address, void *to, u32 length)
{
	return sonde_read_user(address, to, length);
}

static int unwind_read_stack(void *walk, u64 address, void *to, u32 length)
{
	return sonde_read_present(address, to, length);
}

static bool unwind_is_object(struct mm_struct *mm,
			     const struct vm_area_struct *vma)
{
	return vma->vm_file ||
	       vma->vm_start == (unsigned long)mm->context.vdso;
}

/* Whether the process has made the code in it, as a compiler that runs in it does. */
static bool unwind_is_own(struct mm_struct *mm,
			  const struct vm_area_struct *vma)
{
	return !unwind_is_object(mm, vma) && !vma->vm_ops;
}

/* Whether @pc is in code. Looks up its mapping and, for an object, the table. */
static int unwind_is_code(void *context, u64 pc)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	struct walk *w = context;
	bool code, mapped = false;
	u64 base = 0;
	u32 gap;

	if (pc >= w->start && pc < w->end)
		return true;
	if (!mmap_read_trylock(mm)) {
		sonde_note_absent(pc, 1, false); /* the firing is tried again */
		return false;
	}
	vma = find_vma(mm, pc);
	code = vma && vma->vm_start <= pc && (vma->vm_flags & VM_EXEC);
	if (code) {
		w->start = vma->vm_start;
		w->end = vma->vm_end;
		w->table.count = 0;
		mapped = unwind_is_object(mm, vma);
		if (unwind_is_own(mm, vma))
			w->lacks |= SONDE_RECORD_STACK_COMPILED;
		base = vma->vm_start;
		if (vma->vm_file)
			base -= (u64)vma->vm_pgoff << PAGE_SHIFT;
	}
	mmap_read_unlock(mm);
	/* the header precedes the text by its offset, or by some pages more */
	for (gap = 0; mapped && gap < GAPS_MAX; gap++)
		if (!sonde_cfi_open(&w->cfi, base - gap * PAGE_SIZE, pc,
				    &w->table))
			break;
	return code;
}

static const struct sonde_cfi_row *unwind_find_row(struct walk *w, u64 pc,
						   u64 *header)
{
	u64 fde;

	if (!unwind_is_code(w, pc) ||
	    sonde_cfi_find(&w->cfi, &w->table, pc, &fde) ||
	    sonde_cfi_row_at(&w->cfi, w->table.header, fde, pc))
		return NULL;
	*header = w->table.header;
	return &w->cfi.row;
}

static const struct sonde_cfi_row *unwind_row(void *context, u64 pc,
					      u64 *header)
{
	struct walk *w = context;
	const struct sonde_cfi_row *row = unwind_find_row(w, pc, header);

	w->lost = !row && w->regs[SONDE_CFI_FP];
	return row;
}

static const struct sonde_cfi_env unwind_env = {
	.read_table = unwind_read_table,
	.read_stack = unwind_read_stack,
	.is_code = unwind_is_code,
	.row = unwind_row,
};

/**
 * sonde_unwind() - walk the user stack, by frame information
 * @firing: it has the user registers
 * @to: program counters, innermost first
 * @max: maximal number, not 0
 * @lacks: gets the bits of SONDE_RECORD_STACK_... that are true of it
 *
 * Context: A firing in task context, with interrupts on.
 * Return: number of program counters.
 */
u32 sonde_unwind(const struct sonde_firing *firing, u64 *to, u32 max,
		 u32 *lacks)
{
	struct walk *w = (void *)(firing->writer->path + PAGE_SIZE / 2);
	u32 count;

	BUILD_BUG_ON(sizeof(*w) > PAGE_SIZE / 2);
	BUILD_BUG_ON(SONDE_DIF_MAX_FRAMES * sizeof(*to) > PAGE_SIZE / 2);
	sonde_fetch_frame(firing->regs, w->regs);
	w->start = 0;
	w->end = 0;
	w->lacks = 0;
	w->lost = false;
	sonde_cfi_begin(&w->cfi, &unwind_env, w, SONDE_WALK_COST(max));
	count = sonde_cfi_walk(&w->cfi, w->regs, firing->start.at_edge, to, max);
	if (w->lost && count < max)
		w->lacks |= SONDE_RECORD_STACK_LOST;
	*lacks |= w->lacks;
	return count;
}
