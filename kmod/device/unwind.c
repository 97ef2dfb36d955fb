// SPDX-License-Identifier: GPL-2.0
/*
 * User stacks, by frame information
 *
 * kmod/shared/eh_frame.h reads the tables, from the memory of the process that
 * fires, as everything else that a program captures; here is what it reads
 * with, and how the table of a pc is found: pc --> mapping --> ELF header.
 *
 * A page of a table that is absent defers the firing (deferred.c); one of the
 * stack ends it. Code without frame information, as a JIT compiler makes it, is
 * left by its frame pointer; so is all code in interrupts, where no mapping can
 * be looked up.
 *
 * The steps of a whole walk are bounded, by what the program was weighed at.
 */
#include <linux/mm.h>
#include <linux/sched.h>

#include "kmod/arch.h"
#include "kmod/device/deferred.h"
#include "kmod/device/fire.h"
#include "kmod/device/session.h"
#include "kmod/shared/eh_frame.h"

#define GAPS_MAX 4u /* pages by which a linker moves the text */

/* One walk. It lies in the page for paths, behind the frames of ustackdepth. */
struct walk {
	struct sonde_cfi cfi;
	u64 regs[SONDE_CFI_REGISTERS];
	u64 start, end; /* the mapping that was looked up */
	struct sonde_cfi_table table; /* of its object */
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

/* Where @pc is code, the mapping; where that is of an object, its table. */
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
		sonde_note_absent(pc, 1, false); /* again, then */
		return false;
	}
	vma = find_vma(mm, pc);
	code = vma && vma->vm_start <= pc && (vma->vm_flags & VM_EXEC);
	if (code) {
		w->start = vma->vm_start;
		w->end = vma->vm_end;
		w->table.count = 0;
		mapped = unwind_is_object(mm, vma);
		base = vma->vm_start;
		if (vma->vm_file)
			base -= (u64)vma->vm_pgoff << PAGE_SHIFT;
	}
	mmap_read_unlock(mm);
	/* the header is before the text, by so much or by some pages more */
	for (gap = 0; mapped && gap < GAPS_MAX; gap++)
		if (!sonde_cfi_open(&w->cfi, base - gap * PAGE_SIZE, pc,
				    &w->table))
			break;
	return code;
}

static const struct sonde_cfi_row *unwind_row(void *context, u64 pc,
					      u64 *header)
{
	struct walk *w = context;
	u64 fde;

	if (!unwind_is_code(w, pc) ||
	    sonde_cfi_find(&w->cfi, &w->table, pc, &fde) ||
	    sonde_cfi_row_at(&w->cfi, w->table.header, fde, pc))
		return NULL;
	*header = w->table.header;
	return &w->cfi.row;
}

static const struct sonde_cfi_env unwind_env = {
	.read_table = unwind_read_table,
	.read_stack = unwind_read_stack,
	.is_code = unwind_is_code,
	.row = unwind_row,
};

/**
 * sonde_unwind() - the user's frames, by frame information
 * @firing: has the user's registers
 * @to: program counters, innermost first
 * @max: how many at most, not 0
 *
 * Context: A firing in task context, with interrupts on.
 * Return: how many.
 */
u32 sonde_unwind(const struct sonde_firing *firing, u64 *to, u32 max)
{
	struct walk *w = (void *)(firing->writer->path + PAGE_SIZE / 2);

	BUILD_BUG_ON(sizeof(*w) > PAGE_SIZE / 2);
	BUILD_BUG_ON(SONDE_DIF_MAX_FRAMES * sizeof(*to) > PAGE_SIZE / 2);
	sonde_fetch_frame(firing->regs, w->regs);
	w->start = 0;
	w->end = 0;
	sonde_cfi_begin(&w->cfi, &unwind_env, w, SONDE_WALK_COST(max));
	return sonde_cfi_walk(&w->cfi, w->regs, firing->start.at_edge, to, max);
}
