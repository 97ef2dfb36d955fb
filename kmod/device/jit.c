// SPDX-License-Identifier: GPL-2.0
/*
 * DIF as native code
 *
 * A verified program is translated to eBPF instructions, which the kernel's JIT
 * compiles. They are not checked by the BPF verifier, because DIF's verifier
 * has proven more. The code gets the firing as its first argument and the
 * record as its second; it returns the size of the record, or 0 for none.
 *
 * Registers of the translation:
 *
 *                        firing  record  DIF's r0, r1  scratch
 *   code without calls   R1      R2      R3, -         R4, R5, R0
 *   code with calls      R6      R7      R8, R9        R1 to R5, R0
 *
 * The registers of the first kind need not be saved at every firing. DIF's
 * other registers are on the stack.
 *
 * Faults. Only a program that loads memory can have a pending fault
 * (firing->faulted), so only there branches, stores and captures check for it.
 * A text that is not available is a fault of its slot alone.
 *
 * The interpreter runs a program if the kernel has no JIT or it is off, or if a
 * branch is too far for eBPF's 16 bits.
 *
 * Slots whose captures a branch may skip are zeroed first, so a slot without a
 * capture is 0, as with sonde_dif_run().
 */
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/slab.h>

#include "kmod/core/memory.h"
#include "kmod/device/jit.h"
#include "kmod/device/session.h"

#define JIT_PER_INSN 24u /* maximal number of eBPF instructions for one of DIF */
#define JIT_FRAME 80u /* and before them: entry, slots */

struct jit {
	struct bpf_insn *out;
	u32 count;
	u8 firing, record, home[2], one, two; /* eBPF registers: see jit_choose_registers() */
	const struct sonde_program *program;
	bool loads; /* it loads memory: a fault may be pending */
	bool calls; /* it calls helpers */
	bool spans; /* its records have no fixed size */
	bool faults; /* its slots may have faults */
	bool unfit; /* a branch does not fit, or an operation has no row: it is interpreted */
	bool stacked; /* it uses registers that have no home */
	u64 zeroed; /* slots that a path may skip */
	u32 *start; /* index of the first eBPF instruction of each DIF instruction */
};

#define FIRING(member) offsetof(struct sonde_firing, member)
#define RECORD(member) offsetof(struct sonde_record, member)
#define LOCALS offsetof(struct sonde_writer, locals)

static void jit_emit(struct jit *jit, struct bpf_insn insn)
{
	jit->out[jit->count++] = insn;
}

static s16 jit_reg_at(u32 number)
{
	return -8 * (s16)(number + 1);
}

/* BPF_REG_0 in jit->home means no home. */
static bool jit_has_home(const struct jit *jit, u32 number)
{
	return number < 2 && jit->home[number];
}

/* The eBPF register that is the home of DIF's @number; if it has none, @scratch. */
static u8 jit_home(const struct jit *jit, u32 number, u8 scratch)
{
	return jit_has_home(jit, number) ? jit->home[number] : scratch;
}

/* A register with the value of DIF's @number: its home, or @scratch after a load. */
static u8 jit_source(struct jit *jit, u32 number, u8 scratch)
{
	if (!jit_has_home(jit, number)) {
		jit->stacked = true;
		jit_emit(jit, BPF_LDX_MEM(BPF_DW, scratch, BPF_REG_10,
					  jit_reg_at(number)));
	}
	return jit_home(jit, number, scratch);
}

static void jit_load_reg(struct jit *jit, u8 to, u32 number)
{
	u8 reg = jit_source(jit, number, to);

	if (reg != to)
		jit_emit(jit, BPF_MOV64_REG(to, reg));
}

static void jit_store_reg(struct jit *jit, u32 number, u8 from)
{
	u8 reg = jit_home(jit, number, from);

	if (!jit_has_home(jit, number)) {
		jit->stacked = true;
		jit_emit(jit, BPF_STX_MEM(BPF_DW, BPF_REG_10, from,
					  jit_reg_at(number)));
	} else if (reg != from) {
		jit_emit(jit, BPF_MOV64_REG(reg, from));
	}
}

static void jit_load_constant(struct jit *jit, u8 to, u64 value)
{
	struct bpf_insn both[2] = { BPF_LD_IMM64(to, value) };

	jit_emit(jit, both[0]);
	jit_emit(jit, both[1]);
}

static void jit_load_field(struct jit *jit, u8 to, u32 size, u32 offset)
{
	jit_emit(jit, BPF_LDX_MEM(size, to, jit->firing, offset));
}

/* Emits a branch, whose distance jit_land() sets. */
static u32 jit_branch(struct jit *jit, struct bpf_insn insn)
{
	jit_emit(jit, insn);
	return jit->count - 1;
}

static void jit_land(struct jit *jit, u32 at)
{
	jit->out[at].off = jit->count - at - 1;
}

/* How an operation, or the read of a variable, is translated. */
struct translation {
	void (*by)(struct jit *jit, const struct sonde_dif_insn *in,
		   const struct translation *how);
	u8 op; /* of eBPF, or a size */
	sonde_jit_helper *call;
	u32 pointer; /* offset in the firing: of a pointer to variables */
	u32 offset; /* of the variables there, or of a field */
};

/* A function that translates one instruction of DIF. */
#define TRANSLATES(name) \
	static void jit_translate_##name(struct jit *jit, \
					 const struct sonde_dif_insn *in, \
					 const struct translation *how)

static u64 jit_pool_number(const struct sonde_dif_program *view, s32 at)
{
	u64 number;

	memcpy(&number, view->pool + at, sizeof(number));
	return number;
}

TRANSLATES(constant)
{
	u8 d = jit_home(jit, in->d, jit->one);

	if (in->op == SONDE_DIF_LI)
		jit_emit(jit, BPF_MOV64_IMM(d, in->i));
	else
		jit_load_constant(jit, d,
				  jit_pool_number(&jit->program->view, in->i));
	jit_store_reg(jit, in->d, d);
}

TRANSLATES(move)
{
	jit_store_reg(jit, in->d, jit_source(jit, in->a, jit->one));
}

TRANSLATES(alu)
{
	u8 b = jit_source(jit, in->b, jit->two);
	u8 d = in->d == in->b ? jit->one : jit_home(jit, in->d, jit->one);

	jit_load_reg(jit, d, in->a);
	jit_emit(jit, BPF_ALU64_REG(how->op, d, b));
	jit_store_reg(jit, in->d, d);
}

/* -a, or a ^ -1. */
TRANSLATES(unary)
{
	jit_load_reg(jit, jit->one, in->a);
	jit_emit(jit, BPF_ALU64_IMM(how->op, jit->one,
				    how->op == BPF_XOR ? -1 : 0));
	jit_store_reg(jit, in->d, jit->one);
}

/* Shifts by more than 63 give 0. */
TRANSLATES(shift)
{
	u8 b = jit_source(jit, in->b, jit->two);
	u32 skip;

	jit_emit(jit, BPF_MOV64_IMM(BPF_REG_0, 0));
	skip = jit_branch(jit, BPF_JMP_IMM(BPF_JGT, b, 63, 0));
	jit_load_reg(jit, BPF_REG_0, in->a);
	jit_emit(jit, BPF_ALU64_REG(how->op, BPF_REG_0, b));
	jit_land(jit, skip);
	jit_store_reg(jit, in->d, BPF_REG_0);
}

/* d = a OP b: 1 if the jump over the second move is taken. */
TRANSLATES(compare)
{
	u8 a = jit_source(jit, in->a, jit->one);
	u8 b = jit_source(jit, in->b, jit->two);

	jit_emit(jit, BPF_MOV64_IMM(BPF_REG_0, 1));
	jit_emit(jit, BPF_JMP_REG(how->op, a, b, 1));
	jit_emit(jit, BPF_MOV64_IMM(BPF_REG_0, 0));
	jit_store_reg(jit, in->d, BPF_REG_0);
}

TRANSLATES(extend)
{
	jit_load_reg(jit, jit->one, in->a);
	jit_emit(jit, BPF_ALU64_IMM(BPF_LSH, jit->one, 64 - in->i));
	jit_emit(jit, BPF_ALU64_IMM(how->op, jit->one, 64 - in->i));
	jit_store_reg(jit, in->d, jit->one);
}

static void jit_read_field(struct jit *jit, u32 d, u32 size, u32 offset)
{
	u8 reg = jit_home(jit, d, jit->one);

	jit_load_field(jit, reg, size, offset);
	jit_store_reg(jit, d, reg);
}

/* d = a field of the firing */
TRANSLATES(field)
{
	jit_read_field(jit, in->d, how->op, how->offset);
}

TRANSLATES(argument)
{
	jit_read_field(jit, in->d, BPF_DW, FIRING(args) + 8 * in->i);
}

static void jit_read_by(struct jit *jit, u32 d, u32 size, u32 pointer,
			u32 offset)
{
	u8 reg = jit_home(jit, d, jit->one);

	jit_load_field(jit, jit->one, BPF_DW, pointer);
	jit_emit(jit, BPF_LDX_MEM(size, reg, jit->one, offset));
	jit_store_reg(jit, d, reg);
}

/* d = a field of the current task */
TRANSLATES(task)
{
	jit_read_by(jit, in->d, how->op, FIRING(task), how->offset);
}

/* d = the i-th variable */
TRANSLATES(load)
{
	jit_read_by(jit, in->d, BPF_DW, how->pointer, how->offset + 8 * in->i);
}

/* A store while a fault is pending stores 0, and clears the fault. */
TRANSLATES(store)
{
	u8 a = jit_source(jit, in->a, jit->two);
	u32 skip;

	if (jit->loads) {
		if (a != jit->two)
			jit_emit(jit, BPF_MOV64_REG(jit->two, a));
		a = jit->two;
		jit_load_field(jit, jit->one, BPF_W, FIRING(faulted));
		skip = jit_branch(jit, BPF_JMP_IMM(BPF_JEQ, jit->one, 0, 0));
		jit_emit(jit, BPF_MOV64_IMM(jit->two, 0));
		jit_emit(jit,
			 BPF_ST_MEM(BPF_W, jit->firing, FIRING(faulted), 0));
		jit_land(jit, skip);
	}
	jit_load_field(jit, jit->one, BPF_DW, how->pointer);
	jit_emit(jit, BPF_STX_MEM(BPF_DW, jit->one, a,
				  how->offset + 8 * in->i));
}

/* helper(firing, operand) */
static void jit_call(struct jit *jit, sonde_jit_helper *call, u32 operand)
{
	jit_emit(jit, BPF_MOV64_REG(BPF_REG_1, jit->firing));
	jit_emit(jit, BPF_MOV64_IMM(BPF_REG_2, operand));
	jit_emit(jit, BPF_EMIT_CALL(call));
}

/* d = helper(firing, i) */
TRANSLATES(call)
{
	jit_call(jit, how->call, in->i);
	jit_store_reg(jit, in->d, BPF_REG_0);
}

/* d = helper(a, b) */
TRANSLATES(divide)
{
	jit_load_reg(jit, BPF_REG_1, in->a);
	jit_load_reg(jit, BPF_REG_2, in->b);
	jit_emit(jit, BPF_EMIT_CALL(how->call));
	jit_store_reg(jit, in->d, BPF_REG_0);
}

TRANSLATES(memory)
{
	jit_emit(jit, BPF_MOV64_REG(BPF_REG_1, jit->firing));
	jit_load_reg(jit, BPF_REG_2, in->a);
	jit_emit(jit, BPF_MOV64_IMM(BPF_REG_3, in->i));
	jit_emit(jit, BPF_EMIT_CALL(how->call));
	if (in->op == SONDE_DIF_LDS) {
		jit_emit(jit,
			 BPF_ALU64_IMM(BPF_LSH, BPF_REG_0, 64 - 8 * in->i));
		jit_emit(jit,
			 BPF_ALU64_IMM(BPF_ARSH, BPF_REG_0, 64 - 8 * in->i));
	}
	jit_store_reg(jit, in->d, BPF_REG_0);
}

#define VAR(name, function, ...) \
	[SONDE_DIF_VAR_##name] = { jit_translate_##function, __VA_ARGS__ }
static const struct translation variables[SONDE_DIF_VAR_COUNT] = {
	VAR(PID, task, BPF_W, .offset = offsetof(struct task_struct, tgid)),
	VAR(TID, task, BPF_W, .offset = offsetof(struct task_struct, pid)),
	VAR(PROBE, field, BPF_W, .offset = FIRING(probe)),
	VAR(ERRNO, field, BPF_W, .offset = FIRING(start.error)),
	VAR(SYSCALL, field, BPF_DW, .offset = FIRING(call)),
	VAR(CURTHREAD, field, BPF_DW, .offset = FIRING(task)),
	VAR(TIMESTAMP, call, .call = sonde_jit_time),
	VAR(CALLER, call, .call = sonde_jit_caller),
	VAR(STACKDEPTH, call, .call = sonde_jit_depth),
};

#undef VAR

static const struct translation other_variable = {
	jit_translate_call, .call = sonde_jit_variable
};

static const struct translation *jit_variable(u32 number)
{
	return variables[number].by ? &variables[number] : &other_variable;
}

TRANSLATES(variable)
{
	how = jit_variable(in->i);
	how->by(jit, in, how);
}

/* The first bytes of @text and its NUL, as words; and masks of the bytes that count. */
static bool jit_words_of(const char *text, u64 words[2], u64 masks[2])
{
	u32 length = strlen(text);

	memset(words, 0, 2 * sizeof(*words));
	memset(masks, 0, 2 * sizeof(*masks));
	if (length >= TASK_COMM_LEN)
		return false;
	memcpy(words, text, length);
	memset(masks, 0xff, length + 1);
	return true;
}

/* d = whether the name begins with these bytes: without a call or loop. */
TRANSLATES(name)
{
	const char *text = (const char *)jit->program->view.pool + in->i;
	u64 words[2], masks[2];
	u32 skip[2], n;

	jit_emit(jit, BPF_MOV64_IMM(BPF_REG_0, 0));
	if (jit_words_of(text, words, masks)) {
		jit_load_field(jit, BPF_REG_1, BPF_DW, FIRING(task));
		for (n = 0; n < 2 && masks[n]; n++) {
			jit_emit(jit, BPF_LDX_MEM(BPF_DW, BPF_REG_2, BPF_REG_1,
						  offsetof(struct task_struct,
							   comm) +
							  8 * n));
			if (masks[n] != ~0ull) {
				jit_load_constant(jit, BPF_REG_3, masks[n]);
				jit_emit(jit, BPF_ALU64_REG(BPF_AND, BPF_REG_2,
							    BPF_REG_3));
			}
			jit_load_constant(jit, BPF_REG_3, words[n]);
			skip[n] =
				jit_branch(jit, BPF_JMP_REG(BPF_JNE, BPF_REG_2,
							    BPF_REG_3, 0));
		}
		jit_emit(jit, BPF_MOV64_IMM(BPF_REG_0, 1));
		while (n--)
			jit_land(jit, skip[n]);
	}
	jit_store_reg(jit, in->d, BPF_REG_0);
}

/* Ends the program with a record of the pending fault, if any. */
static void jit_check_fault(struct jit *jit)
{
	u32 skip;

	if (!jit->loads)
		return;
	jit_load_field(jit, BPF_REG_1, BPF_W, FIRING(faulted));
	skip = jit_branch(jit, BPF_JMP_IMM(BPF_JEQ, BPF_REG_1, 0, 0));
	jit_emit(jit, BPF_MOV64_REG(BPF_REG_1, jit->firing));
	jit_emit(jit, BPF_EMIT_CALL(sonde_jit_predicate_fault));
	jit_emit(jit, BPF_EXIT_INSN());
	jit_land(jit, skip);
}

/* The distance is right in the second pass, when all positions are known. */
TRANSLATES(jump)
{
	u32 next = in - jit->program->view.insns + 1;
	s64 distance;
	u8 a = 0;

	if (how->op != BPF_JA) {
		jit_check_fault(jit);
		a = jit_source(jit, in->a, jit->one);
	}
	distance = (s64)jit->start[next + in->i] - jit->count - 1;
	jit->unfit |= distance > S16_MAX;
	jit_emit(jit, how->op == BPF_JA ?
			      BPF_JMP_A(distance) :
			      BPF_JMP_IMM(how->op, a, 0, distance));
}

/* helper(firing, instruction, a, b) */
static void jit_call_capture(struct jit *jit, const struct sonde_dif_insn *in,
			     sonde_jit_helper *call)
{
	bool stack = in->op == SONDE_DIF_CAPSTACK ||
		     in->op == SONDE_DIF_CAPKSTACK;
	bool two = in->op == SONDE_DIF_CAPSTRN || in->op == SONDE_DIF_CAPMEM ||
		   in->op == SONDE_DIF_CAPKMEM;

	jit_emit(jit, BPF_MOV64_REG(BPF_REG_1, jit->firing));
	jit_load_constant(jit, BPF_REG_2, (unsigned long)in);
	if (!stack)
		jit_load_reg(jit, BPF_REG_3, in->a);
	if (two)
		jit_load_reg(jit, BPF_REG_4, in->b);
	jit_emit(jit, BPF_EMIT_CALL(call));
}

static void jit_capture_word(struct jit *jit, const struct sonde_dif_insn *in)
{
	u8 a = jit_source(jit, in->a, jit->one);

	jit_emit(jit,
		 BPF_STX_MEM(BPF_DW, jit->record, a, RECORD(slot) + 8 * in->d));
}

static bool jit_is_execname(const struct sonde_dif_insn *in)
{
	return in->op == SONDE_DIF_CAPTEXT && in->i == SONDE_DIF_TEXT_EXECNAME;
}

TRANSLATES(capture)
{
	u32 clean = 0, taken = 0;

	if (jit->loads) {
		jit_load_field(jit, BPF_REG_1, BPF_W, FIRING(faulted));
		clean = jit_branch(jit, BPF_JMP_IMM(BPF_JEQ, BPF_REG_1, 0, 0));
		jit_call(jit, sonde_jit_take_fault, in->d);
		taken = jit_branch(jit, BPF_JMP_A(0));
		jit_land(jit, clean);
	}
	if (in->op == SONDE_DIF_CAPW)
		jit_capture_word(jit, in);
	else if (jit_is_execname(in))
		jit_call(jit, sonde_jit_execname, in->d);
	else
		jit_call_capture(jit, in, how->call);
	if (jit->loads)
		jit_land(jit, taken);
}

static u32 jit_fixed_size(const struct jit *jit)
{
	return sizeof(struct sonde_record) + 8 * jit->program->view.slots;
}

/* Stores size, flags, slots and faults of the record; returns the size. */
TRANSLATES(record)
{
	if (jit->spans) {
		jit_load_field(jit, BPF_REG_0, BPF_W, FIRING(used));
		jit_emit(jit, BPF_STX_MEM(BPF_W, jit->record, BPF_REG_0,
					  RECORD(size)));
	} else {
		jit_emit(jit, BPF_MOV64_IMM(BPF_REG_0, jit_fixed_size(jit)));
		jit_emit(jit, BPF_ST_MEM(BPF_W, jit->record, RECORD(size),
					 jit_fixed_size(jit)));
	}
	if (jit->faults) {
		jit_load_field(jit, BPF_REG_1, BPF_DW, FIRING(faults));
		jit_emit(jit, BPF_STX_MEM(BPF_DW, jit->record, BPF_REG_1,
					  RECORD(faults)));
	} else {
		jit_emit(jit,
			 BPF_ST_MEM(BPF_DW, jit->record, RECORD(faults), 0));
	}
	/* flags are the low half of the word */
	jit_emit(jit, BPF_ST_MEM(BPF_W, jit->record, RECORD(flags),
				 jit->program->view.slots << 16));
	jit_emit(jit, BPF_EXIT_INSN());
}

TRANSLATES(fail)
{
	jit_check_fault(jit);
	jit_emit(jit, BPF_MOV64_IMM(BPF_REG_0, 0));
	jit_emit(jit, BPF_EXIT_INSN());
}

#define OP(name, function, ...) \
	[SONDE_DIF_##name] = { jit_translate_##function, ##__VA_ARGS__ }
static const struct translation translations[SONDE_DIF_OP_COUNT] = {
	OP(LI, constant),
	OP(LC, constant),
	OP(MOV, move),
	OP(ADD, alu, BPF_ADD),
	OP(SUB, alu, BPF_SUB),
	OP(MUL, alu, BPF_MUL),
	OP(DIVS, divide, .call = sonde_jit_divide_signed),
	OP(DIVU, divide, .call = sonde_jit_divide),
	OP(MODS, divide, .call = sonde_jit_modulo_signed),
	OP(MODU, divide, .call = sonde_jit_modulo),
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
	OP(VAR, variable),
	OP(ARG, argument),
	OP(REG, call, .call = sonde_jit_register),
	OP(LDU, memory, .call = sonde_jit_load),
	OP(LDS, memory, .call = sonde_jit_load),
	OP(LDK, memory, .call = sonde_jit_load_kernel),
	OP(LDL, load, .pointer = FIRING(writer), .offset = LOCALS),
	OP(STL, store, .pointer = FIRING(writer), .offset = LOCALS),
	OP(LDT, load, .pointer = FIRING(thread_variables)),
	OP(STT, store, .pointer = FIRING(thread_variables)),
	OP(NAMEQ, name),
	OP(CAPW, capture),
	OP(CAPSTR, capture, .call = sonde_jit_string),
	OP(CAPSTRN, capture, .call = sonde_jit_string),
	OP(CAPMEM, capture, .call = sonde_jit_memory),
	OP(CAPTEXT, capture, .call = sonde_jit_text),
	OP(CAPSTACK, capture, .call = sonde_jit_stack),
	OP(CAPKSTR, capture, .call = sonde_jit_string),
	OP(CAPKMEM, capture, .call = sonde_jit_memory),
	OP(CAPKSTACK, capture, .call = sonde_jit_kernel_stack),
	OP(RECORD, record),
	OP(FAIL, fail),
};

#undef OP

static void jit_begin(struct jit *jit)
{
	u32 slot;

	jit->count = 0;
	if (jit->calls) {
		jit_emit(jit, BPF_MOV64_REG(jit->firing, BPF_REG_1));
		jit_emit(jit, BPF_MOV64_REG(jit->record, BPF_REG_2));
		jit_emit(jit, BPF_STX_MEM(BPF_DW, jit->firing, jit->record,
					  FIRING(record)));
	}
	if (jit->loads)
		jit_emit(jit,
			 BPF_ST_MEM(BPF_W, jit->firing, FIRING(faulted), 0));
	if (jit->spans)
		jit_emit(jit, BPF_ST_MEM(BPF_W, jit->firing, FIRING(used),
					 jit_fixed_size(jit)));
	if (jit->faults)
		jit_emit(jit,
			 BPF_ST_MEM(BPF_DW, jit->firing, FIRING(faults), 0));
	for (slot = 0; slot < jit->program->view.slots; slot++)
		if (jit->zeroed >> slot & 1)
			jit_emit(jit, BPF_ST_MEM(BPF_DW, jit->record,
						 RECORD(slot) + 8 * slot, 0));
}

static void jit_translate_all(struct jit *jit)
{
	u32 at;

	jit_begin(jit);
	for (at = 0; at < jit->program->view.length; at++) {
		const struct sonde_dif_insn *in = &jit->program->view.insns[at];
		const struct translation *how = &translations[in->op];

		jit->start[at] = jit->count;
		if (how->by)
			how->by(jit, in, how);
		else
			jit->unfit = true;
	}
}

/* Whether it needs a call of a helper, or as many registers. */
static bool jit_calls(const struct sonde_dif_insn *in)
{
	const struct translation *how = &translations[in->op];

	if (in->op == SONDE_DIF_VAR)
		how = jit_variable(in->i);
	return how->call || in->op == SONDE_DIF_NAMEQ;
}

static void jit_choose_registers(struct jit *jit)
{
	if (jit->calls) {
		jit->firing = BPF_REG_6;
		jit->record = BPF_REG_7;
		jit->home[0] = BPF_REG_8;
		jit->home[1] = BPF_REG_9;
		jit->one = BPF_REG_1;
		jit->two = BPF_REG_2;
	} else {
		jit->firing = BPF_REG_1;
		jit->record = BPF_REG_2;
		jit->home[0] = BPF_REG_3;
		jit->home[1] = BPF_REG_0;
		jit->one = BPF_REG_4;
		jit->two = BPF_REG_5;
	}
}

/* Collects properties of the whole program, and the slots that a path may skip. */
static void jit_look_ahead(struct jit *jit)
{
	const struct sonde_dif_program *view = &jit->program->view;
	const struct sonde_dif_insn *in;
	bool straight = true;

	jit->zeroed = ~0ull;
	for (in = view->insns; in < view->insns + view->length; in++) {
		const struct translation *how = &translations[in->op];

		jit->calls |= jit_calls(in);
		if (how->by == jit_translate_memory) {
			jit->loads = true;
			jit->faults = true;
		} else if (how->by == jit_translate_capture) {
			jit->spans |= in->op != SONDE_DIF_CAPW;
			jit->faults |= in->op != SONDE_DIF_CAPW &&
				       !jit_is_execname(in);
			if (straight)
				jit->zeroed &= ~(1ull << in->d);
		} else if (how->by == jit_translate_jump ||
			   in->op == SONDE_DIF_RECORD) {
			straight = false;
		}
	}
}

/* The memory of the kernel for a program: instructions and native code. */
static long jit_bytes_of(const struct bpf_prog *native)
{
	return ((long)native->pages << PAGE_SHIFT) + native->jited_len;
}

static struct bpf_prog *jit_compile(const struct jit *jit)
{
	struct bpf_prog *native;
	int err = 0;

	native = bpf_prog_alloc(bpf_prog_size(jit->count), 0);
	if (!native)
		return NULL;
	memcpy(native->insnsi, jit->out, jit->count * sizeof(*jit->out));
	native->len = jit->count;
	native->type = BPF_PROG_TYPE_UNSPEC;
	native->aux->stack_depth = jit->stacked ? 8 * SONDE_DIF_REGISTERS : 0;
	native = bpf_prog_select_runtime(native, &err);
	if (!err && native->jited) {
		sonde_memory_add(SONDE_MEMORY_NATIVE, 1, jit_bytes_of(native));
		return native;
	}
	bpf_prog_free(native);
	return NULL;
}

/**
 * sonde_jit_compile() - compile a program to native code, if possible
 * @program: verified
 *
 * Sets program->native and run; if they stay NULL, the interpreter runs the
 * program.
 *
 * Context: Process context. May sleep.
 */
void sonde_jit_compile(struct sonde_program *program)
{
	u32 length = program->view.length;
	struct jit jit = { .program = program };

	might_sleep();
	jit.start = kvcalloc(length, sizeof(*jit.start), GFP_KERNEL);
	jit.out = kvcalloc(length * JIT_PER_INSN + JIT_FRAME,
			   sizeof(*jit.out), GFP_KERNEL);
	jit_look_ahead(&jit);
	jit_choose_registers(&jit);
	if (jit.start && jit.out) {
		jit_translate_all(&jit); /* first pass: finds all positions */
		jit.unfit = false;
		jit_translate_all(&jit); /* second pass: with the right branches */
		if (!jit.unfit)
			program->native = jit_compile(&jit);
	}
	if (program->native)
		program->run = (void *)program->native->bpf_func;
	kvfree(jit.start);
	kvfree(jit.out);
}

/**
 * sonde_jit_free() - free the native code
 * @program: it does not run any more
 *
 * Context: Process context.
 */
void sonde_jit_free(struct sonde_program *program)
{
	if (program->native) {
		sonde_memory_add(SONDE_MEMORY_NATIVE, -1,
				 -jit_bytes_of(program->native));
		bpf_prog_free(program->native);
	}
	program->native = NULL;
	program->run = NULL;
}
