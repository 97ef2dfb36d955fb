// SPDX-License-Identifier: GPL-2.0
/*
 * User stacks, by frame information
 *
 * Code built with optimisation keeps no chain of frame pointers. It has
 * .eh_frame instead, which is loaded with the program: for each address, where
 * the caller's registers lie. So it is read from the memory of the process that
 * fires, as everything else that a program captures:
 *
 *   pc --> mapping --> ELF header --> .eh_frame_hdr (bisect) --> FDE, CIE
 *      --> run both up to pc --> CFA and rules --> the caller's registers
 *
 * A page of it that is absent puts the firing off (slow.c). Code without
 * frame information, as a JIT compiler makes it, is left by its frame pointer;
 * so is all code in interrupts, where no mapping can be looked up.
 *
 * Nothing that is read is believed: every loop is bounded, the steps of a whole
 * walk are, too, by what the program was weighed at, and what makes no sense ends
 * the stack.
 */
#include <linux/elf.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <asm/ptrace.h>
#include <asm/ucontext.h>

#include "kmod/arch.h"
#include "kmod/device/fire.h"
#include "kmod/device/session.h"
#include "kmod/device/slow.h"

#define FRAME_MAX BIT_ULL(24) /* bytes a stack frame may have */
#define HEADERS_MAX 24u /* of an ELF file, that are looked at */
#define GAPS_MAX 4u /* pages by which a linker moves the text */
#define ENTRY_MAX 65536u /* bytes of an FDE */
#define REMEMBERED 4u

/* DWARF's numbers */
enum { DW_BP = 6, DW_SP = 7, DW_PC = 16, DW_REGISTERS };

/* How pointers are written: a form, and what it is relative to. */
enum {
	DW_EH_ABSOLUTE = 0x00,
	DW_EH_UDATA4 = 0x03,
	DW_EH_SDATA4 = 0x0b,
	DW_EH_RELATIVE = 0x10,
	DW_EH_TABLE = 0x3b,
};

enum rule_kind { SAME, UNDEFINED, AT_OFFSET, IS_OFFSET, IN_REGISTER, UNKNOWN };

struct rule {
	s32 offset; /* from the CFA; number of the register */
	u8 kind;
};

struct row {
	u32 cfa_register;
	s64 cfa_offset;
	u64 cfa_expression; /* where it lies; 0: none */
	u32 cfa_length;
	struct rule rules[DW_REGISTERS];
};

/* An ELF object that is mapped. */
struct object {
	u64 start, end; /* the mapping that was looked up */
	u64 table; /* of .eh_frame_hdr; 0: it has none */
	u64 header;
	u32 count;
};

/* Bytes of the process, one after another. */
struct stream {
	u64 at, end;
	u64 held_at;
	u32 held;
	bool failed;
	u8 bytes[64];
};

struct common {
	u64 code_align;
	s64 data_align;
	u8 encoding;
	bool signal, augmented;
	u64 begin, end; /* its instructions */
};

/* One walk. It lies in the page for paths, behind the frames of ustackdepth. */
struct walk {
	u64 regs[DW_REGISTERS];
	u64 next[DW_REGISTERS];
	struct object object;
	struct stream stream;
	struct common common;
	struct row row, first, kept[REMEMBERED];
	u32 kept_count;
	u32 steps; /* that may still be taken: of tables and expressions */
};

/* A step that is no step of a table: something is read to find one. */
static bool unwind_pay(struct walk *w)
{
	if (w->steps)
		w->steps--;
	return w->steps;
}

static bool unwind_read_word(u64 address, u64 *to)
{
	return !sonde_read_present(address, to, sizeof(*to));
}

/* Streams */

static void unwind_stream_begin(struct stream *s, u64 at, u64 end)
{
	s->at = at;
	s->end = end;
	s->held = 0;
	s->failed = false;
}

static u8 unwind_next_byte(struct stream *s)
{
	if (s->failed || s->at >= s->end) {
		s->failed = true;
		return 0;
	}
	if (!s->held || s->at - s->held_at >= s->held) {
		s->held = min_t(u64, sizeof(s->bytes), s->end - s->at);
		s->held_at = s->at;
		if (sonde_read_user(s->at, s->bytes, s->held)) {
			s->held = 0;
			s->failed = true;
			return 0;
		}
	}
	return s->bytes[s->at++ - s->held_at];
}

static u64 unwind_next_number(struct stream *s, u32 bytes)
{
	u64 value = 0;
	u32 n;

	for (n = 0; n < bytes; n++)
		value |= (u64)unwind_next_byte(s) << 8 * n;
	return value;
}

static u64 unwind_next_leb(struct stream *s, bool is_signed)
{
	u64 value = 0;
	u32 shift = 0;
	u8 byte;

	do {
		byte = unwind_next_byte(s);
		if (shift < 64)
			value |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) && shift < 70);
	if (is_signed && (byte & 0x40) && shift < 64)
		value |= ~0ull << shift;
	return value;
}

/* A pointer as the encoding says. */
static u64 unwind_next_pointer(struct stream *s, u8 encoding)
{
	u64 here = s->at;
	u64 value;

	switch (encoding & 0x0f) {
	case 0x00: /* absptr */
	case 0x04: /* udata8 */
	case 0x0c: /* sdata8 */
		value = unwind_next_number(s, 8);
		break;
	case DW_EH_UDATA4:
		value = unwind_next_number(s, 4);
		break;
	case DW_EH_SDATA4:
		value = (s64)(s32)unwind_next_number(s, 4);
		break;
	default:
		s->failed = true;
		return 0;
	}
	switch (encoding & 0x70) {
	case DW_EH_ABSOLUTE:
		return value;
	case DW_EH_RELATIVE:
		return here + value;
	}
	s->failed = true;
	return 0;
}

/* Objects */

static bool unwind_has_elf_header(u64 base, struct elf64_hdr *header)
{
	return !sonde_read_user(base, header, sizeof(*header)) &&
	       !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       header->e_phentsize == sizeof(struct elf64_phdr);
}

/* The table of .eh_frame_hdr: sorted pairs of s32, relative to the header. */
static void unwind_read_table(struct object *object, u64 header)
{
	struct {
		u8 version, frame_encoding, count_encoding, table_encoding;
		s32 frame;
		u32 count;
	} head;

	if (sonde_read_user(header, &head, sizeof(head)) || head.version != 1 ||
	    head.count_encoding != DW_EH_UDATA4 ||
	    head.table_encoding != DW_EH_TABLE ||
	    (head.frame_encoding & 0x0f) != DW_EH_SDATA4)
		return;
	object->header = header;
	object->count = head.count;
	object->table = header + sizeof(head);
}

/* Of the object whose ELF header lies at @base, if @offset in it is code. */
static bool unwind_read_headers(struct walk *w, u64 base, u64 offset)
{
	struct object *object = &w->object;
	u64 frames = 0, bias = 0;
	bool found = false;
	struct elf64_hdr header;
	struct elf64_phdr part;
	u32 n;

	if (!unwind_has_elf_header(base, &header))
		return false;
	for (n = 0; n < header.e_phnum && n < HEADERS_MAX; n++) {
		if (!unwind_pay(w) ||
		    sonde_read_user(base + header.e_phoff + n * sizeof(part),
				    &part, sizeof(part)))
			return false;
		if (part.p_type == PT_GNU_EH_FRAME)
			frames = part.p_vaddr;
		if (part.p_type == PT_LOAD && (part.p_flags & PF_X) &&
		    offset - (part.p_offset & PAGE_MASK) <
			    part.p_filesz + (part.p_offset & ~PAGE_MASK)) {
			found = true;
			bias = object->start -
			       (offset - part.p_offset + part.p_vaddr);
		}
	}
	if (found && frames)
		unwind_read_table(object, bias + frames);
	return found;
}

static bool unwind_is_object(struct mm_struct *mm,
			     const struct vm_area_struct *vma)
{
	return vma->vm_file ||
	       vma->vm_start == (unsigned long)mm->context.vdso;
}

/* Where @pc is code, the mapping; where that is of an object, its table. */
static bool unwind_find_object(struct walk *w, u64 pc)
{
	struct object *object = &w->object;
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	bool code, mapped = false;
	u64 offset = 0;
	u32 gap;

	if (pc >= object->start && pc < object->end)
		return true;
	if (!mmap_read_trylock(mm)) {
		sonde_note_absent(pc, 1, false); /* again, then */
		return false;
	}
	vma = find_vma(mm, pc);
	code = vma && vma->vm_start <= pc && (vma->vm_flags & VM_EXEC);
	if (code) {
		object->start = vma->vm_start;
		object->end = vma->vm_end;
		object->table = 0;
		mapped = unwind_is_object(mm, vma);
		offset = vma->vm_file ? (u64)vma->vm_pgoff << PAGE_SHIFT : 0;
	}
	mmap_read_unlock(mm);
	/* the header is before the text, by so much or by some pages more */
	for (gap = 0; mapped && gap < GAPS_MAX && unwind_pay(w); gap++)
		if (unwind_read_headers(w,
					object->start - offset -
						gap * PAGE_SIZE,
					offset))
			break;
	return code;
}

/* The FDE that may have @pc; 0: there is none. */
static u64 unwind_find_entry(struct walk *w, u64 pc)
{
	const struct object *object = &w->object;
	u32 low = 0, high = object->count;
	s32 pair[2], found = 0;

	if (!object->table)
		return 0;
	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (!unwind_pay(w) ||
		    sonde_read_user(object->table + 8ull * middle, pair,
				    sizeof(pair)))
			return 0;
		if (object->header + pair[0] <= pc) {
			found = pair[1];
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return found ? object->header + found : 0;
}

/* Entries */

/* Begins a stream behind the length of the CIE or FDE at @at. */
static bool unwind_entry_begin(struct stream *s, u64 at)
{
	u64 length;

	unwind_stream_begin(s, at, at + 4);
	length = unwind_next_number(s, 4);
	if (s->failed || !length || length > ENTRY_MAX)
		return false;
	s->end = s->at + length;
	return true;
}

static bool unwind_read_common(struct walk *w, u64 at)
{
	struct common *common = &w->common;
	struct stream *s = &w->stream;
	char letters[8];
	u8 version;
	u64 after;
	u32 n = 0;

	memset(common, 0, sizeof(*common));
	if (!unwind_entry_begin(s, at) || unwind_next_number(s, 4) != 0)
		return false;
	version = unwind_next_byte(s);
	do
		letters[n] = unwind_next_byte(s);
	while (letters[n] && ++n < sizeof(letters));
	if (s->failed || n == sizeof(letters) || version > 3)
		return false;
	common->code_align = unwind_next_leb(s, false);
	common->data_align = unwind_next_leb(s, true);
	if ((version == 1 ? unwind_next_byte(s) : unwind_next_leb(s, false)) !=
	    DW_PC)
		return false;
	common->augmented = letters[0] == 'z';
	after = common->augmented ? unwind_next_leb(s, false) : 0;
	after += s->at;
	for (n = 1; common->augmented && letters[n]; n++) {
		u8 encoding;

		if (letters[n] == 'S') {
			common->signal = true;
			continue;
		}
		encoding = unwind_next_byte(s);
		if (letters[n] == 'R')
			common->encoding = encoding;
		else if (letters[n] == 'P')
			unwind_next_pointer(s, encoding & 0x0f);
		else if (letters[n] != 'L')
			return false;
	}
	common->begin = common->augmented ? after : s->at;
	common->end = s->end;
	return !s->failed && common->begin <= common->end;
}

static void unwind_set_rule(struct row *row, u64 number, u8 kind, s64 offset)
{
	if (number >= DW_REGISTERS)
		return;
	row->rules[number].kind = kind;
	row->rules[number].offset = offset;
}

static void unwind_skip_block(struct stream *s)
{
	u64 length = unwind_next_leb(s, false);

	s->at += min(length, s->end - s->at);
}

static bool unwind_extended(struct walk *w, u8 op)
{
	struct stream *s = &w->stream;
	struct row *row = &w->row;
	s64 align = w->common.data_align;
	u64 number;

	switch (op) {
	case 0x00: /* nop */
		return true;
	case 0x05: /* offset_extended */
		number = unwind_next_leb(s, false);
		unwind_set_rule(row, number, AT_OFFSET,
				unwind_next_leb(s, false) * align);
		return true;
	case 0x06: /* restore_extended */
		number = unwind_next_leb(s, false);
		if (number < DW_REGISTERS)
			row->rules[number] = w->first.rules[number];
		return true;
	case 0x07: /* undefined */
		unwind_set_rule(row, unwind_next_leb(s, false), UNDEFINED, 0);
		return true;
	case 0x08: /* same_value */
		unwind_set_rule(row, unwind_next_leb(s, false), SAME, 0);
		return true;
	case 0x09: /* register */
		number = unwind_next_leb(s, false);
		unwind_set_rule(row, number, IN_REGISTER,
				unwind_next_leb(s, false));
		return true;
	case 0x0a: /* remember_state */
		if (w->kept_count == REMEMBERED)
			return false;
		w->kept[w->kept_count++] = *row;
		return true;
	case 0x0b: /* restore_state */
		if (!w->kept_count)
			return false;
		*row = w->kept[--w->kept_count];
		return true;
	case 0x0c: /* def_cfa */
		row->cfa_register = unwind_next_leb(s, false);
		row->cfa_offset = unwind_next_leb(s, false);
		row->cfa_expression = 0;
		return true;
	case 0x0d: /* def_cfa_register */
		row->cfa_register = unwind_next_leb(s, false);
		return true;
	case 0x0e: /* def_cfa_offset */
		row->cfa_offset = unwind_next_leb(s, false);
		return true;
	case 0x0f: /* def_cfa_expression */
		row->cfa_length = unwind_next_leb(s, false);
		row->cfa_expression = s->at;
		s->at += min_t(u64, row->cfa_length, s->end - s->at);
		return true;
	case 0x10: /* expression */
	case 0x16: /* val_expression */
		unwind_set_rule(row, unwind_next_leb(s, false), UNKNOWN, 0);
		unwind_skip_block(s);
		return true;
	case 0x11: /* offset_extended_sf */
		number = unwind_next_leb(s, false);
		unwind_set_rule(row, number, AT_OFFSET,
				unwind_next_leb(s, true) * align);
		return true;
	case 0x12: /* def_cfa_sf */
		row->cfa_register = unwind_next_leb(s, false);
		row->cfa_offset = unwind_next_leb(s, true) * align;
		row->cfa_expression = 0;
		return true;
	case 0x13: /* def_cfa_offset_sf */
		row->cfa_offset = unwind_next_leb(s, true) * align;
		return true;
	case 0x14: /* val_offset */
		number = unwind_next_leb(s, false);
		unwind_set_rule(row, number, IS_OFFSET,
				unwind_next_leb(s, false) * align);
		return true;
	case 0x15: /* val_offset_sf */
		number = unwind_next_leb(s, false);
		unwind_set_rule(row, number, IS_OFFSET,
				unwind_next_leb(s, true) * align);
		return true;
	case 0x2e: /* GNU_args_size */
		unwind_next_leb(s, false);
		return true;
	}
	return false;
}

/* Runs the instructions from @begin on, until they come to a row behind @pc. */
static bool unwind_run(struct walk *w, u64 begin, u64 end, u64 location, u64 pc)
{
	struct stream *s = &w->stream;
	u64 align = w->common.code_align;

	unwind_stream_begin(s, begin, end);
	for (; s->at < s->end && w->steps; w->steps--) {
		u8 op = unwind_next_byte(s), low = op & 0x3f;

		switch (op & 0xc0) {
		case 0x40: /* advance_loc */
			location += low * align;
			break;
		case 0x80: /* offset */
			unwind_set_rule(&w->row, low, AT_OFFSET,
					unwind_next_leb(s, false) *
						w->common.data_align);
			continue;
		case 0xc0: /* restore */
			if (low < DW_REGISTERS)
				w->row.rules[low] = w->first.rules[low];
			continue;
		default:
			if (op == 0x01) { /* set_loc */
				location = unwind_next_pointer(s,
							       w->common.encoding);
				break;
			}
			if (op >= 0x02 && op <= 0x04) { /* advance_loc1.. */
				location +=
					unwind_next_number(s, 1u << (op - 2)) *
					align;
				break;
			}
			if (!unwind_extended(w, op))
				return false;
			continue;
		}
		if (location > pc)
			break;
	}
	return !s->failed && w->steps;
}

/* The row of @pc, by the FDE at @at. */
static bool unwind_make_row(struct walk *w, u64 at, u64 pc)
{
	struct stream *s = &w->stream;
	u64 here, back, begin, size, code, end;

	if (!unwind_entry_begin(s, at))
		return false;
	here = s->at;
	back = unwind_next_number(s, 4);
	end = s->end;
	if (s->failed || !back || !unwind_read_common(w, here - back))
		return false;
	unwind_stream_begin(s, here + 4, end);
	begin = unwind_next_pointer(s, w->common.encoding);
	size = unwind_next_pointer(s, w->common.encoding & 0x0f);
	if (s->failed || pc - begin >= size)
		return false;
	if (w->common.augmented)
		unwind_skip_block(s);
	code = s->at;
	memset(&w->row, 0, sizeof(w->row));
	w->kept_count = 0;
	if (!unwind_run(w, w->common.begin, w->common.end, 0, ~0ull))
		return false;
	w->first = w->row;
	return unwind_run(w, code, end, begin, pc);
}

/* What a PLT needs: registers, small numbers, and how they are combined. */
static bool unwind_evaluate(struct walk *w, u64 at, u32 length, u64 *result)
{
	struct stream *s = &w->stream;
	u64 stack[8];
	u32 depth = 0;

	unwind_stream_begin(s, at, at + min_t(u32, length, 256));
	for (; s->at < s->end && !s->failed && w->steps; w->steps--) {
		u8 op = unwind_next_byte(s);

		if (op >= 0x30 && op <= 0x4f && depth < 8) { /* lit */
			stack[depth++] = op - 0x30;
		} else if (op >= 0x70 && op <= 0x80 && depth < 8) { /* breg */
			stack[depth] = w->regs[op - 0x70];
			stack[depth++] += unwind_next_leb(s, true);
		} else if (op == 0x23 && depth) { /* plus_uconst */
			stack[depth - 1] += unwind_next_leb(s, false);
		} else if (op == 0x06 && depth) { /* deref */
			if (!unwind_read_word(stack[depth - 1],
					      &stack[depth - 1]))
				return false;
		} else if (depth >= 2) {
			u64 top = stack[--depth], *under = &stack[depth - 1];

			if (op == 0x1a)
				*under &= top;
			else if (op == 0x22)
				*under += top;
			else if (op == 0x24)
				*under = top < 64 ? *under << top : 0;
			else if (op == 0x2a)
				*under = (s64)*under >= (s64)top;
			else
				return false;
		} else {
			return false;
		}
	}
	*result = depth ? stack[depth - 1] : 0;
	return depth && !s->failed && w->steps;
}

static bool unwind_find_cfa(struct walk *w, u64 *cfa)
{
	const struct row *row = &w->row;

	if (row->cfa_expression)
		return unwind_evaluate(w, row->cfa_expression, row->cfa_length,
				       cfa);
	if (row->cfa_register >= DW_REGISTERS)
		return false;
	*cfa = w->regs[row->cfa_register] + row->cfa_offset;
	return true;
}

/* From a frame's registers to its caller's. */
static bool unwind_apply(struct walk *w)
{
	u64 cfa;
	u32 n;

	if (!unwind_find_cfa(w, &cfa))
		return false;
	memcpy(w->next, w->regs, sizeof(w->next));
	w->next[DW_SP] = cfa;
	for (n = 0; n < DW_REGISTERS; n++) {
		const struct rule *rule = &w->row.rules[n];

		switch ((enum rule_kind)rule->kind) {
		case AT_OFFSET:
			if (!unwind_read_word(cfa + rule->offset, &w->next[n]))
				return false;
			break;
		case IS_OFFSET:
			w->next[n] = cfa + rule->offset;
			break;
		case IN_REGISTER:
			if (rule->offset < 0 || rule->offset >= DW_REGISTERS)
				return false;
			w->next[n] = w->regs[rule->offset];
			break;
		case UNDEFINED:
		case UNKNOWN:
			if (n == DW_PC)
				return false; /* here the stack begins */
			break;
		case SAME:
			break;
		}
	}
	memcpy(w->regs, w->next, sizeof(w->regs));
	return true;
}

/* From a signal's frame to what it interrupted: the kernel has laid it out. */
static bool unwind_apply_signal(struct walk *w)
{
	static const u8 order[] = { 8,  9,  10, 11, 12, 13, 14, 15, 5,
				    4,  6,  3,  1,  0,  2,  7,  16 };
	u64 saved[ARRAY_SIZE(order)];
	u32 n;

	if (sonde_read_present(w->regs[DW_SP] +
				       offsetof(struct ucontext, uc_mcontext),
			       saved, sizeof(saved)))
		return false;
	for (n = 0; n < ARRAY_SIZE(order); n++)
		w->regs[order[n]] = saved[n];
	return true;
}

static bool unwind_by_frame_pointer(struct walk *w)
{
	u64 frame = w->regs[DW_BP];
	u64 pair[2];

	if (frame % 8 || frame - w->regs[DW_SP] >= FRAME_MAX ||
	    sonde_read_present(frame, pair, sizeof(pair)) ||
	    !unwind_find_object(w, pair[1]))
		return false;
	w->regs[DW_SP] = frame + sizeof(pair);
	w->regs[DW_BP] = pair[0];
	w->regs[DW_PC] = pair[1];
	return true;
}

/* A call of what is no code. */
static bool unwind_from_nowhere(struct walk *w)
{
	u64 caller;

	if (!unwind_read_word(w->regs[DW_SP], &caller) ||
	    !unwind_find_object(w, caller))
		return false;
	w->regs[DW_PC] = caller;
	w->regs[DW_SP] += sizeof(caller);
	return true;
}

/*
 * @exact: the frame stands at its pc, and in it the caller's is returned; other
 * frames stand behind a call, which may be the last of its function.
 */
static bool unwind_step(struct walk *w, bool *exact)
{
	u64 pc = w->regs[DW_PC] - !*exact, sp = w->regs[DW_SP];
	bool was_exact = *exact;
	u64 entry;

	*exact = false;
	if (!unwind_find_object(w, pc))
		return was_exact && unwind_from_nowhere(w);
	entry = unwind_find_entry(w, pc);
	if (!entry || !unwind_make_row(w, entry, pc))
		return w->steps && unwind_by_frame_pointer(w);
	if (w->common.signal) {
		*exact = true;
		return unwind_apply_signal(w) && w->regs[DW_PC];
	}
	return unwind_apply(w) && w->regs[DW_PC] && w->regs[DW_SP] > sp;
}

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
	bool exact = true;
	u32 count = 0;

	BUILD_BUG_ON(sizeof(*w) > PAGE_SIZE / 2);
	BUILD_BUG_ON(SONDE_DIF_MAX_FRAMES * sizeof(*to) > PAGE_SIZE / 2);
	BUILD_BUG_ON(SONDE_FRAME_REGISTERS != DW_REGISTERS);
	sonde_fetch_frame(firing->regs, w->regs);
	w->object.start = 0;
	w->object.end = 0;
	w->steps = SONDE_WALK_COST(max);
	to[count++] = w->regs[DW_PC];
	if (firing->start.at_edge && count < max &&
	    unwind_read_word(w->regs[DW_SP], &w->regs[DW_PC])) {
		to[count++] = w->regs[DW_PC];
		w->regs[DW_SP] += 8;
		exact = false;
	}
	while (count < max && unwind_step(w, &exact))
		to[count++] = w->regs[DW_PC];
	return count;
}
