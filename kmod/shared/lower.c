// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The common half of lowering
 *
 * start[] serves twice: before the first pass it says which instructions a path reaches, and each pass then
 * writes where these begin. Branches go forward, so one scan finds all that is reached.
 */
#include "kmod/shared/lower.h"

#ifdef __KERNEL__
#include <linux/stddef.h>
#else
#include <stddef.h>
#endif

void sonde_lower_emit(struct sonde_lowering *l, uint8_t code, uint8_t dst, uint8_t src, int16_t off, int32_t imm)
{
	struct bpf_insn insn = { .code = code, .off = off, .imm = imm };

	insn.dst_reg = dst & 15;
	insn.src_reg = src & 15;
	if (l->count < l->room)
		l->out[l->count] = insn;
	else
		l->unfit = 1;
	l->count++;
}

void sonde_lower_constant(struct sonde_lowering *l, uint8_t to, uint64_t value)
{
	sonde_lower_emit(l, BPF_LD | BPF_DW | BPF_IMM, to, 0, 0, (int32_t)(uint32_t)value);
	sonde_lower_emit(l, 0, 0, 0, 0, (int32_t)(uint32_t)(value >> 32));
}

uint32_t sonde_lower_jump(struct sonde_lowering *l)
{
	sonde_lower_emit(l, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	return l->count - 1;
}

uint32_t sonde_lower_branch(struct sonde_lowering *l, uint8_t op, uint8_t a, uint8_t b)
{
	sonde_lower_emit(l, BPF_JMP | op | BPF_X, a, b, 0, 0);
	return l->count - 1;
}

uint32_t sonde_lower_branch_imm(struct sonde_lowering *l, uint8_t op, uint8_t a, int32_t value)
{
	sonde_lower_emit(l, BPF_JMP | op | BPF_K, a, 0, 0, value);
	return l->count - 1;
}

static int16_t distance(struct sonde_lowering *l, uint32_t from, uint32_t to)
{
	int64_t far = (int64_t)to - from - 1;

	if (far > SONDE_LOWER_FAR)
		l->unfit = 1;
	return (int16_t)far;
}

void sonde_lower_land(struct sonde_lowering *l, uint32_t at)
{
	if (at < l->room)
		l->out[at].off = distance(l, at, l->count);
}

void sonde_lower_jump_to(struct sonde_lowering *l, uint32_t place)
{
	sonde_lower_emit(l, BPF_JMP | BPF_JA, 0, 0, distance(l, l->count, place), 0);
}

static int16_t place_of(uint32_t number)
{
	return (int16_t)(-8 * (int16_t)(number + 1));
}

static int has_home(const struct sonde_lowering *l, uint32_t number)
{
	return number < 2 && l->use.home[number];
}

uint8_t sonde_lower_home(const struct sonde_lowering *l, uint32_t number, uint8_t scratch)
{
	return has_home(l, number) ? l->use.home[number] : scratch;
}

uint8_t sonde_lower_source(struct sonde_lowering *l, uint32_t number, uint8_t scratch)
{
	if (!has_home(l, number)) {
		l->stacked = 1;
		sonde_lower_ldx(l, BPF_DW, scratch, BPF_REG_10, place_of(number));
	}
	return sonde_lower_home(l, number, scratch);
}

void sonde_lower_load(struct sonde_lowering *l, uint8_t to, uint32_t number)
{
	uint8_t reg = sonde_lower_source(l, number, to);

	if (reg != to)
		sonde_lower_mov(l, to, reg);
}

void sonde_lower_store(struct sonde_lowering *l, uint32_t number, uint8_t from)
{
	uint8_t reg = sonde_lower_home(l, number, from);

	if (!has_home(l, number)) {
		l->stacked = 1;
		sonde_lower_stx(l, BPF_DW, BPF_REG_10, from, place_of(number));
	} else if (reg != from) {
		sonde_lower_mov(l, reg, from);
	}
}

/* A function that translates one instruction of DIF. */
#define LOWERS(name)                                                                                \
	static void lower_##name(struct sonde_lowering *l, const struct sonde_dif_insn *in,         \
				 const struct sonde_lower_row *row)

static uint64_t pool_number(const struct sonde_dif_program *program, int32_t at)
{
	uint64_t number;

	__builtin_memcpy(&number, program->pool + at, sizeof(number));
	return number;
}

LOWERS(constant)
{
	uint8_t d = sonde_lower_home(l, in->d, l->use.one);

	(void)row;
	if (in->op == SONDE_DIF_LI)
		sonde_lower_mov_imm(l, d, in->i);
	else
		sonde_lower_constant(l, d, pool_number(l->program, in->i));
	sonde_lower_store(l, in->d, d);
}

LOWERS(move)
{
	(void)row;
	sonde_lower_store(l, in->d, sonde_lower_source(l, in->a, l->use.one));
}

LOWERS(alu)
{
	uint8_t b = sonde_lower_source(l, in->b, l->use.two);
	uint8_t d = in->d == in->b ? l->use.one : sonde_lower_home(l, in->d, l->use.one);

	sonde_lower_load(l, d, in->a);
	sonde_lower_alu(l, row->op, d, b);
	sonde_lower_store(l, in->d, d);
}

/* -a, or a ^ -1. */
LOWERS(unary)
{
	sonde_lower_load(l, l->use.one, in->a);
	sonde_lower_alu_imm(l, row->op, l->use.one, row->op == BPF_XOR ? -1 : 0);
	sonde_lower_store(l, in->d, l->use.one);
}

/* Shifts by more than 63 give 0. */
LOWERS(shift)
{
	uint8_t b = sonde_lower_source(l, in->b, l->use.two);
	uint32_t skip;

	sonde_lower_mov_imm(l, BPF_REG_0, 0);
	skip = sonde_lower_branch_imm(l, BPF_JGT, b, 63);
	sonde_lower_load(l, BPF_REG_0, in->a);
	sonde_lower_alu(l, row->op, BPF_REG_0, b);
	sonde_lower_land(l, skip);
	sonde_lower_store(l, in->d, BPF_REG_0);
}

/* d = a OP b: 1 if the jump over the second move is taken. */
LOWERS(compare)
{
	uint8_t a = sonde_lower_source(l, in->a, l->use.one);
	uint8_t b = sonde_lower_source(l, in->b, l->use.two);

	sonde_lower_mov_imm(l, BPF_REG_0, 1);
	sonde_lower_emit(l, BPF_JMP | row->op | BPF_X, a, b, 1, 0);
	sonde_lower_mov_imm(l, BPF_REG_0, 0);
	sonde_lower_store(l, in->d, BPF_REG_0);
}

LOWERS(extend)
{
	sonde_lower_load(l, l->use.one, in->a);
	sonde_lower_alu_imm(l, BPF_LSH, l->use.one, 64 - in->i);
	sonde_lower_alu_imm(l, row->op, l->use.one, 64 - in->i);
	sonde_lower_store(l, in->d, l->use.one);
}

/* The first bytes of a text and its NUL, as words; and masks of the bytes that count. 0: no name is as long. */
static int words_of(const char *text, uint64_t words[2], uint64_t masks[2])
{
	uint32_t n;

	words[0] = words[1] = masks[0] = masks[1] = 0;
	for (n = 0; n < 16; n++) {
		words[n / 8] |= (uint64_t)(uint8_t)text[n] << 8 * (n % 8);
		masks[n / 8] |= 0xffull << 8 * (n % 8);
		if (!text[n])
			return 1;
	}
	return 0;
}

/* d = whether the name begins with these bytes: without a call or loop. */
LOWERS(name)
{
	const char *text = (const char *)l->program->pool + in->i;
	uint64_t words[2], masks[2];
	uint32_t skip[2], n;

	(void)row;
	sonde_lower_mov_imm(l, BPF_REG_0, 0);
	if (words_of(text, words, masks)) {
		for (n = 0; n < 2 && masks[n]; n++) {
			l->target->load_name(l, BPF_REG_2, n);
			if (masks[n] != ~0ull) {
				sonde_lower_constant(l, BPF_REG_3, masks[n]);
				sonde_lower_alu(l, BPF_AND, BPF_REG_2, BPF_REG_3);
			}
			sonde_lower_constant(l, BPF_REG_3, words[n]);
			skip[n] = sonde_lower_branch(l, BPF_JNE, BPF_REG_2, BPF_REG_3);
		}
		sonde_lower_mov_imm(l, BPF_REG_0, 1);
		while (n--)
			sonde_lower_land(l, skip[n]);
	}
	sonde_lower_store(l, in->d, BPF_REG_0);
}

LOWERS(jump)
{
	uint32_t to = l->start[in - l->program->insns + 1 + in->i];
	uint8_t a = 0;

	if (in->op != SONDE_DIF_JMP) {
		if (l->facts.loads)
			l->target->check_fault(l);
		a = sonde_lower_source(l, in->a, l->use.one);
	}
	sonde_lower_emit(l, BPF_JMP | row->op | BPF_K, a, 0, distance(l, l->count, to), 0);
}

#define OP(name, function, ...) [SONDE_DIF_##name] = { lower_##function, ##__VA_ARGS__ }
static const struct sonde_lower_row common[SONDE_DIF_OP_COUNT] = {
	OP(LI, constant),
	OP(LC, constant),
	OP(MOV, move),
	OP(ADD, alu, BPF_ADD),
	OP(SUB, alu, BPF_SUB),
	OP(MUL, alu, BPF_MUL),
	OP(AND, alu, BPF_AND),
	OP(OR, alu, BPF_OR),
	OP(XOR, alu, BPF_XOR),
	OP(SHL, shift, BPF_LSH),
	OP(SHRS, shift, BPF_ARSH),
	OP(SHRU, shift, BPF_RSH),
	OP(NEG, unary, BPF_NEG),
	OP(NOT, unary, BPF_XOR),
	OP(SX, extend, BPF_ARSH),
	OP(ZX, extend, BPF_RSH),
	OP(EQ, compare, BPF_JEQ),
	OP(NE, compare, BPF_JNE),
	OP(LTS, compare, BPF_JSLT),
	OP(LES, compare, BPF_JSLE),
	OP(LTU, compare, BPF_JLT),
	OP(LEU, compare, BPF_JLE),
	OP(JMP, jump, BPF_JA),
	OP(JZ, jump, BPF_JEQ),
	OP(JNZ, jump, BPF_JNE),
	OP(NAMEQ, name, .calls = 1), /* it needs the registers */
};
#undef OP

static const struct sonde_lower_row *row_of(const struct sonde_lowering *l, const struct sonde_dif_insn *in)
{
	const struct sonde_lower_row *own = l->target->row(in);

	return own ? own : &common[in->op];
}

static void look_at_capture(struct sonde_lower_facts *facts, const struct sonde_dif_insn *in, int straight)
{
	if (in->op != SONDE_DIF_CAPW) {
		facts->spans = 1;
		if (!sonde_lower_is_execname(in))
			facts->faults = 1;
	}
	if (straight)
		facts->zeroed &= ~(1ull << in->d);
}

/* A verified program does not run past its last instruction. */
static void reach(struct sonde_lowering *l, uint32_t at)
{
	if (l->start[at] == SONDE_LOWER_NONE)
		l->start[at] = 0;
}

/* Finds the instructions that a path reaches, and what is true of the program as a whole. */
static void look_ahead(struct sonde_lowering *l)
{
	const struct sonde_dif_program *program = l->program;
	int straight = 1; /* no path has left yet */
	uint32_t at;

	l->facts = (struct sonde_lower_facts){ .zeroed = ~0ull };
	for (at = 0; at < program->length; at++)
		l->start[at] = at ? SONDE_LOWER_NONE : 0;
	for (at = 0; at < program->length; at++) {
		const struct sonde_dif_insn *in = &program->insns[at];

		if (l->start[at] == SONDE_LOWER_NONE)
			continue;
		if (sonde_lower_is_branch(in->op))
			reach(l, at + 1 + (uint32_t)in->i);
		if (in->op != SONDE_DIF_JMP && in->op != SONDE_DIF_RECORD && in->op != SONDE_DIF_FAIL)
			reach(l, at + 1);
		if (sonde_lower_is_load(in->op))
			l->facts.loads = l->facts.faults = 1;
		if (sonde_lower_is_capture(in->op))
			look_at_capture(&l->facts, in, straight);
		if (sonde_lower_is_branch(in->op) || in->op == SONDE_DIF_RECORD || in->op == SONDE_DIF_FAIL)
			straight = 0;
		l->facts.calls |= row_of(l, in)->calls;
	}
	if (program->slots < 64)
		l->facts.zeroed &= (1ull << program->slots) - 1;
}

static void translate_all(struct sonde_lowering *l)
{
	const struct sonde_dif_program *program = l->program;
	uint32_t at;

	l->count = 0;
	l->unfit = 0;
	if (l->target->begin)
		l->target->begin(l);
	for (at = 0; at < program->length; at++) {
		const struct sonde_dif_insn *in = &program->insns[at];
		const struct sonde_lower_row *row = row_of(l, in);

		if (l->start[at] == SONDE_LOWER_NONE)
			continue;
		l->start[at] = l->count;
		if (l->target->before)
			l->target->before(l, at);
		if (row->by)
			row->by(l, in, row);
		else
			l->unfit = 1;
	}
	if (l->target->finish)
		l->target->finish(l);
	l->end = l->count;
}

int sonde_lower(struct sonde_lowering *l)
{
	look_ahead(l);
	l->stacked = 0;
	l->end = 0;
	l->use = l->facts.calls ? l->target->calling : l->target->plain;
	translate_all(l); /* finds all positions */
	translate_all(l); /* with the right branches */
	return l->unfit ? -1 : 0;
}
