// SPDX-License-Identifier: GPL-2.0
/*
 * What a tap adds to a system call: ns, which are instructions where the guest
 * counts them (run --icount). The least of several batches, the bare call off.
 */
#include <sys/syscall.h>
#include <time.h>

#include "client.h"

#define BATCH 2000
#define BATCHES 20

static const struct sonde_dif_insn bare[] = { { .op = SONDE_DIF_RECORD } };

static const struct sonde_dif_insn named[] = {
	{ SONDE_DIF_LI, 0, 0, 0, 0 },
	{ SONDE_DIF_CAPTEXT, 0, 0, 0, SONDE_DIF_TEXT_EXECNAME },
	{ .op = SONDE_DIF_RECORD },
};

static const struct sonde_dif_insn six_words[] = {
	{ SONDE_DIF_ARG, 0, 0, 0, 0 }, { SONDE_DIF_CAPW, 0, 0, 0, 0 },
	{ SONDE_DIF_ARG, 0, 0, 0, 1 }, { SONDE_DIF_CAPW, 1, 0, 0, 0 },
	{ SONDE_DIF_ARG, 0, 0, 0, 2 }, { SONDE_DIF_CAPW, 2, 0, 0, 0 },
	{ SONDE_DIF_ARG, 0, 0, 0, 3 }, { SONDE_DIF_CAPW, 3, 0, 0, 0 },
	{ SONDE_DIF_ARG, 0, 0, 0, 4 }, { SONDE_DIF_CAPW, 4, 0, 0, 0 },
	{ SONDE_DIF_ARG, 0, 0, 0, 5 }, { SONDE_DIF_CAPW, 5, 0, 0, 0 },
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

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint64_t measure(struct client *c)
{
	uint64_t least = -1;

	for (int batch = 0; batch < BATCHES; batch++) {
		uint64_t start = now(), took;

		for (int n = 0; n < BATCH; n++)
			syscall(SYS_getppid);
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
	struct sonde_tap tap = { .kind = row->kind, .number = row->number };
	struct {
		struct sonde_program_payload head;
		uint8_t bytes[1024];
	} program = { .head = { row->length, row->slots, 0, 0 } };
	uint32_t size = row->length * sizeof(*row->insns);
	struct client c;

	CHECK(open_client(&c) == 0 && make_buffers(&c, 4 << 20) == 0, "open");
	if (row->target)
		CHECK(request(&c, SONDE_ATTACH, 0, row->target, NULL, 0, NULL,
			      0) == 0,
		      "attach: %s", c.last.reply.why);
	memcpy(program.bytes, row->insns, size);
	memset(program.bytes + size, row->slot_kind, row->slots);
	for (uint32_t id = 1; id <= 2; id++)
		CHECK(request(&c, SONDE_PROGRAM_LOAD, id, 0, &program,
			      sizeof(program.head) + size + row->slots, NULL,
			      0) == 0,
		      "load: %s", c.last.reply.why);
	CHECK(arm(&c, 1, tap, NULL) == 0, "arm: %s", c.last.reply.why);
	tap.kind = SONDE_TAP_SYSCALL_RETURN;
	if (row->both)
		CHECK(arm(&c, 2, tap, NULL) == 0, "arm");
	go(&c);
	printf("cost: %-40s %5ld\n", row->name, (long)(measure(&c) - base));
	CHECK(drops(&c) == 0, "drops");
	close_client(&c);
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

	sleep(4); /* the kernel is busy with its own start */
	base = measure(NULL);
	printf("cost: %-40s %5lu\n", "getppid alone", base);
	for (unsigned n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
		measure_row(&rows[n], base);
	return failures != 0;
}
