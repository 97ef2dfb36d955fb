// SPDX-License-Identifier: GPL-2.0
/*
 * Returns: a tap on an instruction that leaves a function fires if it does, and
 * only then; an entry fires once per call
 */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "child.h"
#include "random.h"

#define CALLS 300
#define DEPTH 20000
#define SITES 10000
#define ORDINARY 0x202 /* flags of a thread */

/* What the traced child reports. */
static struct {
	uint64_t count[16], total;
} *shared;

static struct client c;
static struct child child;
static char path[SONDE_PATH_MAX];

/* What was recorded, in order. */
enum { ARG0, ARG1, RIP, CALLER, FRAMES_COUNT, STACK, SLOTS };
static struct hit {
	uint32_t epid;
	uint64_t word[STACK], frames[2];
} hits[512];
static uint64_t hit_count, count_of[64];

static void see(const struct sonde_record *record)
{
	struct hit *hit = &hits[hit_count];

	count_of[record->epid]++;
	if (hit_count == LENGTH(hits))
		return;
	hit_count++;
	hit->epid = record->epid;
	memcpy(hit->word, record->slot, sizeof(hit->word));
	memcpy(hit->frames,
	       (char *)record + SONDE_SPAN_OFFSET(record->slot[STACK]),
	       sizeof(hit->frames));
}

static void count(const struct sonde_record *record)
{
	count_of[record->epid]++;
}

/* A target behind its gate, and no records yet. */
static void begin(int (*work)(void))
{
	GRANTED(&c, open_session(&c, 8 << 20));
	child = start_child(&c, work);
	GRANTED(&c, attach(&c, child.pid));
	hit_count = 0;
	memset(hits, 0, sizeof(hits));
	memset(count_of, 0, sizeof(count_of));
	memset(shared, 0, sizeof(*shared));
}

static void run(void (*look)(const struct sonde_record *))
{
	go(&c);
	open_gate(&child);
	CHECK_EXIT(&child, 7);
	drain(&c, look);
	CHECK(drops(&c) == 0, "%lu drops", drops(&c));
}

/* Everything a program may read in a firing. */
static void load_all(uint32_t id)
{
	static const struct sonde_dif_insn insns[] = {
		{ SONDE_DIF_ARG, 0, 0, 0, 0 },
		{ SONDE_DIF_CAPW, ARG0, 0, 0, 0 },
		{ SONDE_DIF_ARG, 0, 0, 0, 1 },
		{ SONDE_DIF_CAPW, ARG1, 0, 0, 0 },
		{ SONDE_DIF_REG, 0, 0, 0, 16 },
		{ SONDE_DIF_CAPW, RIP, 0, 0, 0 },
		{ SONDE_DIF_VAR, 0, 0, 0, SONDE_DIF_VAR_UCALLER },
		{ SONDE_DIF_CAPW, CALLER, 0, 0, 0 },
		{ SONDE_DIF_VAR, 0, 0, 0, SONDE_DIF_VAR_USTACKDEPTH },
		{ SONDE_DIF_CAPW, FRAMES_COUNT, 0, 0, 0 },
		{ SONDE_DIF_CAPSTACK, STACK, 0, 0, 8 },
		{ .op = SONDE_DIF_RECORD },
	};
	static const uint8_t kinds[SLOTS] = { [STACK] = SONDE_SLOT_STACK };

	GRANTED(&c, load_kinds(&c, id, INSNS(insns), SLOTS, kinds));
}

static void put(uint32_t id, struct sonde_tap tap)
{
	load_all(id);
	GRANTED(&c, arm(&c, id, tap, path));
}

static struct sonde_tap entry_of(const char *function)
{
	return function_tap(SONDE_TAP_USER_ENTRY, function, path);
}

static struct sonde_tap leave_at(const char *function, const char *at,
				 uint8_t how)
{
	struct sonde_tap tap = function_tap(SONDE_TAP_USER_RETURN, at, path);

	tap.function -= at - function;
	tap.leave.how = how;
	return tap;
}

static struct sonde_tap reenter_at(const char *function, const char *at,
				   uint8_t how, uint8_t condition)
{
	struct sonde_tap tap = leave_at(function, at, how);

	tap.kind = SONDE_TAP_USER_ENTRY;
	tap.leave.condition = condition;
	return tap;
}

/* Functions that are left by a `ret`, in every form; and callers, with labels after the calls. */
__asm__(".macro function name\n"
	"	.globl \\name\n"
	"	.type \\name, @function\n"
	"\\name:\n"
	".endm\n"
	".text\n"
	"function plain\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	lea 5(%rdi), %eax\n"
	"	pop %rbp\n"
	"plain_at: ret\n"
	"function bare\n"
	"bare_at: ret\n"
	"function rep_ret\n"
	"	lea 5(%rdi), %eax\n"
	"rep_ret_at: .byte 0xf3, 0xc3\n"
	"function bnd_ret\n"
	"	lea 5(%rdi), %eax\n"
	"bnd_ret_at: .byte 0xf2, 0xc3\n"
	"function ret_8\n"
	"	lea 5(%rdi), %eax\n"
	"ret_8_at: ret $8\n"
	"function tail\n"
	"	jmp plain\n"
	"function call_plain\n"
	"	sub $8, %rsp\n"
	"	call plain\n"
	"behind_plain:\n"
	"	add $8, %rsp\n"
	"	ret\n"
	"function call_tail\n"
	"	sub $8, %rsp\n"
	"	call tail\n"
	"behind_tail:\n"
	"	add $8, %rsp\n"
	"	ret\n"
	"function call_ret_8\n"
	"	push $0\n"
	"	call ret_8\n"
	"behind_ret_8:\n"
	"	ret\n");
extern char plain_at[], bare_at[], rep_ret_at[], bnd_ret_at[], ret_8_at[],
	behind_plain[], behind_tail[], behind_ret_8[];
int plain(int n), rep_ret(int n), bnd_ret(int n), ret_8(int n), tail(int n),
	call_plain(int n), call_tail(int n), call_ret_8(int n), bare(void);

static int call_all(void)
{
	int good = 1;

	pin(0);
	good &= call_plain(1) == 6;
	good &= call_tail(2) == 7;
	good &= call_ret_8(3) == 8;
	good &= rep_ret(4) == 9;
	good &= bnd_ret(5) == 10;
	bare();
	return good ? 7 : 8;
}

static const struct hit *nth_of(uint32_t epid, unsigned int nth)
{
	for (uint64_t n = 0; n < hit_count; n++)
		if (hits[n].epid == epid && !nth--)
			return &hits[n];
	CHECK(0, "tap %u did not fire so often", epid);
	return &hits[LENGTH(hits) - 1];
}

/* The stack begins with the function itself, then its caller. */
static void check_hit(uint32_t epid, unsigned int nth, const char *at,
		      const char *behind)
{
	const struct hit *hit = nth_of(epid, nth);

	CHECK(hit->word[RIP] == (uintptr_t)at, "tap %u: rip %lx, not %p", epid,
	      hit->word[RIP], at);
	CHECK(hit->frames[0] == (uintptr_t)at, "tap %u: at %lx, not %p", epid,
	      hit->frames[0], at);
	if (!behind)
		return;
	CHECK(hit->frames[1] == (uintptr_t)behind, "tap %u: from %lx, not %p",
	      epid, hit->frames[1], behind);
	CHECK(hit->word[CALLER] == (uintptr_t)behind,
	      "tap %u: caller %lx, not %p", epid, hit->word[CALLER], behind);
}

static void check_return(uint32_t epid, unsigned int nth, uint64_t offset,
			 uint64_t value)
{
	const struct hit *hit = nth_of(epid, nth);

	CHECK(hit->word[ARG0] == offset, "tap %u: arg0 %lu, not %lu", epid,
	      hit->word[ARG0], offset);
	CHECK((uint32_t)hit->word[ARG1] == value, "tap %u: arg1 %lu, not %lu",
	      epid, hit->word[ARG1], value);
}

static const char *text_of(const void *function)
{
	return function;
}

#define ENTRY(row) (2 * (row) + 1)
#define RETURN(row) (2 * (row) + 2)

static void returns(void)
{
	const struct {
		const char *function, *at, *behind;
		uint64_t count, value;
	} rows[] = {
		{ text_of(plain), plain_at, behind_plain, 2, 6 },
		{ text_of(rep_ret), rep_ret_at, NULL, 1, 9 },
		{ text_of(bnd_ret), bnd_ret_at, NULL, 1, 10 },
		{ text_of(ret_8), ret_8_at, behind_ret_8, 1, 8 },
	};

	begin(call_all);
	for (uint32_t n = 0; n < LENGTH(rows); n++) {
		put(ENTRY(n), entry_of(rows[n].function));
		put(RETURN(n), leave_at(rows[n].function, rows[n].at,
					SONDE_LEAVE_RETURN));
	}
	run(see);
	for (uint32_t n = 0; n < LENGTH(rows); n++) {
		CHECK(count_of[ENTRY(n)] == rows[n].count &&
			      count_of[RETURN(n)] == rows[n].count,
		      "row %u: %lu entries, %lu returns", n, count_of[ENTRY(n)],
		      count_of[RETURN(n)]);
		check_hit(ENTRY(n), 0, rows[n].function, rows[n].behind);
		check_hit(RETURN(n), 0, rows[n].at, rows[n].behind);
		check_return(RETURN(n), 0, rows[n].at - rows[n].function,
			     rows[n].value);
		CHECK(nth_of(ENTRY(n), 0)->word[FRAMES_COUNT] ==
			      nth_of(RETURN(n), 0)->word[FRAMES_COUNT],
		      "row %u: other depths", n);
	}
	/* a function that was reached by a jump returns to its caller's caller */
	check_hit(ENTRY(0), 1, text_of(plain), behind_tail);
	check_hit(RETURN(0), 1, plain_at, behind_tail);
	close_client(&c);
}

/* A function of one instruction is entered, then left, in whatever order the taps were armed. */
static void one_instruction(int return_first)
{
	const struct {
		const char *function, *behind;
		uint8_t how;
	} rows[] = {
		{ text_of(bare), NULL, SONDE_LEAVE_RETURN },
		{ text_of(tail), behind_tail, SONDE_LEAVE_JUMP },
	};

	begin(call_all);
	for (uint32_t n = 0; n < LENGTH(rows); n++) {
		const char *function = rows[n].function;
		struct sonde_tap taps[] = {
			entry_of(function),
			leave_at(function, function, rows[n].how),
		};

		put(ENTRY(n) + return_first, taps[return_first]);
		put(ENTRY(n) + !return_first, taps[!return_first]);
	}
	run(see);
	CHECK(hit_count == 4, "%lu firings", hit_count);
	for (uint32_t n = 0; n < 2; n++) {
		CHECK(hits[2 * n].epid % 2 == 1 &&
			      hits[2 * n + 1].epid == hits[2 * n].epid + 1,
		      "taps %u, %u", hits[2 * n].epid, hits[2 * n + 1].epid);
		for (uint32_t of = 0; of < 2; of++)
			check_hit(ENTRY(n) + of, 0, rows[n].function,
				  rows[n].behind);
		check_return(RETURN(n), 0, 0, nth_of(RETURN(n), 0)->word[ARG1]);
	}
	close_client(&c);
}

/* Two taps at one place are armed and disarmed independently. */
static void one_place(void)
{
	const char *function = text_of(bare);

	begin(call_all);
	put(1, entry_of(function));
	put(2, leave_at(function, bare_at, SONDE_LEAVE_RETURN));
	put(3, entry_of(function));
	GRANTED(&c, disarm(&c, 1));
	run(see);
	CHECK(hit_count == 2 && hits[0].epid == 3 && hits[1].epid == 2,
	      "%lu firings", hit_count);
	GRANTED(&c, disarm(&c, 2));
	GRANTED(&c, disarm(&c, 3));
	put(4, entry_of(function));
	close_client(&c);
}

/* Every condition, with every flag that it tests. */
__asm__(".data\n"
	"jcc_table:\n"
	".text\n"
	".irp cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g\n"
	"jcc_\\cc:\n"
	"	push %rdi\n"
	"	popf\n"
	"jcc_at_\\cc:\n"
	"	j\\cc jcc_taken\n"
	"	xor %eax, %eax\n"
	"	ret\n"
	"	.data\n"
	"	.quad jcc_\\cc, jcc_at_\\cc\n"
	"	.text\n"
	".endr\n"
	"jcc_taken:\n"
	"	mov $1, %eax\n"
	"	ret\n");
extern struct {
	union {
		int (*call)(uint64_t flags);
		const char *text;
	} function;
	const char *at;
} jcc_table[16];

static int jump_if(void)
{
	for (int n = 0; n < 32; n++) {
		uint64_t flags = ORDINARY | (n & 1) | (n & 2) << 1 |
				 (n & 4) << 4 | (n & 8) << 4 | (n & 16) << 7;

		for (int condition = 0; condition < 16; condition++)
			shared->count[condition] +=
				jcc_table[condition].function.call(flags);
	}
	return 7;
}

static void conditions(void)
{
	begin(jump_if);
	for (uint32_t n = 0; n < 16; n++) {
		struct sonde_tap tap = leave_at(jcc_table[n].function.text,
						jcc_table[n].at,
						SONDE_LEAVE_JUMP_IF);

		tap.leave.condition = n;
		put(n + 1, tap);
	}
	run(count);
	for (uint32_t n = 0; n < 16; n++)
		CHECK(count_of[n + 1] == shared->count[n] &&
			      shared->count[n] && shared->count[n] < 32,
		      "condition %u: %lu of %lu", n, count_of[n + 1],
		      shared->count[n]);
	close_client(&c);
}

/*
 * Jumps through operands, from functions that begin at the label before and end
 * at `operands_end`. Each runs with the child's values in rsi and rdi.
 */
__asm__(".data\n"
	"operand_table:\n"
	".text\n"
	".irp r, rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15\n"
	"by_\\r:\n"
	"	mov %rsi, %\\r\n"
	"by_at_\\r:\n"
	"	jmp *%\\r\n"
	"	.data\n"
	"	.quad by_\\r, by_at_\\r\n"
	"	.text\n"
	".endr\n"
	".macro operand name, operand\n"
	"by_\\name:\n"
	"	nop\n"
	"by_at_\\name:\n"
	"	jmp *\\operand\n"
	"	.data\n"
	"	.quad by_\\name, by_at_\\name\n"
	"	.text\n"
	".endm\n"
	"operand base, 8(%rsi)\n"
	"operand index, \"-16(%rsi,%rdi,8)\"\n"
	"operand no_base, \"0(,%rdi,8)\"\n"
	"operand rip, operand_slot(%rip)\n"
	"operand fs, %fs:(%rsi)\n"
	"operand gs, %gs:8\n"
	"operand high, -8(%r12)\n"
	"operand_inside:\n"
	"	mov $1, %eax\n"
	"	ret\n"
	"operands_end:\n"
	"operand_outside:\n"
	"	mov $2, %eax\n"
	"	ret\n"
	"function call_with\n" /* (function, rdi, rsi): saves the registers that it may change */
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	sub $8, %rsp\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsi\n"
	"	mov %rdx, %r12\n"
	"	call *%rax\n"
	"	add $8, %rsp\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n");
enum { BY_REGISTER = 15, OPERANDS = BY_REGISTER + 7 };
extern struct {
	const char *function, *at;
} operand_table[OPERANDS];
extern char operand_inside[], operand_outside[], operands_end[];
int call_with(const char *function, uint64_t rdi, uint64_t rsi);
char *operand_slot;

static struct sonde_leave leave_of(uint32_t n)
{
	static const struct sonde_leave none = {
		.how = SONDE_LEAVE_JUMP_OPERAND, .flags = SONDE_LEAVE_MEMORY,
		.base = SONDE_LEAVE_NO_REGISTER, .scale = 1,
		.index = SONDE_LEAVE_NO_REGISTER,
	};
	const char *at = operand_table[n].at;
	struct sonde_leave leave = none;

	leave.parts[0].from = operand_table[0].function - at;
	leave.parts[0].to = operands_end - at;
	switch (n - BY_REGISTER) {
	default:
		leave.flags = 0;
		leave.base = n < 4 ? n : n + 1; /* without rsp */
		break;
	case 0:
		leave.base = 6;
		leave.displacement = 8;
		break;
	case 1:
		leave.base = 6;
		leave.index = 7;
		leave.scale = 8;
		leave.displacement = -16;
		break;
	case 2:
		leave.index = 7;
		leave.scale = 8;
		break;
	case 3:
		leave.length = 6;
		leave.base = SONDE_LEAVE_RIP;
		leave.displacement = (char *)&operand_slot - (at + 6);
		break;
	case 4:
		leave.flags |= SONDE_LEAVE_FS;
		leave.base = 6;
		break;
	case 5:
		leave.flags |= SONDE_LEAVE_GS;
		leave.displacement = 8;
		break;
	case 6:
		leave.base = 12;
		leave.displacement = -8;
		break;
	}
	return leave;
}

/* rsi (and r12) for the slot at `slot`, and rdi for the same. */
static uint64_t reach(uint32_t n, uint64_t slot, uint64_t *rdi)
{
	*rdi = 3;
	switch (n - BY_REGISTER) {
	case 0:
		return slot - 8;
	case 1:
		return slot + 16 - 3 * 8;
	case 2:
		*rdi = slot / 8;
		return 0;
	case 4:
		return slot - (uintptr_t)__builtin_thread_pointer();
	case 6:
		return slot + 8;
	}
	return 0; /* rsi cannot do it */
}

/* The child's slot is on a page of its own, which is not present. */
static char **absent_slot(char *target)
{
	int file = memfd_create("slot", 0);
	char **slot;

	if (file < 0 || write(file, &target, sizeof(target)) != sizeof(target))
		_exit(9);
	slot = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
	close(file);
	return slot == MAP_FAILED ? NULL : slot;
}

static int jump_by_operand(void)
{
	char *targets[] = { operand_inside, operand_outside };
	uint64_t rdi, rsi;

	for (uint32_t out = 0; out < 2; out++) {
		for (uint32_t n = 0; n < OPERANDS; n++) {
			char **slot = absent_slot(targets[out]);

			operand_slot = targets[out];
			syscall(SYS_arch_prctl, ARCH_SET_GS, (char *)slot - 8);
			rsi = reach(n, (uintptr_t)slot, &rdi);
			if (n < BY_REGISTER)
				rsi = (uintptr_t)targets[out];
			if (call_with(operand_table[n].function, rdi, rsi) !=
			    (int)out + 1)
				return 8;
		}
	}
	return 7;
}

static void operands(void)
{
	begin(jump_by_operand);
	for (uint32_t n = 0; n < OPERANDS; n++) {
		struct sonde_tap tap = leave_at(operand_table[n].function,
						operand_table[n].at,
						SONDE_LEAVE_JUMP_OPERAND);

		tap.leave = leave_of(n);
		put(n + 1, tap);
	}
	run(see);
	for (uint32_t n = 0; n < OPERANDS; n++) {
		CHECK(count_of[n + 1] == 1, "operand %u: %lu, not 1", n,
		      count_of[n + 1]);
		check_hit(n + 1, 0, operand_table[n].at, NULL);
	}
	close_client(&c);
}

/* A second part of the function: jumps there stay inside. */
static void cold_part(void)
{
	const uint32_t n = 5; /* rsi */
	const char *at = operand_table[n].at;
	struct sonde_tap tap = leave_at(operand_table[n].function, at,
					SONDE_LEAVE_JUMP_OPERAND);

	begin(jump_by_operand);
	tap.leave = leave_of(n);
	tap.leave.parts[1].from = operand_outside - at;
	tap.leave.parts[1].to = operand_outside + 1 - at;
	put(1, tap);
	tap.leave.parts[1].from++;
	tap.leave.parts[1].to++;
	put(2, tap);
	run(see);
	CHECK(count_of[1] == 0 && count_of[2] == 1, "%lu, %lu", count_of[1],
	      count_of[2]);
	close_client(&c);
}

static sigjmp_buf back;

static void jump_back(int signal)
{
	siglongjmp(back, signal);
}

static int jump_by_nothing(void)
{
	signal(SIGSEGV, jump_back);
	if (sigsetjmp(back, 1) == SIGSEGV)
		return 7;
	call_with(operand_table[BY_REGISTER].function, 0, 64);
	return 8;
}

/* A jump whose operand cannot be read faults, and does not leave. */
static void bad_operand(void)
{
	struct sonde_tap tap = leave_at(operand_table[BY_REGISTER].function,
					operand_table[BY_REGISTER].at,
					SONDE_LEAVE_JUMP_OPERAND);

	begin(jump_by_nothing);
	tap.leave = leave_of(BY_REGISTER);
	put(1, tap);
	run(see);
	CHECK(hit_count == 0, "%lu firings", hit_count);
	close_client(&c);
}

/* Frames that are left by longjmp, or by the unwinder of exceptions. */
__asm__("function left\n"
	"	.cfi_startproc\n"
	"	sub $8, %rsp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	call leave_frames\n"
	"	add $8, %rsp\n"
	"	.cfi_def_cfa_offset 8\n"
	"left_at: ret\n"
	"	.cfi_endproc\n");
extern char left_at[];
void left(int how);
enum { STAY, JUMP_BACK, UNWIND };
static jmp_buf above;

__attribute__((used)) void leave_frames(int how)
{
	if (how == JUMP_BACK)
		longjmp(above, 1);
	if (how == UNWIND)
		pthread_exit(NULL);
}

static void *unwind_thread(void *unused)
{
	left(UNWIND);
	return unused;
}

static int leave_otherwise(void)
{
	pthread_t thread;

	for (volatile int n = 0; n < CALLS; n++) {
		left(STAY);
		if (!setjmp(above))
			left(JUMP_BACK);
		if (n % 10)
			continue;
		if (pthread_create(&thread, NULL, unwind_thread, NULL) ||
		    pthread_join(thread, NULL))
			return 8;
	}
	return 7;
}

static void left_frames(void)
{
	begin(leave_otherwise);
	put(1, entry_of(text_of(left)));
	put(2, leave_at(text_of(left), left_at, SONDE_LEAVE_RETURN));
	run(count);
	CHECK(count_of[1] == 2 * CALLS + CALLS / 10, "%lu entries",
	      count_of[1]);
	CHECK(count_of[2] == CALLS, "%lu returns", count_of[2]);
	close_client(&c);
}

/* Recursion, and two exits. */
__asm__("function deep\n"
	"	test %edi, %edi\n"
	"	jz deep_end\n"
	"	sub $8, %rsp\n"
	"	dec %edi\n"
	"	call deep\n"
	"	add $8, %rsp\n"
	"	inc %eax\n"
	"deep_at: ret\n"
	"deep_end:\n"
	"	xor %eax, %eax\n"
	"deep_end_at: ret\n");
extern char deep_at[], deep_end_at[];
int deep(int n);

static int go_deep(void)
{
	return deep(DEPTH) == DEPTH ? 7 : 8;
}

static void recursion(void)
{
	begin(go_deep);
	for (uint32_t id = 1; id <= 3; id++)
		GRANTED(&c, load_words(&c, id, INSNS(word1), 1));
	GRANTED(&c, arm(&c, 1, entry_of(text_of(deep)), path));
	GRANTED(&c, arm(&c, 2, leave_at(text_of(deep), deep_at,
					SONDE_LEAVE_RETURN), path));
	GRANTED(&c, arm(&c, 3, leave_at(text_of(deep), deep_end_at,
					SONDE_LEAVE_RETURN), path));
	run(count);
	CHECK(count_of[1] == DEPTH + 1 && count_of[2] == DEPTH &&
		      count_of[3] == 1,
	      "%lu entries, %lu and %lu returns", count_of[1], count_of[2],
	      count_of[3]);
	close_client(&c);
}

/* Loops that jump to the first instruction. */
__asm__("function looped\n"
	"	dec %edi\n"
	"looped_at: jnz looped\n"
	"	ret\n"
	"function looped_always\n"
	"	dec %edi\n"
	"	jz looped_always_end\n"
	"looped_always_at: jmp looped_always\n"
	"looped_always_end:\n"
	"	ret\n");
extern char looped_at[], looped_always_at[];
void looped(int n), looped_always(int n);

static void loop_in_handler(int signal)
{
	(void)signal;
	shared->count[0]++;
	looped(2);
	looped_always(3);
}

/* Each iteration is interrupted by a signal whose handler does the same. */
static int loop(void)
{
	signal(SIGALRM, loop_in_handler);
	for (int n = 0; n < CALLS || (shared->count[0] < 20 && n < 100 * CALLS);
	     n++) {
		struct itimerval once = { { 0, 0 }, { 0, 1 + any() % 500 } };

		setitimer(ITIMER_REAL, &once, NULL);
		shared->total++;
		looped(n % 7 + 1);
		looped_always(n % 5 + 1);
	}
	signal(SIGALRM, SIG_IGN);
	shared->total += shared->count[0];
	return 7;
}

/* Two probes each; one has its jump armed before its entry. */
static void reentered(void)
{
	const struct sonde_tap taps[] = {
		entry_of(text_of(looped)),
		reenter_at(text_of(looped), looped_at,
			   SONDE_LEAVE_REENTER_IF, 5),
		entry_of(text_of(looped_always)),
		reenter_at(text_of(looped_always), looped_always_at,
			   SONDE_LEAVE_REENTER, 0),
	};

	begin(loop);
	for (uint32_t id = 1; id <= 4; id++) {
		GRANTED(&c, load_words(&c, id, INSNS(word0), 1));
		GRANTED(&c, add_ecb(&c, (struct sonde_ecb){ id, id, id, 0 }));
		for (uint32_t n = 0; n < 2; n++) {
			uint32_t which = (id % 2 ? n : !n) + (id > 2) * 2;
			struct sonde_tap tap = taps[which];

			tap.id = 10 * id + n;
			tap.probe = id;
			GRANTED(&c, arm_tap(&c, tap, path));
		}
	}
	run(count);
	for (uint32_t id = 1; id <= 4; id++)
		CHECK(count_of[id] == shared->total,
		      "probe %u: %lu of %lu calls, %lu signals", id,
		      count_of[id], shared->total, shared->count[0]);
	close_client(&c);
}

/* A place that uprobes cannot probe (notrack) is left out, with a notice. */
__asm__("function not_tracked\n"
	"	nop\n"
	"not_tracked_at: .byte 0x3e, 0xff, 0xe6\n");
extern char not_tracked_at[];
int not_tracked(void);

static int jump_not_tracked(void)
{
	return call_with(text_of(not_tracked), 0,
			 (uintptr_t)operand_outside) == 2 ? 7 : 8;
}

static void refused_by_kernel(void)
{
	struct sonde_tap tap = leave_at(text_of(not_tracked), not_tracked_at,
					SONDE_LEAVE_JUMP_OPERAND);
	char bytes[8192];
	struct sonde_event *event = (void *)bytes;

	begin(jump_not_tracked);
	tap.leave.base = 6;
	put(1, tap);
	CHECK(read(c.fd, bytes, sizeof(bytes)) > (ssize_t)sizeof(*event) &&
		      event->kind == SONDE_EVENT_NOTICE &&
		      strstr((char *)(event + 1), "cannot probe"),
	      "kind %u", event->kind);
	run(see);
	CHECK(hit_count == 0, "%lu firings", hit_count);
	close_client(&c);
}

/* As many sites as a large program has functions, in one file that is named once. */
__asm__("function many\n"
	"	.fill 10000, 1, 0x90\n"
	"	ret\n");
void many(void);

static int run_many(void)
{
	many();
	return 7;
}

static void scale(void)
{
	static struct {
		struct sonde_tap taps[SITES];
		char path[SONDE_PATH_MAX];
	} many_taps;
	static uint32_t ids[SITES];
	struct sonde_tap tap = entry_of(text_of(many));
	uint64_t began, armed, took;

	begin(run_many);
	tap.kind = SONDE_TAP_USER_OFFSET;
	tap.probe = 1;
	GRANTED(&c, load_words(&c, 1, INSNS(word0), 1));
	GRANTED(&c, add_ecb(&c, (struct sonde_ecb){ 1, 1, 1, 0 }));
	for (uint32_t n = 0; n < SITES; n++) {
		many_taps.taps[n] = tap;
		many_taps.taps[n].id = ids[n] = n;
		many_taps.taps[n].offset += n;
	}
	many_taps.taps[0].path_length = strlen(path);
	strcpy(many_taps.path, path);
	began = now();
	GRANTED(&c, request(&c, SONDE_TAP_ARM, 0, SITES, &many_taps,
			    sizeof(many_taps.taps) + strlen(path), NULL, 0));
	armed = now() - began;
	run(count);
	CHECK(count_of[1] == SITES, "%lu firings", count_of[1]);
	began = now();
	GRANTED(&c, request(&c, SONDE_TAP_DISARM, 0, SITES, ids, sizeof(ids),
			    NULL, 0));
	took = now() - began;
	printf("leaves: %d sites armed in %lu ms, disarmed in %lu ms\n", SITES,
	       armed / 1000000, took / 1000000);
	/*
	 * One grace period per site would take minutes. A slow debug kernel
	 * arms as slowly, although that waits for none.
	 */
	CHECK(took < 10 * SECOND || took < armed, "%d sites disarmed in %lu ms", SITES,
	      took / 1000000);
	close_client(&c);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("leaves: seed %lu\n", seed(argc > 1 ? argv[1] : NULL));
	shared = share(sizeof(*shared));
	returns();
	one_instruction(0);
	one_instruction(1);
	one_place();
	conditions();
	operands();
	cold_part();
	bad_operand();
	left_frames();
	recursion();
	reentered();
	refused_by_kernel();
	scale();
	return verdict("leaves");
}
