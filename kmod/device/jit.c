// SPDX-License-Identifier: GPL-2.0
/*
 * DIF as native code: a target of kmod/shared/lower.h
 *
 * A verified program is lowered to eBPF instructions, which the kernel's JIT
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
#include "kmod/shared/lower.h"

#define JIT_PER_INSN 24u /* maximal number of eBPF instructions for one of DIF */
#define JIT_FRAME 80u /* and before them: entry, slots */

#define FIRING(member) offsetof(struct sonde_firing, member)
#define RECORD(member) offsetof(struct sonde_record, member)
#define LOCALS offsetof(struct sonde_writer, locals)

static u8 jit_firing(const struct sonde_lowering *l)
{
	return l->facts.calls ? BPF_REG_6 : BPF_REG_1;
}

static u8 jit_record(const struct sonde_lowering *l)
{
	return l->facts.calls ? BPF_REG_7 : BPF_REG_2;
}

static void jit_load_field(struct sonde_lowering *l, u8 to, u32 size, u32 offset)
{
	sonde_lower_ldx(l, size, to, jit_firing(l), offset);
}

static void jit_call_function(struct sonde_lowering *l, const void *function)
{
	struct bpf_insn call = BPF_EMIT_CALL((sonde_jit_helper *)function);

	sonde_lower_emit(l, call.code, call.dst_reg, call.src_reg, call.off, call.imm);
}

static void jit_exit(struct sonde_lowering *l)
{
	sonde_lower_emit(l, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* A function that translates one instruction of DIF. */
#define TRANSLATES(name)                                                     \
	static void jit_translate_##name(struct sonde_lowering *l,           \
					 const struct sonde_dif_insn *in,    \
					 const struct sonde_lower_row *row)

static void jit_read_field(struct sonde_lowering *l, u32 d, u32 size, u32 offset)
{
	u8 reg = sonde_lower_home(l, d, l->use.one);

	jit_load_field(l, reg, size, offset);
	sonde_lower_store(l, d, reg);
}

/* d = a field of the firing */
TRANSLATES(field)
{
	jit_read_field(l, in->d, row->op, row->offset);
}

TRANSLATES(argument)
{
	jit_read_field(l, in->d, BPF_DW, FIRING(args) + 8 * in->i);
}

static void jit_read_by(struct sonde_lowering *l, u32 d, u32 size, u32 pointer,
			u32 offset)
{
	u8 reg = sonde_lower_home(l, d, l->use.one);

	jit_load_field(l, l->use.one, BPF_DW, pointer);
	sonde_lower_ldx(l, size, reg, l->use.one, offset);
	sonde_lower_store(l, d, reg);
}

/* d = a field of the current task */
TRANSLATES(task)
{
	jit_read_by(l, in->d, row->op, FIRING(task), row->offset);
}

/* d = the i-th variable */
TRANSLATES(load)
{
	jit_read_by(l, in->d, BPF_DW, row->pointer, row->offset + 8 * in->i);
}

/* A store while a fault is pending stores 0, and clears the fault. */
TRANSLATES(store)
{
	u8 a = sonde_lower_source(l, in->a, l->use.two);
	u32 skip;

	if (l->facts.loads) {
		if (a != l->use.two)
			sonde_lower_mov(l, l->use.two, a);
		a = l->use.two;
		jit_load_field(l, l->use.one, BPF_W, FIRING(faulted));
		skip = sonde_lower_branch_imm(l, BPF_JEQ, l->use.one, 0);
		sonde_lower_mov_imm(l, l->use.two, 0);
		sonde_lower_st(l, BPF_W, jit_firing(l), FIRING(faulted), 0);
		sonde_lower_land(l, skip);
	}
	jit_load_field(l, l->use.one, BPF_DW, row->pointer);
	sonde_lower_stx(l, BPF_DW, l->use.one, a, row->offset + 8 * in->i);
}

/* helper(firing, operand) */
static void jit_call(struct sonde_lowering *l, const void *call, u32 operand)
{
	sonde_lower_mov(l, BPF_REG_1, jit_firing(l));
	sonde_lower_mov_imm(l, BPF_REG_2, operand);
	jit_call_function(l, call);
}

/* d = helper(firing, i) */
TRANSLATES(call)
{
	jit_call(l, row->call, in->i);
	sonde_lower_store(l, in->d, BPF_REG_0);
}

/* d = helper(firing, a) */
TRANSLATES(call_with)
{
	sonde_lower_mov(l, BPF_REG_1, jit_firing(l));
	sonde_lower_load(l, BPF_REG_2, in->a);
	jit_call_function(l, row->call);
	sonde_lower_store(l, in->d, BPF_REG_0);
}

/* d = helper(a, b) */
TRANSLATES(divide)
{
	sonde_lower_load(l, BPF_REG_1, in->a);
	sonde_lower_load(l, BPF_REG_2, in->b);
	jit_call_function(l, row->call);
	sonde_lower_store(l, in->d, BPF_REG_0);
}

TRANSLATES(memory)
{
	sonde_lower_mov(l, BPF_REG_1, jit_firing(l));
	sonde_lower_load(l, BPF_REG_2, in->a);
	sonde_lower_mov_imm(l, BPF_REG_3, in->i);
	jit_call_function(l, row->call);
	if (in->op == SONDE_DIF_LDS) {
		sonde_lower_alu_imm(l, BPF_LSH, BPF_REG_0, 64 - 8 * in->i);
		sonde_lower_alu_imm(l, BPF_ARSH, BPF_REG_0, 64 - 8 * in->i);
	}
	sonde_lower_store(l, in->d, BPF_REG_0);
}

#define CALLS(function) .call = (const void *)(function), .calls = 1
#define VAR(name, function, ...) \
	[SONDE_DIF_VAR_##name] = { jit_translate_##function, __VA_ARGS__ }
static const struct sonde_lower_row variables[SONDE_DIF_VAR_COUNT] = {
	VAR(PID, task, BPF_W, .offset = offsetof(struct task_struct, tgid)),
	VAR(TID, task, BPF_W, .offset = offsetof(struct task_struct, pid)),
	VAR(PROBE, field, BPF_W, .offset = FIRING(probe)),
	VAR(ERRNO, field, BPF_W, .offset = FIRING(start.error)),
	VAR(SYSCALL, field, BPF_DW, .offset = FIRING(call)),
	VAR(CURTHREAD, field, BPF_DW, .offset = FIRING(task)),
	VAR(TIMESTAMP, call, CALLS(sonde_jit_time)),
	VAR(CALLER, call, CALLS(sonde_jit_caller)),
	VAR(STACKDEPTH, call, CALLS(sonde_jit_depth)),
};

#undef VAR

static const struct sonde_lower_row other_variable = {
	jit_translate_call, CALLS(sonde_jit_variable)
};

/* R1 keeps the task for the second word. */
static void jit_load_name(struct sonde_lowering *l, u8 to, u32 word)
{
	if (word == 0)
		jit_load_field(l, BPF_REG_1, BPF_DW, FIRING(task));
	sonde_lower_ldx(l, BPF_DW, to, BPF_REG_1,
			offsetof(struct task_struct, comm) + 8 * word);
}

/* Ends the program with a record of the pending fault, if any. */
static void jit_check_fault(struct sonde_lowering *l)
{
	u32 skip;

	jit_load_field(l, BPF_REG_1, BPF_W, FIRING(faulted));
	skip = sonde_lower_branch_imm(l, BPF_JEQ, BPF_REG_1, 0);
	sonde_lower_mov(l, BPF_REG_1, jit_firing(l));
	jit_call_function(l, sonde_jit_predicate_fault);
	jit_exit(l);
	sonde_lower_land(l, skip);
}

/* helper(firing, instruction, a, b) */
static void jit_call_capture(struct sonde_lowering *l,
			     const struct sonde_dif_insn *in, const void *call)
{
	bool stack = in->op == SONDE_DIF_CAPSTACK ||
		     in->op == SONDE_DIF_CAPKSTACK;
	bool two = in->op == SONDE_DIF_CAPSTRN || in->op == SONDE_DIF_CAPMEM ||
		   in->op == SONDE_DIF_CAPKMEM;

	sonde_lower_mov(l, BPF_REG_1, jit_firing(l));
	sonde_lower_constant(l, BPF_REG_2, (unsigned long)in);
	if (!stack)
		sonde_lower_load(l, BPF_REG_3, in->a);
	if (two)
		sonde_lower_load(l, BPF_REG_4, in->b);
	jit_call_function(l, call);
}

static void jit_capture_word(struct sonde_lowering *l,
			     const struct sonde_dif_insn *in)
{
	u8 a = sonde_lower_source(l, in->a, l->use.one);

	sonde_lower_stx(l, BPF_DW, jit_record(l), a, RECORD(slot) + 8 * in->d);
}

TRANSLATES(capture)
{
	u32 clean = 0, taken = 0;

	if (l->facts.loads) {
		jit_load_field(l, BPF_REG_1, BPF_W, FIRING(faulted));
		clean = sonde_lower_branch_imm(l, BPF_JEQ, BPF_REG_1, 0);
		jit_call(l, sonde_jit_take_fault, in->d);
		taken = sonde_lower_jump(l);
		sonde_lower_land(l, clean);
	}
	if (in->op == SONDE_DIF_CAPW)
		jit_capture_word(l, in);
	else if (sonde_lower_is_execname(in))
		jit_call(l, sonde_jit_execname, in->d);
	else
		jit_call_capture(l, in, row->call);
	if (l->facts.loads)
		sonde_lower_land(l, taken);
}

static bool jit_captures_stacks(const struct sonde_lowering *l)
{
	u32 at;

	for (at = 0; at < l->program->length; at++)
		if (l->program->insns[at].op == SONDE_DIF_CAPSTACK)
			return true;
	return false;
}

/* Stores size, flags, slots and faults of the record; returns the size. */
TRANSLATES(record)
{
	u32 fixed = sonde_lower_fixed_size(l->program);

	if (l->facts.spans) {
		jit_load_field(l, BPF_REG_0, BPF_W, FIRING(used));
		sonde_lower_stx(l, BPF_W, jit_record(l), BPF_REG_0, RECORD(size));
	} else {
		sonde_lower_mov_imm(l, BPF_REG_0, fixed);
		sonde_lower_st(l, BPF_W, jit_record(l), RECORD(size), fixed);
	}
	if (l->facts.faults) {
		jit_load_field(l, BPF_REG_1, BPF_DW, FIRING(faults));
		sonde_lower_stx(l, BPF_DW, jit_record(l), BPF_REG_1, RECORD(faults));
	} else {
		sonde_lower_st(l, BPF_DW, jit_record(l), RECORD(faults), 0);
	}
	/* flags are the low half of the word */
	sonde_lower_st(l, BPF_W, jit_record(l), RECORD(flags),
		       l->program->slots << 16);
	if (jit_captures_stacks(l)) {
		jit_load_field(l, BPF_REG_1, BPF_W, FIRING(lacks));
		sonde_lower_stx(l, BPF_H, jit_record(l), BPF_REG_1, RECORD(flags));
	}
	jit_exit(l);
}

TRANSLATES(fail)
{
	if (l->facts.loads)
		jit_check_fault(l);
	sonde_lower_mov_imm(l, BPF_REG_0, 0);
	jit_exit(l);
}

#define OP(name, function, ...) \
	[SONDE_DIF_##name] = { jit_translate_##function, ##__VA_ARGS__ }
static const struct sonde_lower_row translations[SONDE_DIF_OP_COUNT] = {
	OP(DIVS, divide, CALLS(sonde_jit_divide_signed)),
	OP(DIVU, divide, CALLS(sonde_jit_divide)),
	OP(MODS, divide, CALLS(sonde_jit_modulo_signed)),
	OP(MODU, divide, CALLS(sonde_jit_modulo)),
	OP(ARG, argument),
	OP(REG, call, CALLS(sonde_jit_register)),
	OP(PROGENY, call_with, CALLS(sonde_jit_descends)),
	OP(LDU, memory, CALLS(sonde_jit_load)),
	OP(LDS, memory, CALLS(sonde_jit_load)),
	OP(LDK, memory, CALLS(sonde_jit_load_kernel)),
	OP(LDL, load, .pointer = FIRING(writer), .offset = LOCALS),
	OP(STL, store, .pointer = FIRING(writer), .offset = LOCALS),
	OP(LDT, load, .pointer = FIRING(thread_variables)),
	OP(STT, store, .pointer = FIRING(thread_variables)),
	OP(CAPW, capture),
	OP(CAPSTR, capture, CALLS(sonde_jit_string)),
	OP(CAPSTRN, capture, CALLS(sonde_jit_string)),
	OP(CAPMEM, capture, CALLS(sonde_jit_memory)),
	OP(CAPTEXT, capture, CALLS(sonde_jit_text)),
	OP(CAPSTACK, capture, CALLS(sonde_jit_stack)),
	OP(CAPKSTR, capture, CALLS(sonde_jit_string)),
	OP(CAPKMEM, capture, CALLS(sonde_jit_memory)),
	OP(CAPKSTACK, capture, CALLS(sonde_jit_kernel_stack)),
	OP(RECORD, record),
	OP(FAIL, fail),
};

#undef OP
#undef CALLS

static const struct sonde_lower_row *jit_row(const struct sonde_dif_insn *in)
{
	const struct sonde_lower_row *row = &translations[in->op];

	if (in->op == SONDE_DIF_VAR)
		row = variables[in->i].by ? &variables[in->i] : &other_variable;
	return row->by ? row : NULL;
}

static void jit_begin(struct sonde_lowering *l)
{
	u8 firing = jit_firing(l), record = jit_record(l);
	u32 slot;

	if (l->facts.calls) {
		sonde_lower_mov(l, firing, BPF_REG_1);
		sonde_lower_mov(l, record, BPF_REG_2);
		sonde_lower_stx(l, BPF_DW, firing, record, FIRING(record));
	}
	if (l->facts.loads)
		sonde_lower_st(l, BPF_W, firing, FIRING(faulted), 0);
	if (l->facts.spans)
		sonde_lower_st(l, BPF_W, firing, FIRING(used),
			       sonde_lower_fixed_size(l->program));
	if (l->facts.faults)
		sonde_lower_st(l, BPF_DW, firing, FIRING(faults), 0);
	if (jit_captures_stacks(l))
		sonde_lower_st(l, BPF_W, firing, FIRING(lacks), 0);
	for (slot = 0; slot < l->program->slots; slot++)
		if (l->facts.zeroed >> slot & 1)
			sonde_lower_st(l, BPF_DW, record,
				       RECORD(slot) + 8 * slot, 0);
}

static const struct sonde_lower_target target = {
	.row = jit_row,
	.begin = jit_begin,
	.check_fault = jit_check_fault,
	.load_name = jit_load_name,
	.plain = { { BPF_REG_3, 0 }, BPF_REG_4, BPF_REG_5 },
	.calling = { { BPF_REG_8, BPF_REG_9 }, BPF_REG_1, BPF_REG_2 },
};

/* The memory of the kernel for a program: instructions and native code. */
static long jit_bytes_of(const struct bpf_prog *native)
{
	return ((long)native->pages << PAGE_SHIFT) + native->jited_len;
}

static struct bpf_prog *jit_compile(const struct sonde_lowering *l)
{
	struct bpf_prog *native;
	int err = 0;

	native = bpf_prog_alloc(bpf_prog_size(l->count), 0);
	if (!native)
		return NULL;
	memcpy(native->insnsi, l->out, l->count * sizeof(*l->out));
	native->len = l->count;
	native->type = BPF_PROG_TYPE_UNSPEC;
	native->aux->stack_depth = l->stacked ? SONDE_LOWER_STACK : 0;
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
	struct sonde_lowering lowering = {
		.program = &program->view,
		.target = &target,
		.room = length * JIT_PER_INSN + JIT_FRAME,
	};

	might_sleep();
	lowering.start = kvcalloc(length, sizeof(*lowering.start), GFP_KERNEL);
	lowering.out = kvcalloc(lowering.room, sizeof(*lowering.out), GFP_KERNEL);
	if (lowering.start && lowering.out && !sonde_lower(&lowering))
		program->native = jit_compile(&lowering);
	if (program->native)
		program->run = (void *)program->native->bpf_func;
	kvfree(lowering.start);
	kvfree(lowering.out);
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
