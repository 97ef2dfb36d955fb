// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * DIF: verifier and interpreter
 *
 * One source for the kernel and for user space: no libc, no allocation, no
 * recursion, no floating point, less than 2 KiB of stack.
 *
 * The verifier is one pass. Branches only go forward, so when the pass reaches
 * an instruction it has passed every branch to it, and what is known there is the
 * merge of what was known at those branches and at the instruction before:
 *
 *   defined    registers written on every path        (merged by and)
 *   captured   slots captured on some path            (merged by or)
 *   used       bytes of spans on the worst path       (merged by maximum)
 *
 *   LI r0 --- JZ --- ARG r1 --- MOV --- RECORD
 *              \_________________^  open: target, defined, captured, used
 *
 * Only targets that are still ahead are kept, so the pass needs room for
 * SONDE_DIF_MAX_OPEN of them, not for every instruction; a program with more
 * is refused. We refused a table with one entry per instruction: 64 KiB do not
 * fit on a kernel stack, and an allocation can fail.
 *
 * An instruction that no path reaches must be well-formed, but is otherwise
 * ignored: it never runs. Operands that an instruction does not use must be 0,
 * so that they can get a meaning later, and the interpreter may load both
 * registers without a check.
 *
 * The interpreter trusts the verifier. The caller must not change the program
 * (instructions, pool and kinds) in between, so the kernel verifies a copy of
 * its own. It also trusts its environment to stay inside the buffers it is
 * given, but not the lengths that it returns.
 *
 * Faults, where dif.h is not specific: the first of several failing loads counts.
 * RECORD ignores a pending fault, because nothing used the value. A capture that
 * takes over a fault captures nothing else. A record that is flagged
 * PREDICATE_FAULT has one slot, the address; captures made before are dropped. A
 * text or a stack that is not available faults with address 0.
 */
#include "kmod/shared/dif.h"

#ifdef __KERNEL__
#include <linux/errno.h>
#else
#include <errno.h>
#endif

#define ALIGN8(n) (((n) + 7u) & ~7u)

/* The verifier */

enum {
	USES_SLOT = 1,
	USES_D = 2,
	USES_A = 4,
	USES_B = 8,
	USES_I = 16,
	BRANCHES = 32,
};

/* The letters of SONDE_DIF_OPS as bits, made by the compiler: the pass asks for them twice an instruction. */
#define HAS(letters, letter) (__builtin_strchr(letters, letter) != 0)
#define IMMEDIATE(letters)                                                     \
	(HAS(letters, 'i') ? 'i' : HAS(letters, 'P') ? 'P' :                   \
	 HAS(letters, 'T') ? 'T' : HAS(letters, 'J') ? 'J' :                   \
	 HAS(letters, 'V') ? 'V' : HAS(letters, 'L') ? 'L' :                   \
	 HAS(letters, 'H') ? 'H' : HAS(letters, 'N') ? 'N' : 0)

static const struct {
	uint8_t uses;
	char immediate; /* its letter; 0: none */
} operands_of[] = {
#define ROW(name, letters, meaning)                                            \
	{ (HAS(letters, 'S') ? USES_SLOT : 0) | (HAS(letters, 'd') ? USES_D : 0) | \
	  (HAS(letters, 'a') ? USES_A : 0) | (HAS(letters, 'b') ? USES_B : 0) | \
	  (IMMEDIATE(letters) ? USES_I : 0) | (HAS(letters, 'J') ? BRANCHES : 0), \
	  IMMEDIATE(letters) },
	SONDE_DIF_OPS(ROW)
#undef ROW
};
#undef IMMEDIATE
#undef HAS

/* What is known at the start of an instruction. */
struct flow {
	uint64_t captured; /* slots, one bit each */
	uint32_t used; /* bytes of spans */
	uint32_t target; /* of a branch ahead: index of the instruction */
	uint16_t defined; /* registers, one bit each */
	uint8_t reached;
};

struct verifier {
	struct sonde_dif_program *program;
	char *why; /* the rest of the caller's buffer */
	uint32_t why_left;
	uint32_t pc;
	uint32_t texts_end; /* a text may begin in the pool before this */
	uint32_t most_used;
	struct flow now;
	uint32_t open_count;
	struct flow open[SONDE_DIF_MAX_OPEN]; /* the nearest target last */
};

static void put_text(struct verifier *v, const char *text)
{
	for (; *text && v->why_left > 1; text++, v->why_left--)
		*v->why++ = *text;
	if (v->why_left)
		*v->why = 0;
}

static void put_number(struct verifier *v, uint32_t number)
{
	char digits[11];
	uint32_t n = sizeof(digits) - 1;

	digits[n] = 0;
	do {
		digits[--n] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	put_text(v, digits + n);
}

static int refuse_program(struct verifier *v, const char *reason)
{
	put_text(v, reason);
	return -EINVAL;
}

static void put_place(struct verifier *v)
{
	uint32_t op = v->program->insns[v->pc].op;

	put_text(v, "instruction ");
	put_number(v, v->pc);
	if (op < SONDE_DIF_OP_COUNT) {
		put_text(v, " (");
		put_text(v, sonde_dif_op_name(op));
		put_text(v, ")");
	}
	put_text(v, ": ");
}

static int refuse(struct verifier *v, const char *reason)
{
	put_place(v);
	put_text(v, reason);
	return -EINVAL;
}

/* "WHAT number REASON" */
static int refuse_number(struct verifier *v, const char *what, uint32_t number,
			 const char *reason)
{
	put_place(v);
	put_text(v, what);
	put_number(v, number);
	put_text(v, reason);
	return -EINVAL;
}

static int number_is_good(const struct sonde_dif_insn *in)
{
	switch (in->op) {
	case SONDE_DIF_SX:
	case SONDE_DIF_ZX:
		return in->i == 8 || in->i == 16 || in->i == 32;
	case SONDE_DIF_REG:
		return in->i >= 0 && (uint32_t)in->i < SONDE_DIF_UREGS;
	case SONDE_DIF_LDU:
	case SONDE_DIF_LDK:
		return in->i == 1 || in->i == 2 || in->i == 4 || in->i == 8;
	case SONDE_DIF_LDS:
		return in->i == 1 || in->i == 2 || in->i == 4;
	case SONDE_DIF_CAPSTR:
	case SONDE_DIF_CAPSTRN:
	case SONDE_DIF_CAPMEM:
	case SONDE_DIF_CAPKSTR:
	case SONDE_DIF_CAPKMEM:
		return in->i >= 1 && (uint32_t)in->i <= SONDE_DIF_MAX_TEXT;
	case SONDE_DIF_CAPTEXT:
		return in->i >= 0 && in->i < SONDE_DIF_TEXT_COUNT;
	case SONDE_DIF_CAPSTACK:
	case SONDE_DIF_CAPKSTACK:
		return in->i >= 1 && (uint32_t)in->i <= SONDE_DIF_MAX_FRAMES;
	}
	return 1; /* LI takes any */
}

/* Why the immediate cannot be that operand; NULL: it can. */
static const char *immediate_fault(const struct verifier *v, char letter,
				   const struct sonde_dif_insn *in)
{
	uint32_t i = (uint32_t)in->i; /* a negative one becomes too large */
	const struct sonde_dif_program *p = v->program;

	switch (letter) {
	case 'i':
		return number_is_good(in) ? NULL : "immediate out of range";
	case 'P':
		return p->pool_size >= 8 && i <= p->pool_size - 8 ?
			       NULL : "no such number in the pool";
	case 'T':
		return i < v->texts_end ?
			       NULL : "no NUL-terminated text there in the pool";
	case 'J':
		return in->i >= 0 && i < p->length - 1 - v->pc ?
			       NULL : "the branch does not go forward inside the program";
	case 'V':
		return i < SONDE_DIF_VAR_COUNT ? NULL : "no such variable";
	case 'L':
		return i < SONDE_DIF_LOCALS ? NULL : "no such local";
	case 'H':
		return i < SONDE_DIF_THREAD ? NULL : "no such thread variable";
	case 'N':
		return i < SONDE_DIF_ARGS ? NULL : "no such argument";
	default:
		return "unknown kind of operand";
	}
}

static uint32_t kind_of_capture(uint32_t op)
{
	switch (op) {
	case SONDE_DIF_CAPSTR:
	case SONDE_DIF_CAPSTRN:
	case SONDE_DIF_CAPKSTR:
	case SONDE_DIF_CAPTEXT:
		return SONDE_SLOT_TEXT;
	case SONDE_DIF_CAPMEM:
	case SONDE_DIF_CAPKMEM:
		return SONDE_SLOT_BYTES;
	case SONDE_DIF_CAPSTACK:
		return SONDE_SLOT_STACK;
	case SONDE_DIF_CAPKSTACK:
		return SONDE_SLOT_KERNEL_STACK;
	}
	return SONDE_SLOT_WORD;
}

static int check_slot(struct verifier *v, const struct sonde_dif_insn *in)
{
	if (in->d >= v->program->slots)
		return refuse_number(v, "slot ", in->d, " does not exist");
	if (v->program->kinds[in->d] != kind_of_capture(in->op))
		return refuse_number(v, "slot ", in->d, " is of another kind");
	return 0;
}

static int has_unused(uint32_t uses, const struct sonde_dif_insn *in)
{
	return (!(uses & (USES_SLOT | USES_D)) && in->d) ||
	       (!(uses & USES_A) && in->a) || (!(uses & USES_B) && in->b) ||
	       (!(uses & USES_I) && in->i);
}

/* Checks one instruction by itself, without its context. */
static int check_operands(struct verifier *v, const struct sonde_dif_insn *in)
{
	const char *fault;
	uint32_t uses;

	if (in->op >= SONDE_DIF_OP_COUNT)
		return refuse_number(v, "no such opcode: ", in->op, "");
	uses = operands_of[in->op].uses;
	if ((uses & USES_SLOT) && check_slot(v, in))
		return -EINVAL;
	if ((uses & USES_D) && in->d >= SONDE_DIF_REGISTERS)
		return refuse(v, "no such register: d");
	if ((uses & USES_A) && in->a >= SONDE_DIF_REGISTERS)
		return refuse(v, "no such register: a");
	if ((uses & USES_B) && in->b >= SONDE_DIF_REGISTERS)
		return refuse(v, "no such register: b");
	fault = uses & USES_I ?
			immediate_fault(v, operands_of[in->op].immediate, in) :
			NULL;
	if (fault)
		return refuse(v, fault);
	if (has_unused(uses, in))
		return refuse(v, "an operand it does not use is not 0");
	return 0;
}

static void merge(struct flow *into, const struct flow *from)
{
	into->captured |= from->captured;
	into->defined &= from->defined;
	if (into->used < from->used)
		into->used = from->used;
}

/* Keeps what is known here for `target`, which is ahead. */
static int open_branch(struct verifier *v, uint32_t target)
{
	uint32_t n = v->open_count;

	while (n && v->open[n - 1].target < target)
		n--;
	if (n && v->open[n - 1].target == target) {
		merge(&v->open[n - 1], &v->now);
		return 0;
	}
	if (v->open_count == SONDE_DIF_MAX_OPEN)
		return refuse(v, "too many branch targets ahead");
	for (uint32_t to = v->open_count++; to > n; to--)
		v->open[to] = v->open[to - 1];
	v->open[n] = v->now;
	v->open[n].target = target;
	return 0;
}

static void arrive(struct verifier *v)
{
	const struct flow *next;

	if (v->open_count == 0)
		return;
	next = &v->open[v->open_count - 1];
	if (next->target != v->pc)
		return;
	if (v->now.reached)
		merge(&v->now, next);
	else
		v->now = *next;
	v->open_count--;
}

/* Bytes of span that a capture adds at most. */
static uint32_t capture_max(const struct sonde_dif_insn *in)
{
	switch (in->op) {
	case SONDE_DIF_CAPSTR:
	case SONDE_DIF_CAPSTRN:
	case SONDE_DIF_CAPKSTR:
		return ALIGN8((uint32_t)in->i + 1);
	case SONDE_DIF_CAPMEM:
	case SONDE_DIF_CAPKMEM:
		return ALIGN8((uint32_t)in->i);
	case SONDE_DIF_CAPTEXT:
		return ALIGN8(sonde_dif_text_max((uint32_t)in->i));
	case SONDE_DIF_CAPSTACK:
	case SONDE_DIF_CAPKSTACK:
		return 8u * (uint32_t)in->i;
	}
	return 0;
}

static int flow_register(struct verifier *v, uint32_t number)
{
	if (v->now.defined >> number & 1)
		return 0;
	return refuse_number(v, "r", number,
			     " may be read before it is written");
}

static int flow_capture(struct verifier *v, const struct sonde_dif_insn *in)
{
	if (v->now.captured >> in->d & 1)
		return refuse_number(v, "slot ", in->d,
				     " may have been captured before");
	v->now.captured |= 1ull << in->d;
	v->now.used += capture_max(in);
	return 0;
}

static int flow_operands(struct verifier *v, const struct sonde_dif_insn *in)
{
	const uint32_t uses = operands_of[in->op].uses;

	if ((uses & USES_SLOT) && flow_capture(v, in))
		return -EINVAL;
	if ((uses & USES_A) && flow_register(v, in->a))
		return -EINVAL;
	if ((uses & USES_B) && flow_register(v, in->b))
		return -EINVAL;
	if ((uses & BRANCHES) && open_branch(v, v->pc + 1 + (uint32_t)in->i))
		return -EINVAL;
	if (uses & USES_D)
		v->now.defined |= (uint16_t)(1u << in->d);
	return 0;
}

/* Checks one instruction for all the paths that lead to it. */
static int check_flow(struct verifier *v, const struct sonde_dif_insn *in)
{
	arrive(v);
	if (!v->now.reached)
		return 0;
	if (flow_operands(v, in))
		return -EINVAL;
	if (v->most_used < v->now.used)
		v->most_used = v->now.used;
	if (in->op == SONDE_DIF_JMP || in->op == SONDE_DIF_RECORD ||
	    in->op == SONDE_DIF_FAIL)
		v->now.reached = 0;
	return 0;
}

static int check_frame(struct verifier *v)
{
	const struct sonde_dif_program *p = v->program;
	uint32_t n;

	if (p->length == 0 || p->length > SONDE_DIF_MAX_LENGTH || !p->insns)
		return refuse_program(v,
				      "a program has 1 to 4096 instructions");
	if (p->pool_size > SONDE_DIF_MAX_POOL || (p->pool_size && !p->pool))
		return refuse_program(v, "the pool is longer than 65536 bytes");
	if (p->slots > SONDE_MAX_SLOTS || (p->slots && !p->kinds))
		return refuse_program(v, "a record has at most 64 slots");
	for (n = 0; n < p->slots; n++)
		if (p->kinds[n] > SONDE_SLOT_KERNEL_STACK)
			return refuse_program(v, "a slot has no such kind");
	for (n = p->pool_size; n && p->pool[n - 1]; n--)
		;
	v->texts_end = n;
	v->pc = p->length - 1;
	if (p->insns[v->pc].op != SONDE_DIF_RECORD &&
	    p->insns[v->pc].op != SONDE_DIF_FAIL)
		return refuse(v, "the last instruction is not RECORD or FAIL");
	return 0;
}

static int set_record_max(struct verifier *v)
{
	/* a fault in the filter needs a slot for its address */
	uint32_t slots = v->program->slots ? v->program->slots : 1;
	uint32_t most = (uint32_t)sizeof(struct sonde_record) + 8 * slots +
			v->most_used;

	if (most > SONDE_RECORD_MAX)
		return refuse_program(v, "a record may be longer than 1 MiB");
	v->program->record_max = most;
	return 0;
}

int sonde_dif_verify(struct sonde_dif_program *program, char *why,
		     uint32_t why_size)
{
	struct verifier v;

	v.program = program;
	v.why = why;
	v.why_left = why ? why_size : 0;
	v.most_used = 0;
	v.open_count = 0;
	v.now = (struct flow){ .reached = 1 };
	program->record_max = 0;
	put_text(&v, "");
	if (check_frame(&v))
		return -EINVAL;
	for (v.pc = 0; v.pc < program->length; v.pc++) {
		if (check_operands(&v, &program->insns[v.pc]) ||
		    check_flow(&v, &program->insns[v.pc]))
			return -EINVAL;
	}
	return set_record_max(&v);
}

static void note_variable(struct sonde_needs *needs, int32_t variable)
{
	needs->variables |= 1u << variable;
	switch (variable) {
	case SONDE_DIF_VAR_UCALLER:
		needs->frames = 1;
		needs->ready |= SONDE_NEED_USER;
		break;
	case SONDE_DIF_VAR_USTACKDEPTH: needs->ready |= SONDE_NEED_USER; break;
	case SONDE_DIF_VAR_TIMESTAMP: needs->ready |= SONDE_NEED_TIME; break;
	case SONDE_DIF_VAR_CURTHREAD: needs->kernel = 1; break;
	}
}

static void note_text(struct sonde_needs *needs, int32_t text)
{
	needs->texts |= 1u << text;
	if (text == SONDE_DIF_TEXT_EXECNAME)
		needs->execname = 1;
	if (text == SONDE_DIF_TEXT_PSARGS || text == SONDE_DIF_TEXT_PROBE_TEXT)
		needs->ready |= SONDE_NEED_USER;
}

static void note_argument(struct sonde_needs *needs, int32_t argument)
{
	needs->arguments |= 1u << argument;
	needs->ready |= SONDE_NEED_ARGS;
	if (argument >= 6)
		needs->ready |= SONDE_NEED_STACK_ARGS;
}

static void note_insn(struct sonde_needs *needs, const struct sonde_dif_insn *in)
{
	switch (in->op) {
	case SONDE_DIF_VAR: note_variable(needs, in->i); break;
	case SONDE_DIF_ARG: note_argument(needs, in->i); break;
	case SONDE_DIF_CAPTEXT: note_text(needs, in->i); break;
	case SONDE_DIF_NAMEQ: needs->execname = 1; break;
	case SONDE_DIF_LDL: needs->ready |= SONDE_NEED_LOCALS; break;
	case SONDE_DIF_STL: needs->ready |= SONDE_NEED_LOCALS | SONDE_NEED_CARE; break;
	case SONDE_DIF_LDT: needs->ready |= SONDE_NEED_THREAD; break;
	case SONDE_DIF_STT: needs->ready |= SONDE_NEED_THREAD | SONDE_NEED_CARE; break;
	case SONDE_DIF_CAPW: needs->bytes += 8; break;
	case SONDE_DIF_CAPSTACK:
		needs->frames = 1;
		needs->bytes += 8 + 8 * (uint32_t)in->i;
		needs->ready |= SONDE_NEED_USER;
		break;
	case SONDE_DIF_CAPSTR:
		needs->bytes += 8 + (uint32_t)in->i;
		needs->ready |= SONDE_NEED_USER;
		break;
	case SONDE_DIF_LDU:
	case SONDE_DIF_LDS:
	case SONDE_DIF_CAPSTRN:
	case SONDE_DIF_CAPMEM: needs->ready |= SONDE_NEED_USER; break;
	case SONDE_DIF_LDK:
	case SONDE_DIF_CAPKSTR:
	case SONDE_DIF_CAPKMEM:
	case SONDE_DIF_CAPKSTACK: needs->kernel = 1; break;
	}
}

_Static_assert(SONDE_DIF_VAR_COUNT <= 32 && SONDE_DIF_TEXT_COUNT <= 32, "a bit for each");

struct sonde_needs sonde_dif_needs(const struct sonde_dif_program *program)
{
	struct sonde_needs needs = { .bytes = sizeof(struct sonde_record) };
	uint32_t n;

	for (n = 0; n < program->length; n++)
		note_insn(&needs, &program->insns[n]);
	return needs;
}

/* The interpreter */

struct run {
	const struct sonde_dif_firing *firing;
	struct sonde_record *record;
	uint64_t captured; /* slots, one bit each, including faulted ones */
	uint64_t faults; /* of the record */
	uint64_t address; /* that faulted */
	uint32_t faulted; /* and no capture has taken it over yet */
	uint32_t used; /* bytes of the record */
};

static uint64_t shift_signed(uint64_t a, uint64_t b)
{
	if (b > 63)
		return 0;
	/* >> of a negative number: arithmetic in gcc and clang */
	return (uint64_t)((int64_t)a >> b);
}

static uint64_t extend_signed(uint64_t a, int32_t bits)
{
	uint32_t unused = 64 - (uint32_t)bits;

	return (uint64_t)((int64_t)(a << unused) >> unused);
}

static uint64_t extend_zero(uint64_t a, int32_t bits)
{
	return a & ~0ull >> (64 - bits);
}

static uint64_t pool_number(const struct sonde_dif_program *program, int32_t at)
{
	uint64_t number;

	__builtin_memcpy(&number, program->pool + at, sizeof(number));
	return number;
}

static int text_equals(const char *a, const char *b)
{
	for (; *a == *b; a++, b++)
		if (*a == 0)
			return 1;
	return 0;
}

static int read_memory(struct run *run, int kernel, uint64_t address, void *to,
		       uint32_t length)
{
	const struct sonde_dif_firing *firing = run->firing;
	const struct sonde_dif_env *env = firing->env;

	if (!kernel)
		return env->read_user(firing->thread, address, to, length);
	if (!env->read_kernel)
		return -1;
	return env->read_kernel(firing->thread, address, to, length);
}

static uint64_t load(struct run *run, int kernel, uint64_t address,
		     int32_t bytes)
{
	uint64_t value = 0; /* little endian: the other bytes stay 0 */

	if (read_memory(run, kernel, address, &value, (uint32_t)bytes) >= 0)
		return value;
	if (!run->faulted)
		run->address = address;
	run->faulted = 1;
	return 0;
}

static void store(struct run *run, uint64_t *variable, uint64_t value)
{
	*variable = run->faulted ? 0 : value;
	run->faulted = 0;
}

static void fault_slot(struct run *run, uint32_t slot, uint64_t address)
{
	run->faults |= 1ull << slot;
	run->record->slot[slot] = address;
}

/* Where the bytes of the next span are stored. */
static uint8_t *span_start(struct run *run)
{
	return (uint8_t *)run->record + run->used;
}

/* Makes the `stored` bytes at span_start() a span of `length`. */
static void end_span(struct run *run, uint32_t slot, uint32_t length,
		     uint32_t stored)
{
	uint8_t *bytes = span_start(run);

	run->record->slot[slot] = SONDE_SPAN(run->used, length);
	for (; stored % 8; stored++)
		bytes[stored] = 0;
	run->used += stored;
}

/* `length` is what the environment returned for a buffer of `max`. */
static void end_text(struct run *run, uint32_t slot, int length, uint32_t max,
		     uint64_t address)
{
	uint32_t n = (uint32_t)length;

	if (length < 0) {
		fault_slot(run, slot, address);
		return;
	}
	if (n >= max)
		n = max - 1;
	span_start(run)[n] = 0;
	end_span(run, slot, n, n + 1);
}

static void capture_string(struct run *run, int kernel, uint32_t slot,
			   uint64_t address, uint32_t bytes)
{
	const struct sonde_dif_firing *firing = run->firing;
	int (*read)(sonde_dif_context *, uint64_t, char *, uint32_t) =
		kernel ? firing->env->read_kernel_text : firing->env->read_text;
	int length = 0;

	if (!read)
		length = -1;
	else if (bytes)
		length = read(firing->thread, address, (char *)span_start(run),
			      bytes + 1);
	end_text(run, slot, length, bytes + 1, address);
}

static void capture_memory(struct run *run, int kernel, uint32_t slot,
			   uint64_t address, uint64_t bytes, uint32_t most)
{
	if (bytes > most ||
	    (bytes && read_memory(run, kernel, address, span_start(run),
				  (uint32_t)bytes) < 0)) {
		fault_slot(run, slot, address);
		return;
	}
	end_span(run, slot, (uint32_t)bytes, (uint32_t)bytes);
}

static int copy_execname(const char *name, char *to, uint32_t max)
{
	uint32_t n = 0;

	for (; n < max - 1 && name[n]; n++)
		to[n] = name[n];
	return (int)n;
}

static void capture_text(struct run *run, uint32_t slot, uint64_t operand,
			 uint32_t which)
{
	const struct sonde_dif_firing *firing = run->firing;
	uint32_t max = sonde_dif_text_max(which);
	char *to = (char *)span_start(run);
	int length;

	if (which == SONDE_DIF_TEXT_EXECNAME)
		length = copy_execname(firing->execname, to, max);
	else
		length = firing->env->text(firing->thread, which, operand, to,
					   max);
	end_text(run, slot, length, max, 0);
}

static void capture_stack(struct run *run, int kernel, uint32_t slot,
			  uint32_t max)
{
	const struct sonde_dif_firing *firing = run->firing;
	uint64_t *to = (uint64_t *)(void *)span_start(run);
	int (*walk)(sonde_dif_context *, uint64_t *, uint32_t) =
		kernel ? firing->env->kernel_stack : firing->env->stack;
	int frames = walk ? walk(firing->thread, to, max) : -1;
	uint32_t most = kernel || firing->stack_words < max ?
				max :
				firing->stack_words;

	if (frames < 0) {
		fault_slot(run, slot, 0);
		return;
	}
	if ((uint32_t)frames > most)
		frames = (int)most;
	end_span(run, slot, 8u * (uint32_t)frames, 8u * (uint32_t)frames);
}

static void capture(struct run *run, const struct sonde_dif_insn *in,
		    uint64_t a, uint64_t b)
{
	uint32_t i = (uint32_t)in->i;

	run->captured |= 1ull << in->d;
	if (run->faulted) {
		fault_slot(run, in->d, run->address);
		run->faulted = 0;
		return;
	}
	switch (in->op) {
	case SONDE_DIF_CAPW:
		run->record->slot[in->d] = a;
		break;
	case SONDE_DIF_CAPSTR:
	case SONDE_DIF_CAPKSTR:
		capture_string(run, in->op == SONDE_DIF_CAPKSTR, in->d, a, i);
		break;
	case SONDE_DIF_CAPSTRN:
		capture_string(run, 0, in->d, a, b < i ? (uint32_t)b : i);
		break;
	case SONDE_DIF_CAPMEM:
	case SONDE_DIF_CAPKMEM:
		capture_memory(run, in->op == SONDE_DIF_CAPKMEM, in->d, a, b,
			       i);
		break;
	case SONDE_DIF_CAPTEXT:
		capture_text(run, in->d, a, i);
		break;
	case SONDE_DIF_CAPSTACK:
	case SONDE_DIF_CAPKSTACK:
		capture_stack(run, in->op == SONDE_DIF_CAPKSTACK, in->d, i);
		break;
	}
}

static uint32_t end_record(struct run *run, uint32_t slots, uint32_t flags)
{
	struct sonde_record *record = run->record;
	uint32_t slot;

	for (slot = 0; slot < slots; slot++)
		if (!(run->captured >> slot & 1))
			record->slot[slot] = 0;
	record->size = run->used;
	record->flags = (uint16_t)flags;
	record->slots = (uint16_t)slots;
	record->faults = run->faults;
	return run->used;
}

static uint32_t predicate_fault(struct run *run)
{
	run->captured = 1;
	run->faults = 0;
	run->used = (uint32_t)sizeof(*run->record) + 8;
	fault_slot(run, 0, run->address);
	return end_record(run, 1, SONDE_RECORD_PREDICATE_FAULT);
}

/* An instruction that only computes its d. */
#define SET(op, value)                     \
	case SONDE_DIF_##op:               \
		*d = (uint64_t)(value);    \
		break;

uint32_t sonde_dif_run(const struct sonde_dif_program *program,
		       const struct sonde_dif_firing *firing,
		       struct sonde_record *record)
{
	const struct sonde_dif_insn *in = program->insns;
	const struct sonde_dif_env *env = firing->env;
	uint64_t r[SONDE_DIF_REGISTERS];
	struct run run = {
		.firing = firing,
		.record = record,
		.used = (uint32_t)sizeof(*record) + 8 * program->slots,
	};

	/* The program writes all others before it reads them; an unused
	 * operand is 0 and loads r0, too. */
	r[0] = 0;
	for (;; in++) {
		uint64_t a = r[in->a];
		uint64_t b = r[in->b];
		uint64_t *d = &r[in->d % SONDE_DIF_REGISTERS];

		if (in->op >= SONDE_DIF_OP_COUNT)
			__builtin_unreachable(); /* saves the range check */
		switch ((enum sonde_dif_op)in->op) {
		SET(LI, (int64_t)in->i)
		SET(LC, pool_number(program, in->i))
		SET(MOV, a)
		SET(ADD, a + b)
		SET(SUB, a - b)
		SET(MUL, a * b)
		SET(DIVS, sonde_dif_divide(a, b))
		SET(DIVU, b ? a / b : 0)
		SET(MODS, sonde_dif_modulo(a, b))
		SET(MODU, b ? a % b : 0)
		SET(AND, a & b)
		SET(OR, a | b)
		SET(XOR, a ^ b)
		SET(SHL, b > 63 ? 0 : a << b)
		SET(SHRS, shift_signed(a, b))
		SET(SHRU, b > 63 ? 0 : a >> b)
		SET(NEG, 0 - a)
		SET(NOT, ~a)
		SET(SX, extend_signed(a, in->i))
		SET(ZX, extend_zero(a, in->i))
		SET(EQ, a == b)
		SET(NE, a != b)
		SET(LTS, (int64_t)a < (int64_t)b)
		SET(LES, (int64_t)a <= (int64_t)b)
		SET(LTU, a < b)
		SET(LEU, a <= b)
		SET(VAR, env->variable(firing->thread, (uint32_t)in->i))
		SET(ARG, firing->args[in->i])
		SET(REG, env->user_register(firing->thread, (uint32_t)in->i))
		SET(PROGENY, a ? env->descends(firing->thread, a) : 0)
		SET(LDU, load(&run, 0, a, in->i))
		SET(LDS, extend_signed(load(&run, 0, a, in->i), 8 * in->i))
		SET(LDK, load(&run, 1, a, in->i))
		SET(LDL, firing->locals[in->i])
		SET(LDT, firing->thread_variables[in->i])
		SET(NAMEQ, text_equals(firing->execname,
				       (const char *)program->pool + in->i))
		case SONDE_DIF_JMP:
			in += in->i;
			break;
		case SONDE_DIF_JZ:
			if (run.faulted)
				return predicate_fault(&run);
			if (a == 0)
				in += in->i;
			break;
		case SONDE_DIF_JNZ:
			if (run.faulted)
				return predicate_fault(&run);
			if (a != 0)
				in += in->i;
			break;
		case SONDE_DIF_STL:
			store(&run, &firing->locals[in->i], a);
			break;
		case SONDE_DIF_STT:
			store(&run, &firing->thread_variables[in->i], a);
			break;
		case SONDE_DIF_CAPW:
		case SONDE_DIF_CAPSTR:
		case SONDE_DIF_CAPSTRN:
		case SONDE_DIF_CAPMEM:
		case SONDE_DIF_CAPTEXT:
		case SONDE_DIF_CAPSTACK:
		case SONDE_DIF_CAPKSTR:
		case SONDE_DIF_CAPKMEM:
		case SONDE_DIF_CAPKSTACK:
			capture(&run, in, a, b);
			break;
		case SONDE_DIF_RECORD:
			return end_record(&run, program->slots, 0);
		case SONDE_DIF_FAIL:
			return run.faulted ? predicate_fault(&run) : 0;
		case SONDE_DIF_OP_COUNT:
			__builtin_unreachable();
		}
	}
}
