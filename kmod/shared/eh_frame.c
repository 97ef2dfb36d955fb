// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * .eh_frame: from bytes to rows, from rows to registers
 *
 * Bytes are read one after another, through a window on the table: begin_bytes() sets the range. Windows do not cross a
 * page, so only pages that contain the entry are touched. A window that already has the bytes is not read again, and
 * neither is the CIE: most functions of an object have the same.
 *
 * Invariant: a failure sets c->error, and every read after that returns 0. Values may be used before the error is
 * checked, but nothing is stored or returned before.
 */
#include "kmod/shared/eh_frame.h"

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/stddef.h>
#else
#include <errno.h>
#include <stddef.h>
#endif

#define PAGE_BYTES 4096u
#define SEGMENTS_MAX 64u /* of an ELF file, that are looked at */
#define PAIRS_MAX (4u << 20)
#define ENTRY_MAX 65536u /* bytes of a CIE or FDE */
#define LETTERS_MAX 8u /* of a CIE's augmentation */
#define LEB_MAX 10u /* bytes of a number */
#define STACK_MAX 16u /* of an expression */
#define LAST_PAIRS 8u /* that a bisection reads at once */

/* How pointers are encoded: a form, and what they are relative to. */
enum { FORM_MASK = 0x0f, SIGNED_4 = 0x0b, RELATIVE_MASK = 0x70, PC_RELATIVE = 0x10, HEADER_RELATIVE = 0x30, INDIRECT = 0x80 };

struct elf_header {
	uint8_t magic[4], elf_class, ident[11];
	uint16_t type, machine;
	uint32_t version;
	uint64_t entry, segments, sections;
	uint32_t flags;
	uint16_t size, segment_size, segment_count, section_size, section_count, names;
};

struct elf_segment {
	uint32_t type, flags;
	uint64_t offset, address, physical, file_size, size, align;
};

enum { ELF_64 = 2, ELF_LOAD = 1, ELF_EH_FRAME = 0x6474e550, ELF_EXECUTABLE = 1 };

/* Notes an error; the first one counts. Returns 0, as the value that could not be read. */
static uint64_t fail(struct sonde_cfi *c, int error)
{
	if (!c->error)
		c->error = error;
	return 0;
}

/* Takes one step from the budget; 0: it is used up. */
static uint32_t pay(struct sonde_cfi *c)
{
	if (c->steps)
		c->steps--;
	if (!c->steps)
		fail(c, -E2BIG);
	return c->steps;
}

/* Bytes */

static void begin_bytes(struct sonde_cfi *c, uint64_t at, uint64_t end)
{
	c->at = at;
	c->end = end;
	c->error = 0;
}

static int read_table(struct sonde_cfi *c, uint64_t address, void *to, uint32_t length)
{
	return c->env->read_table(c->context, address, to, length) ? -EFAULT : 0;
}

static void move_window(struct sonde_cfi *c)
{
	uint32_t left = PAGE_BYTES - (uint32_t)(c->at % PAGE_BYTES);

	c->window = left < sizeof(c->bytes) ? left : (uint32_t)sizeof(c->bytes);
	c->window_at = c->at;
	if (read_table(c, c->at, c->bytes, c->window)) {
		c->window = 0;
		fail(c, -EFAULT);
	}
}

static uint8_t next_byte(struct sonde_cfi *c)
{
	if (!c->error && c->at >= c->end)
		fail(c, -EINVAL);
	if (!c->error && c->at - c->window_at >= c->window)
		move_window(c);
	if (c->error)
		return 0;
	return c->bytes[c->at++ - c->window_at];
}

static uint64_t next_number(struct sonde_cfi *c, uint32_t bytes)
{
	uint64_t value = 0;
	uint32_t n;

	for (n = 0; n < bytes; n++)
		value |= (uint64_t)next_byte(c) << 8 * n;
	return value;
}

static uint64_t next_signed(struct sonde_cfi *c, uint32_t bytes)
{
	uint32_t unused = 64 - 8 * bytes;

	return (uint64_t)((int64_t)(next_number(c, bytes) << unused) >> unused);
}

static uint64_t next_leb(struct sonde_cfi *c, int is_signed)
{
	uint64_t value = 0;
	uint32_t n, shift;
	uint8_t byte;

	for (n = 1, shift = 0;; n++) {
		byte = next_byte(c);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80))
			break;
		if (n == LEB_MAX)
			return fail(c, -EINVAL);
	}
	if (is_signed && (byte & 0x40) && shift < 64)
		value |= ~0ull << shift;
	return value;
}

static uint64_t next_uleb(struct sonde_cfi *c)
{
	return next_leb(c, 0);
}

static uint64_t next_sleb(struct sonde_cfi *c)
{
	return next_leb(c, 1);
}

/* Reads a pointer in that encoding. */
static uint64_t next_pointer(struct sonde_cfi *c, uint8_t encoding, uint64_t header)
{
	uint64_t base = 0;

	if ((encoding & RELATIVE_MASK) == PC_RELATIVE)
		base = c->at;
	else if ((encoding & RELATIVE_MASK) == HEADER_RELATIVE)
		base = header;
	else if (encoding & RELATIVE_MASK)
		fail(c, -EINVAL);
	if (encoding & INDIRECT)
		fail(c, -EINVAL);
	switch (encoding & FORM_MASK) {
	case 0x00: /* of the machine's size */
	case 0x04:
	case 0x0c: return base + next_number(c, 8);
	case 0x01: return base + next_uleb(c);
	case 0x02: return base + next_number(c, 2);
	case 0x03: return base + next_number(c, 4);
	case 0x09: return base + next_sleb(c);
	case 0x0a: return base + next_signed(c, 2);
	case SIGNED_4: return base + next_signed(c, 4);
	}
	return fail(c, -EINVAL);
}

static void skip_block(struct sonde_cfi *c)
{
	uint64_t length = next_uleb(c);

	if (length > c->end - c->at)
		fail(c, -EINVAL);
	else
		c->at += length;
}

/* Objects */

/* Reads the start of .eh_frame_hdr. */
static void open_table(struct sonde_cfi *c, uint64_t header, struct sonde_cfi_table *table)
{
	uint8_t version, of_frame, of_count, of_pairs;
	uint64_t count;

	begin_bytes(c, header, header + 24);
	version = next_byte(c);
	of_frame = next_byte(c);
	of_count = next_byte(c);
	of_pairs = next_byte(c);
	next_pointer(c, of_frame, header);
	count = next_pointer(c, of_count, header);
	if (c->error || version != 1 || of_pairs != (HEADER_RELATIVE | SIGNED_4) || count > PAIRS_MAX)
		return;
	table->header = header;
	table->pairs = c->at;
	table->count = (uint32_t)count;
}

int sonde_cfi_open(struct sonde_cfi *c, uint64_t base, uint64_t pc, struct sonde_cfi_table *table)
{
	uint64_t first = ~0ull, frames = 0, into;
	struct elf_segment segment;
	struct elf_header elf;
	int found = 0;
	uint32_t n;

	*table = (struct sonde_cfi_table){0};
	if (!pay(c))
		return -E2BIG;
	if (read_table(c, base, &elf, sizeof(elf)))
		return -EFAULT;
	if (elf.magic[0] != 0x7f || elf.magic[1] != 'E' || elf.magic[2] != 'L' || elf.magic[3] != 'F' ||
	    elf.elf_class != ELF_64 || elf.segment_size != sizeof(segment))
		return -ENOENT;
	for (n = 0; n < elf.segment_count && n < SEGMENTS_MAX; n++) {
		if (!pay(c))
			return -E2BIG;
		if (read_table(c, base + elf.segments + n * sizeof(segment), &segment, sizeof(segment)))
			return -EFAULT;
		if (segment.type == ELF_EH_FRAME)
			frames = segment.address;
		if (segment.type != ELF_LOAD)
			continue;
		into = segment.address % PAGE_BYTES;
		if (first == ~0ull) /* they are sorted */
			first = segment.address - into;
		if ((segment.flags & ELF_EXECUTABLE) && pc - (base + segment.address - into - first) < segment.size + into)
			found = 1;
	}
	if (!found)
		return -ENOENT;
	if (frames)
		open_table(c, base + frames - first, table);
	return 0;
}

int sonde_cfi_find(struct sonde_cfi *c, const struct sonde_cfi_table *table, uint64_t pc, uint64_t *fde)
{
	struct {
		int32_t code, fde;
	} pairs[LAST_PAIRS];
	uint32_t low = 0, high = table->count, n;

	while (high - low > LAST_PAIRS) {
		uint32_t middle = low + (high - low) / 2;

		if (!pay(c))
			return -E2BIG;
		if (read_table(c, table->pairs + 8ull * middle, pairs, sizeof(pairs[0])))
			return -EFAULT;
		if (table->header + (uint64_t)(int64_t)pairs[0].code <= pc)
			low = middle;
		else
			high = middle;
	}
	if (high == low)
		return -ENOENT;
	if (!pay(c))
		return -E2BIG;
	if (read_table(c, table->pairs + 8ull * low, pairs, (high - low) * (uint32_t)sizeof(pairs[0])))
		return -EFAULT;
	for (n = 0; n < high - low && table->header + (uint64_t)(int64_t)pairs[n].code <= pc; n++)
		*fde = table->header + (uint64_t)(int64_t)pairs[n].fde;
	return n ? 0 : -ENOENT;
}

/* Instructions */

static void set_rule(struct sonde_cfi *c, uint64_t number, enum sonde_cfi_rule kind, uint64_t offset)
{
	if (number >= SONDE_CFI_REGISTERS)
		return;
	if ((int64_t)offset != (int32_t)offset)
		fail(c, -EINVAL);
	c->row.kinds[number] = (uint8_t)kind;
	c->row.offsets[number] = (int32_t)offset;
}

/* Restores a register's rule to that of the CIE. */
static void restore_rule(struct sonde_cfi *c, uint64_t number)
{
	if (number >= SONDE_CFI_REGISTERS)
		return;
	c->row.kinds[number] = c->common.first.kinds[number];
	c->row.offsets[number] = c->common.first.offsets[number];
}

static void set_cfa_register(struct sonde_cfi *c)
{
	uint64_t number = next_uleb(c);

	if (number >= SONDE_CFI_REGISTERS)
		fail(c, -EINVAL);
	c->row.cfa_register = (uint8_t)number;
}

static uint64_t factored(struct sonde_cfi *c, uint64_t offset)
{
	return offset * (uint64_t)c->common.data_align;
}

/* Skips an expression; returns its place. */
static uint64_t next_expression(struct sonde_cfi *c, uint64_t header)
{
	uint64_t here = c->at - header;

	skip_block(c);
	return here;
}

/* Reads a rule that begins with the register's number. */
static void register_rule(struct sonde_cfi *c, uint8_t op, uint64_t header)
{
	uint64_t number = next_uleb(c), from;

	switch (op) {
	case 0x05: set_rule(c, number, SONDE_CFI_AT_OFFSET, factored(c, next_uleb(c))); return;
	case 0x06: restore_rule(c, number); return;
	case 0x07: set_rule(c, number, SONDE_CFI_UNDEFINED, 0); return;
	case 0x08: set_rule(c, number, SONDE_CFI_SAME, 0); return;
	case 0x09:
		from = next_uleb(c); /* an unsupported register: this frame cannot be unwound */
		set_rule(c, number, SONDE_CFI_IN_REGISTER, from < SONDE_CFI_REGISTERS ? from : SONDE_CFI_REGISTERS);
		return;
	case 0x10: set_rule(c, number, SONDE_CFI_AT_EXPRESSION, next_expression(c, header)); return;
	case 0x11: set_rule(c, number, SONDE_CFI_AT_OFFSET, factored(c, next_sleb(c))); return;
	case 0x14: set_rule(c, number, SONDE_CFI_IS_OFFSET, factored(c, next_uleb(c))); return;
	case 0x15: set_rule(c, number, SONDE_CFI_IS_OFFSET, factored(c, next_sleb(c))); return;
	case 0x16: set_rule(c, number, SONDE_CFI_IS_EXPRESSION, next_expression(c, header)); return;
	}
	fail(c, -EINVAL);
}

static void remember_row(struct sonde_cfi *c)
{
	if (c->kept_count == SONDE_CFI_REMEMBERED)
		fail(c, -EINVAL);
	else
		c->kept[c->kept_count++] = c->row;
}

static void recall_row(struct sonde_cfi *c)
{
	if (!c->kept_count)
		fail(c, -EINVAL);
	else
		c->row = c->kept[--c->kept_count];
}

/* Instructions without an operand in their low bits, except those that advance. */
static void run_extended(struct sonde_cfi *c, uint8_t op, uint64_t header)
{
	struct sonde_cfi_row *row = &c->row;
	uint64_t expression;

	switch (op) {
	case 0x00: /* nop */
	case 0x2d: return; /* GNU_window_save: of other machines */
	case 0x0a: remember_row(c); return;
	case 0x0b: recall_row(c); return;
	case 0x0c: /* def_cfa */
		set_cfa_register(c);
		row->cfa_offset = (int64_t)next_uleb(c);
		row->cfa_expression = 0;
		return;
	case 0x12: /* def_cfa_sf */
		set_cfa_register(c);
		row->cfa_offset = (int64_t)factored(c, next_sleb(c));
		row->cfa_expression = 0;
		return;
	case 0x0d: set_cfa_register(c); return;
	case 0x0e: row->cfa_offset = (int64_t)next_uleb(c); return;
	case 0x13: row->cfa_offset = (int64_t)factored(c, next_sleb(c)); return;
	case 0x0f: /* def_cfa_expression */
		expression = next_expression(c, header);
		row->cfa_expression = (int32_t)expression;
		if ((int64_t)expression != row->cfa_expression)
			fail(c, -EINVAL);
		return;
	case 0x2e: next_uleb(c); return; /* GNU_args_size */
	}
	register_rule(c, op, header);
}

/* Runs instructions, starting at `location`, up to the row of `pc`. */
static int run(struct sonde_cfi *c, uint64_t header, uint64_t location, uint64_t pc)
{
	while (!c->error && c->at < c->end && pay(c)) {
		uint64_t align = c->common.code_align;
		uint8_t op = next_byte(c), low = op & 0x3f;

		if (op >= 0xc0) {
			restore_rule(c, low);
		} else if (op >= 0x80) {
			set_rule(c, low, SONDE_CFI_AT_OFFSET, factored(c, next_uleb(c)));
		} else if (op >= 0x40 || (op >= 0x01 && op <= 0x04)) {
			if (op >= 0x40)
				location += low * align;
			else if (op == 0x01) /* set_loc */
				location = next_pointer(c, c->common.encoding, header);
			else /* advance_loc1, 2, 4 */
				location += next_number(c, 1u << (op - 2)) * align;
			if (location > pc)
				break;
		} else {
			run_extended(c, op, header);
		}
	}
	return c->error;
}

/* Entries */

/* Reads the length of a CIE or FDE; its contents are the next bytes. */
static int begin_entry(struct sonde_cfi *c, uint64_t at)
{
	uint64_t length;

	begin_bytes(c, at, at + 4);
	length = next_number(c, 4);
	if (length < 4 || length > ENTRY_MAX)
		fail(c, -EINVAL);
	c->end = c->at + length;
	return c->error;
}

/* The letters of the augmentation determine which fields a CIE has, and in which order. */
static void read_augmentation(struct sonde_cfi *c, const uint8_t *letters)
{
	struct sonde_cfi_common *common = &c->common;
	uint64_t length, behind;

	if (!letters[0])
		return;
	if (letters[0] != 'z')
		fail(c, -EINVAL);
	common->augmented = 1;
	length = next_uleb(c);
	if (length > c->end - c->at)
		fail(c, -EINVAL);
	behind = c->at + length;
	while (*++letters && !c->error) {
		if (*letters == 'R')
			common->encoding = next_byte(c);
		else if (*letters == 'P')
			next_pointer(c, next_byte(c) & FORM_MASK, 0);
		else if (*letters == 'L')
			next_byte(c);
		else if (*letters == 'S')
			common->first.signal_frame = 1;
		else
			fail(c, -EINVAL);
	}
	c->at = behind;
}

static void parse_common(struct sonde_cfi *c)
{
	struct sonde_cfi_common *common = &c->common;
	uint8_t version, letters[LETTERS_MAX + 1] = {0};
	uint64_t number;
	uint32_t n;

	if (next_number(c, 4))
		fail(c, -EINVAL); /* it is not a CIE */
	version = next_byte(c);
	if (version != 1 && version != 3)
		fail(c, -EINVAL);
	for (n = 0; (letters[n] = next_byte(c)); n++) {
		if (n == LETTERS_MAX - 1)
			fail(c, -EINVAL);
	}
	common->code_align = next_uleb(c);
	common->data_align = (int64_t)next_sleb(c);
	number = version == 1 ? next_byte(c) : next_uleb(c);
	if (number >= SONDE_CFI_REGISTERS)
		fail(c, -EINVAL);
	common->first.return_register = (uint8_t)number;
	read_augmentation(c, letters);
}

/* Reads the CIE at `at`, and makes its initial row. */
static int read_common(struct sonde_cfi *c, uint64_t header, uint64_t at)
{
	struct sonde_cfi_common *common = &c->common;

	if (common->at == at)
		return 0;
	*common = (struct sonde_cfi_common){0};
	if (begin_entry(c, at))
		return c->error;
	parse_common(c);
	c->row = common->first;
	c->kept_count = 0;
	if (run(c, header, 0, ~0ull))
		return c->error;
	common->first = c->row;
	common->at = at;
	return 0;
}

/* Reads the FDE at `at` up to its instructions, which are the next bytes. */
static int read_fde(struct sonde_cfi *c, uint64_t header, uint64_t at, uint64_t *code, uint64_t *size)
{
	uint64_t from, back, end;
	int error;

	if (begin_entry(c, at))
		return c->error;
	from = c->at;
	end = c->end;
	back = next_number(c, 4);
	if (!back)
		fail(c, -ENOENT); /* it is a CIE */
	if (c->error)
		return c->error;
	error = read_common(c, header, from - back);
	if (error)
		return error;
	begin_bytes(c, from + 4, end);
	*code = next_pointer(c, c->common.encoding, header);
	*size = next_pointer(c, c->common.encoding & FORM_MASK, 0);
	if (c->common.augmented)
		skip_block(c);
	return c->error;
}

int sonde_cfi_next(struct sonde_cfi *c, uint64_t header, uint64_t *at, uint64_t *code)
{
	uint64_t end, size;

	*code = 0;
	if (begin_entry(c, *at))
		return c->error;
	end = c->end;
	if (read_fde(c, header, *at, code, &size))
		*code = 0;
	*at = end;
	return 0;
}

int sonde_cfi_row_at(struct sonde_cfi *c, uint64_t header, uint64_t fde, uint64_t pc)
{
	uint64_t code, size;
	int error = read_fde(c, header, fde, &code, &size);

	if (error)
		return error;
	if (pc - code >= size)
		return -ENOENT;
	c->row = c->common.first;
	c->kept_count = 0;
	return run(c, header, code, pc);
}

/* Expressions */

struct operands {
	uint64_t values[STACK_MAX];
	uint32_t depth;
};

static void push(struct sonde_cfi *c, struct operands *o, uint64_t value)
{
	if (o->depth == STACK_MAX)
		fail(c, -EINVAL);
	else
		o->values[o->depth++] = value;
}

static uint64_t pop(struct sonde_cfi *c, struct operands *o)
{
	return o->depth ? o->values[--o->depth] : fail(c, -EINVAL);
}

static int read_stack(struct sonde_cfi *c, uint64_t address, void *to, uint32_t length)
{
	return c->env->read_stack(c->context, address, to, length) ? -EFAULT : 0;
}

static uint64_t load(struct sonde_cfi *c, uint64_t address, uint32_t bytes)
{
	uint64_t value = 0;

	if (bytes > sizeof(value))
		fail(c, -EINVAL);
	else if (!c->error && read_stack(c, address, &value, bytes))
		fail(c, -EFAULT);
	return value;
}

static uint64_t combine(struct sonde_cfi *c, uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case 0x1a: return a & b;
	case 0x1c: return a - b;
	case 0x1e: return a * b;
	case 0x21: return a | b;
	case 0x22: return a + b;
	case 0x24: return b > 63 ? 0 : a << b;
	case 0x25: return b > 63 ? 0 : a >> b;
	case 0x26: return (uint64_t)((int64_t)a >> (b > 63 ? 63 : b));
	case 0x27: return a ^ b;
	case 0x29: return a == b;
	case 0x2a: return (int64_t)a >= (int64_t)b;
	case 0x2b: return (int64_t)a > (int64_t)b;
	case 0x2c: return (int64_t)a <= (int64_t)b;
	case 0x2d: return (int64_t)a < (int64_t)b;
	case 0x2e: return a != b;
	}
	return fail(c, -EINVAL);
}

static uint64_t next_based(struct sonde_cfi *c, const uint64_t *registers, uint64_t number)
{
	uint64_t offset = next_sleb(c);

	return number < SONDE_CFI_REGISTERS ? registers[number] + offset : fail(c, -EINVAL);
}

/* The operations that call frame information uses. All others fail. */
static void operate(struct sonde_cfi *c, struct operands *o, const uint64_t *registers)
{
	uint8_t op = next_byte(c);
	uint64_t value;

	switch (op) {
	case 0x06: push(c, o, load(c, pop(c, o), 8)); return; /* deref */
	case 0x94: /* deref_size */
		value = pop(c, o);
		push(c, o, load(c, value, next_byte(c)));
		return;
	case 0x08: push(c, o, next_number(c, 1)); return; /* const1u ... */
	case 0x09: push(c, o, next_signed(c, 1)); return;
	case 0x0a: push(c, o, next_number(c, 2)); return;
	case 0x0b: push(c, o, next_signed(c, 2)); return;
	case 0x0c: push(c, o, next_number(c, 4)); return;
	case 0x0d: push(c, o, next_signed(c, 4)); return;
	case 0x0e:
	case 0x0f: push(c, o, next_number(c, 8)); return;
	case 0x10: push(c, o, next_uleb(c)); return;
	case 0x11: push(c, o, next_sleb(c)); return;
	case 0x12: /* dup */
		value = pop(c, o);
		push(c, o, value);
		push(c, o, value);
		return;
	case 0x13: pop(c, o); return; /* drop */
	case 0x23: /* plus_uconst */
		value = pop(c, o);
		push(c, o, value + next_uleb(c));
		return;
	case 0x92: /* bregx */
		value = next_uleb(c);
		push(c, o, next_based(c, registers, value));
		return;
	case 0x96: return; /* nop */
	}
	if (op >= 0x30 && op <= 0x4f) { /* lit0 ... */
		push(c, o, op - 0x30u);
	} else if (op >= 0x70 && op <= 0x8f) { /* breg0 ... */
		push(c, o, next_based(c, registers, op - 0x70u));
	} else {
		value = pop(c, o);
		push(c, o, combine(c, op, pop(c, o), value));
	}
}

/* Evaluates the expression whose length is at `at`; a register's expression begins with the CFA. */
static uint64_t evaluate(struct sonde_cfi *c, uint64_t at, const uint64_t *registers, const uint64_t *cfa)
{
	struct operands o;
	uint64_t length;

	o.depth = 0;
	if (cfa)
		push(c, &o, *cfa);
	begin_bytes(c, at, at + LEB_MAX);
	length = next_uleb(c);
	c->end = c->at + (length < ENTRY_MAX ? length : 0);
	while (!c->error && c->at < c->end && pay(c))
		operate(c, &o, registers);
	return pop(c, &o);
}

/* Finds one register of the caller. */
static uint64_t recover(struct sonde_cfi *c, uint64_t header, const struct sonde_cfi_row *row, uint32_t number,
			const uint64_t *registers, uint64_t cfa)
{
	int64_t offset = row->offsets[number];

	switch ((enum sonde_cfi_rule)row->kinds[number]) {
	case SONDE_CFI_SAME:
	case SONDE_CFI_UNDEFINED: break;
	case SONDE_CFI_AT_OFFSET: return load(c, cfa + (uint64_t)offset, 8);
	case SONDE_CFI_IS_OFFSET: return cfa + (uint64_t)offset;
	case SONDE_CFI_IN_REGISTER:
		return offset < SONDE_CFI_REGISTERS ? registers[offset] : fail(c, -EINVAL);
	case SONDE_CFI_AT_EXPRESSION: return load(c, evaluate(c, header + (uint64_t)offset, registers, &cfa), 8);
	case SONDE_CFI_IS_EXPRESSION: return evaluate(c, header + (uint64_t)offset, registers, &cfa);
	}
	return number == SONDE_CFI_SP ? cfa : registers[number];
}

int sonde_cfi_apply(struct sonde_cfi *c, uint64_t header, const struct sonde_cfi_row *row,
		    uint64_t registers[SONDE_CFI_REGISTERS])
{
	uint64_t cfa;
	uint32_t n;

	if (row->kinds[row->return_register] == SONDE_CFI_UNDEFINED)
		return -ENOENT;
	begin_bytes(c, 0, 0);
	if (row->cfa_expression)
		cfa = evaluate(c, header + (uint64_t)(int64_t)row->cfa_expression, registers, NULL);
	else
		cfa = registers[row->cfa_register] + (uint64_t)row->cfa_offset;
	for (n = 0; n < SONDE_CFI_REGISTERS && !c->error; n++)
		c->caller[n] = recover(c, header, row, n, registers, cfa);
	if (c->error)
		return c->error;
	c->caller[SONDE_CFI_PC] = c->caller[row->return_register];
	for (n = 0; n < SONDE_CFI_REGISTERS; n++)
		registers[n] = c->caller[n];
	return 0;
}

/* Frames */

void sonde_cfi_begin(struct sonde_cfi *c, const struct sonde_cfi_env *env, void *context, uint32_t steps)
{
	c->env = env;
	c->context = context;
	c->steps = steps;
	c->window = 0;
	c->common.at = 0;
	begin_bytes(c, 0, 0);
}

static const struct sonde_cfi_row entry_row = SONDE_CFI_ENTRY_ROW;
static const struct sonde_cfi_row frame_pointer_row = SONDE_CFI_FRAME_POINTER_ROW;
static const struct sonde_cfi_row trampoline_row = SONDE_CFI_TRAMPOLINE_ROW;
static const uint8_t trampoline_code[] = SONDE_CFI_TRAMPOLINE_CODE;

/* Unwinds by a row that is not in any table: the result must be in code. If it is not, the registers are unchanged. */
static int leave_by(struct sonde_cfi *c, const struct sonde_cfi_row *row, uint64_t *registers)
{
	uint64_t before[SONDE_CFI_REGISTERS];
	uint32_t n;

	for (n = 0; n < SONDE_CFI_REGISTERS; n++)
		before[n] = registers[n];
	if (sonde_cfi_apply(c, 0, row, registers))
		return 0;
	if (c->env->is_code(c->context, registers[SONDE_CFI_PC]))
		return 1;
	for (n = 0; n < SONDE_CFI_REGISTERS; n++)
		registers[n] = before[n];
	return 0;
}

static int is_trampoline(struct sonde_cfi *c, uint64_t pc)
{
	uint8_t code[sizeof(trampoline_code)];
	uint32_t n;

	if (c->env->read_table(c->context, pc, code, sizeof(code)))
		return 0;
	for (n = 0; n < sizeof(code); n++)
		if (code[n] != trampoline_code[n])
			return 0;
	return 1;
}

/*
 * Unwinds code without a row. Where the innermost frame has not been set up, or its function needs none, the return
 * address is on top of the stack.
 */
static int leave_unknown(struct sonde_cfi *c, uint64_t *registers, int exact)
{
	uint64_t frame = registers[SONDE_CFI_FP];

	if (!c->steps)
		return 0;
	if (!exact && is_trampoline(c, registers[SONDE_CFI_PC]))
		return leave_by(c, &trampoline_row, registers);
	if (frame % 8 == 0 && frame - registers[SONDE_CFI_SP] < SONDE_CFI_FRAME_MAX &&
	    leave_by(c, &frame_pointer_row, registers))
		return 1;
	return exact && leave_by(c, &entry_row, registers);
}

/*
 * Unwinds one frame. `*exact`: its pc is where it executes; the pc of other frames is behind a call, which may be the
 * last instruction of its function, so they are looked up by the call.
 */
static int step(struct sonde_cfi *c, uint64_t *registers, int *exact)
{
	uint64_t pc = registers[SONDE_CFI_PC] - !*exact, sp = registers[SONDE_CFI_SP], header = 0;
	const struct sonde_cfi_row *row;
	int was_exact = *exact;

	if (*exact && !c->env->is_code(c->context, pc)) { /* a call to something that is not code */
		*exact = 0;
		return leave_by(c, &entry_row, registers);
	}
	*exact = 0;
	row = c->env->row(c->context, pc, &header);
	if (!row)
		return leave_unknown(c, registers, was_exact);
	*exact = row->signal_frame;
	return !sonde_cfi_apply(c, header, row, registers) && registers[SONDE_CFI_PC] &&
	       (*exact || registers[SONDE_CFI_SP] > sp);
}

uint32_t sonde_cfi_walk(struct sonde_cfi *c, uint64_t registers[SONDE_CFI_REGISTERS], int at_entry, uint64_t *to,
			uint32_t max)
{
	uint32_t count = 0;
	int exact = 1;

	if (max)
		to[count++] = registers[SONDE_CFI_PC];
	if (at_entry && count < max && !sonde_cfi_apply(c, 0, &entry_row, registers)) {
		to[count++] = registers[SONDE_CFI_PC];
		exact = 0;
	}
	while (count < max && step(c, registers, &exact))
		to[count++] = registers[SONDE_CFI_PC];
	return count;
}
