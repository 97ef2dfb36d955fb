// SPDX-License-Identifier: GPL-2.0
/*
 * The cost that a tap adds to a system call and to a function call: ns, which
 * are instructions if the guest counts them (run --icount). The minimum of
 * several batches, without the cost of the bare call.
 */
#include <sys/syscall.h>

#include "client.h"

#define BATCH 2000
#define BATCHES 20

static const struct sonde_dif_insn bare[] = { { .op = SONDE_DIF_RECORD } };

static const struct sonde_dif_insn named[] = {
	{ SONDE_DIF_LI, 0, 0, 0, 0 },
	{ SONDE_DIF_CAPTEXT, 0, 0, 0, SONDE_DIF_TEXT_EXECNAME },
	{ .op = SONDE_DIF_RECORD },
};

/* pid == 1 */
static const struct sonde_dif_insn never[] = {
	{ SONDE_DIF_VAR, 0, 0, 0, SONDE_DIF_VAR_PID },
	{ SONDE_DIF_LI, 1, 0, 0, 1 },
	{ SONDE_DIF_EQ, 2, 0, 1, 0 },
	{ SONDE_DIF_JNZ, 0, 2, 0, 1 },
	{ .op = SONDE_DIF_FAIL },
	{ .op = SONDE_DIF_RECORD },
};

static void call_kernel(void)
{
	syscall(SYS_getppid);
}

/* The kernel emulates push and jumps; it steps ret and jumps through an operand. */
__asm__("work: push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	cmp %rbp, %rbp\n"
	"work_stays: jne work_away\n"
	"	lea work_near(%rip), %rax\n"
	"work_near_jump: jmp *%rax\n"
	"work_near: lea work_stays(%rip), %rax\n"
	"	pop %rbp\n"
	"work_return: ret\n"
	"work_tail: jmp work_away\n"
	"work_end:\n"
	"work_away: ret\n");
void work(void), work_tail(void);
extern char work_stays[], work_near_jump[], work_return[], work_end[];

static uint64_t measure(struct client *c, void (*call)(void))
{
	uint64_t least = -1;

	for (int batch = 0; batch < BATCHES; batch++) {
		uint64_t start = now(), took;

		for (int n = 0; n < BATCH; n++)
			call();
		took = (now() - start) / BATCH;
		least = took < least ? took : least;
		if (c)
			drain(c, NULL);
	}
	return least;
}

struct row {
	const char *name;
	const struct sonde_dif_insn *insns;
	uint32_t length, slots, kind, number;
	uint8_t slot_kind;
	pid_t target;
	int both;
};

static void measure_row(const struct row *row, uint64_t base)
{
	uint8_t kinds[6];
	struct client c;

	GRANTED(&c, open_session(&c, 4 << 20));
	if (row->target)
		GRANTED(&c, attach(&c, row->target));
	memset(kinds, row->slot_kind, sizeof(kinds));
	for (uint32_t id = 1; id <= 2; id++)
		GRANTED(&c, load_kinds(&c, id, row->insns, row->length,
				       row->slots, kinds));
	GRANTED(&c, arm_kind(&c, 1, row->kind, row->number));
	if (row->both)
		GRANTED(&c, arm_kind(&c, 2, SONDE_TAP_SYSCALL_RETURN,
				     row->number));
	go(&c);
	printf("cost: %-40s %5ld\n", row->name, (long)(measure(&c, call_kernel) - base));
	CHECK(drops(&c) == 0, "drops");
	close_client(&c);
}

static void measure_user(const char *name, void (*call)(void),
			 uint32_t kind, const char *at, struct sonde_leave leave)
{
	uint64_t base = measure(NULL, call);
	char path[SONDE_PATH_MAX];
	struct sonde_tap tap = function_tap(kind, at, path);
	struct client c;

	leave.parts[0].from = (char *)work - at;
	leave.parts[0].to = work_end - at;
	tap.leave = leave;
	GRANTED(&c, open_session(&c, 4 << 20));
	GRANTED(&c, attach(&c, getpid()));
	GRANTED(&c, load_words(&c, 1, bare, 1, 0));
	GRANTED(&c, arm(&c, 1, tap, path));
	go(&c);
	printf("cost: %-40s %5ld\n", name, (long)(measure(&c, call) - base));
	CHECK(drops(&c) == 0, "drops");
	close_client(&c);
}

static void measure_functions(void)
{
	const struct sonde_leave none = {};

	measure_user("function: entry, push", work, SONDE_TAP_USER_ENTRY,
		     (char *)work, none);
	measure_user("function: return, ret", work, SONDE_TAP_USER_RETURN,
		     work_return,
		     (struct sonde_leave){ .how = SONDE_LEAVE_RETURN });
	measure_user("function: return, jmp", work_tail, SONDE_TAP_USER_RETURN,
		     (char *)work_tail,
		     (struct sonde_leave){ .how = SONDE_LEAVE_JUMP });
	measure_user("function: jcc that stays", work, SONDE_TAP_USER_RETURN,
		     work_stays,
		     (struct sonde_leave){ .how = SONDE_LEAVE_JUMP_IF,
					   .condition = 5 });
	measure_user("function: jmp by a register that stays", work,
		     SONDE_TAP_USER_RETURN, work_near_jump,
		     (struct sonde_leave){ .how = SONDE_LEAVE_JUMP_OPERAND,
					   .index = SONDE_LEAVE_NO_REGISTER });
}

int main(void)
{
	static const struct row rows[] = {
		{ "record, no slots", bare, 1, 0, 0, SYS_getppid, 0, 0, 0 },
		{ "record with execname", named, 3, 1, 0, SYS_getppid,
		  SONDE_SLOT_TEXT, 0, 0 },
		{ "record of six arguments", six_words, 13, 6, 0, SYS_getppid,
		  0, 0, 0 },
		{ "predicate that fails (pid)", never, 6, 0, 0, SYS_getppid, 0,
		  0, 0 },
		{ "entry and return, a record each", bare, 1, 0, 0,
		  SYS_getppid, 0, 0, 1 },
		{ "another call is traced", bare, 1, 0, 0, SYS_getuid, 0, 0,
		  0 },
		{ "another process is traced", bare, 1, 0, 0, SYS_getppid, 0,
		  1, 0 },
		{ "only its exit is traced", bare, 1, 0, SONDE_TAP_EXIT, 0, 0,
		  0, 0 },
	};
	uint64_t base;

	sleep(4); /* the kernel is still busy after its start */
	base = measure(NULL, call_kernel);
	printf("cost: %-40s %5lu\n", "getppid alone", base);
	for (unsigned n = 0; n < LENGTH(rows); n++)
		measure_row(&rows[n], base);
	measure_functions();
	return failures != 0;
}
