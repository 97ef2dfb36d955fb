// SPDX-License-Identifier: GPL-2.0
/*
 * DIF as native code
 *
 * A verified program is translated to eBPF instructions, which the kernel's own
 * JIT compiles; no BPF verifier looks at them, for DIF's has proven more. The
 * code gets a struct sonde_jit_context and returns whether there is a record.
 *
 *   r6   the context        r7   the record        r0 to r5  scratch
 *   stack   DIF's sixteen registers
 *
 * Only programs that load no user memory are translated, so no fault is ever
 * pending; a text that cannot be had is a fault of its slot alone. An
 * instruction that has no row in translate() leaves the whole program to the
 * interpreter, which also runs where the kernel has no JIT or it is off.
 *
 * The slots are zeroed first, so a slot that no capture reached is 0, as
 * sonde_dif_run() leaves it.
 */
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/slab.h>

#include "kmod/session.h"

#define JIT_LENGTH_MAX 1024u /* DIF instructions: jumps have 16 bits */
#define JIT_PER_INSN 8u /* eBPF instructions that one becomes, at most */
#define JIT_FRAME 256u /* around them: entry, slots, exits */

struct jit {
	struct bpf_insn *out; /* NULL: only count */
	u32 count;
	const struct sonde_program *program;
	u16 *start; /* where each DIF instruction begins */
};

static void emit(struct jit *jit, struct bpf_insn insn)
{
	jit->out[jit->count++] = insn;
}

static s16 reg_at(u32 number)
{
	return -8 * (s16)(number + 1);
}

static void load_reg(struct jit *jit, u8 to, u32 number)
{
	emit(jit, BPF_LDX_MEM(BPF_DW, to, BPF_REG_10, reg_at(number)));
}

static void store_reg(struct jit *jit, u32 number, u8 from)
{
	emit(jit, BPF_STX_MEM(BPF_DW, BPF_REG_10, from, reg_at(number)));
}

static void load_constant(struct jit *jit, u8 to, u64 value)
{
	struct bpf_insn both[2] = { BPF_LD_IMM64(to, value) };

	emit(jit, both[0]);
	emit(jit, both[1]);
}

/* A pointer of the context. */
static void load_pointer(struct jit *jit, u8 to, u32 offset)
{
	emit(jit, BPF_LDX_MEM(BPF_DW, to, BPF_REG_6, offset));
}

static void translate_alu(struct jit *jit, const struct sonde_dif_insn *in,
			  u8 op)
{
	load_reg(jit, BPF_REG_1, in->a);
	load_reg(jit, BPF_REG_2, in->b);
	emit(jit, BPF_ALU64_REG(op, BPF_REG_1, BPF_REG_2));
	store_reg(jit, in->d, BPF_REG_1);
}

/* d = a OP b: 1 unless the jump over the 0 is not taken. */
static void translate_compare(struct jit *jit, const struct sonde_dif_insn *in,
			      u8 op)
{
	load_reg(jit, BPF_REG_1, in->a);
	load_reg(jit, BPF_REG_2, in->b);
	emit(jit, BPF_MOV64_IMM(BPF_REG_0, 1));
	emit(jit, BPF_JMP_REG(op, BPF_REG_1, BPF_REG_2, 1));
	emit(jit, BPF_MOV64_IMM(BPF_REG_0, 0));
	store_reg(jit, in->d, BPF_REG_0);
}

static void translate_extend(struct jit *jit, const struct sonde_dif_insn *in,
			     u8 shift)
{
	load_reg(jit, BPF_REG_1, in->a);
	emit(jit, BPF_ALU64_IMM(BPF_LSH, BPF_REG_1, 64 - in->i));
	emit(jit, BPF_ALU64_IMM(shift, BPF_REG_1, 64 - in->i));
	store_reg(jit, in->d, BPF_REG_1);
}

static void translate_load(struct jit *jit, const struct sonde_dif_insn *in,
			   u32 array)
{
	load_pointer(jit, BPF_REG_1, array);
	emit(jit, BPF_LDX_MEM(BPF_DW, BPF_REG_1, BPF_REG_1, 8 * in->i));
	store_reg(jit, in->d, BPF_REG_1);
}

static void translate_store(struct jit *jit, const struct sonde_dif_insn *in,
			    u32 array)
{
	load_pointer(jit, BPF_REG_1, array);
	load_reg(jit, BPF_REG_2, in->a);
	emit(jit, BPF_STX_MEM(BPF_DW, BPF_REG_1, BPF_REG_2, 8 * in->i));
}

/* The distance is right in the second pass, when all places are known. */
static void translate_jump(struct jit *jit, const struct sonde_dif_insn *in,
			   u32 at, u8 op)
{
	u32 target = jit->start[at + 1 + in->i];

	if (op != BPF_JA)
		load_reg(jit, BPF_REG_1, in->a);
	emit(jit, op == BPF_JA ?
			  BPF_JMP_A(target - jit->count - 1) :
			  BPF_JMP_IMM(op, BPF_REG_1, 0,
				      target - jit->count - 1));
}

static u64 call_variable(u64 context, u64 number, u64 r3, u64 r4, u64 r5)
{
	struct sonde_jit_context *x = (void *)(unsigned long)context;

	return x->env->variable(x->firing, number);
}

static u64 call_register(u64 context, u64 number, u64 r3, u64 r4, u64 r5)
{
	struct sonde_jit_context *x = (void *)(unsigned long)context;

	return x->env->user_register(x->firing, number);
}

static u64 call_name(u64 context, u64 text, u64 r3, u64 r4, u64 r5)
{
	struct sonde_jit_context *x = (void *)(unsigned long)context;

	return !strcmp(x->execname, (const char *)(unsigned long)text);
}

/* The text of `length` bytes (a fault if negative) at the end of the record. */
static u64 end_text(struct sonde_jit_context *x, u32 slot, int length, u32 max,
		    u64 address)
{
	u8 *to = (u8 *)x->record + x->used;
	u32 stored;

	if (length < 0) {
		x->faults |= 1ull << slot;
		x->record->slot[slot] = address;
		return 0;
	}
	length = min_t(u32, length, max - 1);
	x->record->slot[slot] = SONDE_SPAN(x->used, length);
	stored = ALIGN(length + 1, 8);
	memset(to + length, 0, stored - length);
	x->used += stored;
	return 0;
}

static u64 call_text(u64 context, u64 insn, u64 a, u64 b, u64 r5)
{
	struct sonde_jit_context *x = (void *)(unsigned long)context;
	const struct sonde_dif_insn *in = (void *)(unsigned long)insn;
	u32 max = sonde_dif_text_max(in->i);
	char *to = (char *)x->record + x->used;
	int length;

	if (in->i == SONDE_DIF_TEXT_EXECNAME) {
		length = strnlen(x->execname, TASK_COMM_LEN - 1);
		memcpy(to, x->execname, length);
	} else {
		length = x->env->text(x->firing, in->i, a, to, max);
	}
	return end_text(x, in->d, length, max, 0);
}

static u64 call_string(u64 context, u64 insn, u64 a, u64 b, u64 r5)
{
	struct sonde_jit_context *x = (void *)(unsigned long)context;
	const struct sonde_dif_insn *in = (void *)(unsigned long)insn;
	u32 max = in->op == SONDE_DIF_CAPSTRN ? min_t(u64, b, in->i) : in->i;
	int length = 0;

	if (max)
		length = x->env->read_text(x->firing, a,
					   (char *)x->record + x->used,
					   max + 1);
	return end_text(x, in->d, length, max + 1, a);
}

typedef u64 (*helper)(u64 context, u64 operand, u64 r3, u64 r4, u64 r5);

/* d = helper(context, operand) */
static void translate_call(struct jit *jit, const struct sonde_dif_insn *in,
			   helper call, u64 operand)
{
	emit(jit, BPF_MOV64_REG(BPF_REG_1, BPF_REG_6));
	load_constant(jit, BPF_REG_2, operand);
	emit(jit, BPF_EMIT_CALL(call));
	store_reg(jit, in->d, BPF_REG_0);
}

/* helper(context, instruction, a, b) */
static void translate_capture(struct jit *jit, const struct sonde_dif_insn *in,
			      helper call)
{
	emit(jit, BPF_MOV64_REG(BPF_REG_1, BPF_REG_6));
	load_constant(jit, BPF_REG_2, (unsigned long)in);
	load_reg(jit, BPF_REG_3, in->a);
	if (in->op == SONDE_DIF_CAPSTRN)
		load_reg(jit, BPF_REG_4, in->b);
	emit(jit, BPF_EMIT_CALL(call));
}

static u64 pool_number(const struct sonde_dif_program *view, s32 at)
{
	u64 number;

	memcpy(&number, view->pool + at, sizeof(number));
	return number;
}

/* False: this instruction is the interpreter's. */
static bool translate(struct jit *jit, u32 at)
{
	const struct sonde_dif_program *view = &jit->program->view;
	const struct sonde_dif_insn *in = &view->insns[at];

	switch (in->op) {
	case SONDE_DIF_LI:
		emit(jit, BPF_MOV64_IMM(BPF_REG_1, in->i));
		store_reg(jit, in->d, BPF_REG_1);
		return true;
	case SONDE_DIF_LC:
		load_constant(jit, BPF_REG_1, pool_number(view, in->i));
		store_reg(jit, in->d, BPF_REG_1);
		return true;
	case SONDE_DIF_MOV:
		load_reg(jit, BPF_REG_1, in->a);
		store_reg(jit, in->d, BPF_REG_1);
		return true;
	case SONDE_DIF_ADD:
		translate_alu(jit, in, BPF_ADD);
		return true;
	case SONDE_DIF_SUB:
		translate_alu(jit, in, BPF_SUB);
		return true;
	case SONDE_DIF_MUL:
		translate_alu(jit, in, BPF_MUL);
		return true;
	case SONDE_DIF_AND:
		translate_alu(jit, in, BPF_AND);
		return true;
	case SONDE_DIF_OR:
		translate_alu(jit, in, BPF_OR);
		return true;
	case SONDE_DIF_XOR:
		translate_alu(jit, in, BPF_XOR);
		return true;
	case SONDE_DIF_NEG:
		load_reg(jit, BPF_REG_1, in->a);
		emit(jit, BPF_ALU64_IMM(BPF_NEG, BPF_REG_1, 0));
		store_reg(jit, in->d, BPF_REG_1);
		return true;
	case SONDE_DIF_NOT:
		load_reg(jit, BPF_REG_1, in->a);
		emit(jit, BPF_ALU64_IMM(BPF_XOR, BPF_REG_1, -1));
		store_reg(jit, in->d, BPF_REG_1);
		return true;
	case SONDE_DIF_SX:
		translate_extend(jit, in, BPF_ARSH);
		return true;
	case SONDE_DIF_ZX:
		translate_extend(jit, in, BPF_RSH);
		return true;
	case SONDE_DIF_EQ:
		translate_compare(jit, in, BPF_JEQ);
		return true;
	case SONDE_DIF_NE:
		translate_compare(jit, in, BPF_JNE);
		return true;
	case SONDE_DIF_LTS:
		translate_compare(jit, in, BPF_JSLT);
		return true;
	case SONDE_DIF_LES:
		translate_compare(jit, in, BPF_JSLE);
		return true;
	case SONDE_DIF_LTU:
		translate_compare(jit, in, BPF_JLT);
		return true;
	case SONDE_DIF_LEU:
		translate_compare(jit, in, BPF_JLE);
		return true;
	case SONDE_DIF_JMP:
		translate_jump(jit, in, at, BPF_JA);
		return true;
	case SONDE_DIF_JZ:
		translate_jump(jit, in, at, BPF_JEQ);
		return true;
	case SONDE_DIF_JNZ:
		translate_jump(jit, in, at, BPF_JNE);
		return true;
	case SONDE_DIF_VAR:
		translate_call(jit, in, call_variable, in->i);
		return true;
	case SONDE_DIF_REG:
		translate_call(jit, in, call_register, in->i);
		return true;
	case SONDE_DIF_NAMEQ:
		translate_call(jit, in, call_name,
			       (unsigned long)view->pool + in->i);
		return true;
	case SONDE_DIF_ARG:
		translate_load(jit, in,
			       offsetof(struct sonde_jit_context, args));
		return true;
	case SONDE_DIF_LDL:
		translate_load(jit, in,
			       offsetof(struct sonde_jit_context, locals));
		return true;
	case SONDE_DIF_STL:
		translate_store(jit, in,
				offsetof(struct sonde_jit_context, locals));
		return true;
	case SONDE_DIF_LDT:
		translate_load(jit, in, offsetof(struct sonde_jit_context,
						 thread_variables));
		return true;
	case SONDE_DIF_STT:
		translate_store(jit, in, offsetof(struct sonde_jit_context,
						  thread_variables));
		return true;
	case SONDE_DIF_CAPW:
		load_reg(jit, BPF_REG_1, in->a);
		emit(jit, BPF_STX_MEM(BPF_DW, BPF_REG_7, BPF_REG_1,
				      offsetof(struct sonde_record, slot) +
					      8 * in->d));
		return true;
	case SONDE_DIF_CAPTEXT:
		translate_capture(jit, in, call_text);
		return true;
	case SONDE_DIF_CAPSTR:
	case SONDE_DIF_CAPSTRN:
		translate_capture(jit, in, call_string);
		return true;
	case SONDE_DIF_RECORD:
	case SONDE_DIF_FAIL:
		emit(jit, BPF_MOV64_IMM(BPF_REG_0, in->op == SONDE_DIF_RECORD));
		emit(jit, BPF_EXIT_INSN());
		return true;
	}
	return false;
}

static void begin(struct jit *jit)
{
	u32 slot;

	jit->count = 0;
	emit(jit, BPF_MOV64_REG(BPF_REG_6, BPF_REG_1));
	load_pointer(jit, BPF_REG_7,
		     offsetof(struct sonde_jit_context, record));
	for (slot = 0; slot < jit->program->view.slots; slot++)
		emit(jit, BPF_ST_MEM(BPF_DW, BPF_REG_7,
				     offsetof(struct sonde_record, slot) +
					     8 * slot,
				     0));
}

static bool translate_all(struct jit *jit)
{
	u32 at;

	begin(jit);
	for (at = 0; at < jit->program->view.length; at++) {
		jit->start[at] = jit->count;
		if (!translate(jit, at))
			return false;
	}
	return true;
}

static struct bpf_prog *compile(const struct jit *jit)
{
	struct bpf_prog *native;
	int err = 0;

	native = bpf_prog_alloc(bpf_prog_size(jit->count), 0);
	if (!native)
		return NULL;
	memcpy(native->insnsi, jit->out, jit->count * sizeof(*jit->out));
	native->len = jit->count;
	native->type = BPF_PROG_TYPE_UNSPEC;
	native->aux->stack_depth = 8 * SONDE_DIF_REGISTERS;
	native = bpf_prog_select_runtime(native, &err);
	if (!err && native->jited)
		return native;
	bpf_prog_free(native);
	return NULL;
}

/**
 * sonde_jit_compile() - have a program as native code, where that can be
 * @program: verified
 *
 * Sets program->native; where it stays NULL, the interpreter runs the program.
 *
 * Context: Process context. May sleep.
 */
void sonde_jit_compile(struct sonde_program *program)
{
	u32 length = program->view.length;
	struct jit jit = { .program = program };

	if (length > JIT_LENGTH_MAX)
		return;
	jit.start = kvcalloc(length, sizeof(*jit.start), GFP_KERNEL);
	jit.out = kvcalloc(length * JIT_PER_INSN + JIT_FRAME,
			   sizeof(*jit.out), GFP_KERNEL);
	/* once to see where everything begins, once with the jumps right */
	if (jit.start && jit.out && translate_all(&jit) && translate_all(&jit))
		program->native = compile(&jit);
	kvfree(jit.start);
	kvfree(jit.out);
}

/**
 * sonde_jit_free() - give the native code back
 * @program: that runs no more
 *
 * Context: Process context.
 */
void sonde_jit_free(struct sonde_program *program)
{
	if (program->native)
		bpf_prog_free(program->native);
	program->native = NULL;
}

/**
 * sonde_jit_run() - run native code
 * @program: one that has it
 * @view: as for sonde_dif_run()
 * @record: as for sonde_dif_run()
 *
 * Context: Any but NMI; preemption is off.
 * Return: as sonde_dif_run().
 */
u32 sonde_jit_run(const struct sonde_program *program,
		  const struct sonde_dif_firing *view,
		  struct sonde_record *record)
{
	const struct bpf_prog *native = program->native;
	struct sonde_jit_context context SONDE_UNINITIALIZED;

	context.env = view->env;
	context.firing = view->thread;
	context.args = view->args;
	context.locals = view->locals;
	context.thread_variables = view->thread_variables;
	context.execname = view->execname;
	context.record = record;
	context.faults = 0;
	context.used = sizeof(*record) + 8 * program->view.slots;
	if (!native->bpf_func(&context, native->insnsi))
		return 0;
	record->size = context.used;
	record->flags = 0;
	record->slots = program->view.slots;
	record->faults = context.faults;
	return context.used;
}
