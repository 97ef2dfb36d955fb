// SPDX-License-Identifier: GPL-2.0
/*
 * Native code and interpreter agree: random programs run in the kernel, and
 * again here in kmod/shared/dif.c, with the same arguments
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "client.h"
#include "random.h"

#define SLOTS 8
#define SPANS 4 /* the last slots: two texts, bytes, a stack */
#define LENGTH_MAX 4096
#define FRAMES 6
#define PROGRAMS 8
#define CALLS 12

/* A page of our memory, far from any other: loads read it, or fault. */
#define MEMORY 0x100000000000ull
#define MEMORY_SIZE 4096

static const char *const texts[] = { "", "short", "exactly-fifteen",
				     "a text that is longer than the most" };

static char *text(int n)
{
	return (char *)MEMORY + 64 * n;
}

static void make_memory(void)
{
	char *memory = mmap((void *)MEMORY, MEMORY_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			    -1, 0);

	if (memory != (void *)MEMORY) {
		perror("jit: mmap");
		exit(1);
	}
	for (int n = 0; n < MEMORY_SIZE; n++)
		memory[n] = any();
	for (int n = 0; n < 4; n++)
		strcpy(text(n), texts[n]);
}

/* Numbers, mostly near limits. */
static uint64_t any_word(void)
{
	static const uint64_t edges[] = {
		0, 1, 2, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000,
		0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff,
		0x8000000000000000, -1ull,
	};

	return any() % 3 ? edges[any() % 16] : any();
}

struct made {
	struct sonde_dif_insn insns[LENGTH_MAX];
	uint8_t kinds[SLOTS];
	uint8_t pool[40];
	struct sonde_dif_program view;
};

#define INSN(...) ((struct sonde_dif_insn){ __VA_ARGS__ })

static struct sonde_dif_insn any_insn(uint32_t left, int loads)
{
	static const uint8_t plain[] = {
		SONDE_DIF_ADD, SONDE_DIF_SUB, SONDE_DIF_MUL, SONDE_DIF_AND,
		SONDE_DIF_OR, SONDE_DIF_XOR, SONDE_DIF_EQ, SONDE_DIF_NE,
		SONDE_DIF_LTS, SONDE_DIF_LES, SONDE_DIF_LTU, SONDE_DIF_LEU,
		SONDE_DIF_DIVS, SONDE_DIF_DIVU, SONDE_DIF_MODS, SONDE_DIF_MODU,
		SONDE_DIF_SHL, SONDE_DIF_SHRS, SONDE_DIF_SHRU,
	};
	uint8_t d = any() % 16, a = any() % 16, b = any() % 16;
	static const int32_t bits[] = { 8, 16, 32 };

	switch (any() % 20) {
	case 0:
		return INSN(SONDE_DIF_LI, d, 0, 0, any());
	case 1:
		return INSN(SONDE_DIF_LC, d, 0, 0, 8 * (any() % 4));
	case 2:
		return INSN(SONDE_DIF_MOV, d, a, 0, 0);
	case 3:
		return INSN(any() % 2 ? SONDE_DIF_NEG : SONDE_DIF_NOT, d, a, 0,
			    0);
	case 4:
		return INSN(any() % 2 ? SONDE_DIF_SX : SONDE_DIF_ZX, d, a, 0,
			    bits[any() % 3]);
	case 5:
		return INSN(any() % 2 ? SONDE_DIF_JZ : SONDE_DIF_JNZ, 0, a, 0,
			    any() % left);
	case 6:
		return INSN(SONDE_DIF_VAR, d, 0, 0, any() % 2);
	case 7:
		return INSN(SONDE_DIF_ARG, d, 0, 0, any() % 10);
	case 8:
		return INSN(SONDE_DIF_LDL, d, 0, 0, any() % 4);
	case 9:
		return INSN(SONDE_DIF_STL, 0, a, 0, any() % 4);
	case 10:
		return INSN(SONDE_DIF_LDT, d, 0, 0, any() % 4);
	case 11:
		return INSN(SONDE_DIF_STT, 0, a, 0, any() % 4);
	case 12:
		return INSN(SONDE_DIF_NAMEQ, d, 0, 0, 32 + any() % 2);
	case 16:
		return INSN(SONDE_DIF_PROGENY, d, a, 0, 0);
	case 13: /* an address for the loads that follow */
		return INSN(SONDE_DIF_LC, d, 0, 0, 0);
	case 14:
		if (loads)
			return INSN(SONDE_DIF_LDU, d, a, 0, 1 << any() % 4);
		break;
	case 15:
		if (loads)
			return INSN(SONDE_DIF_LDS, d, a, 0, 1 << any() % 3);
		break;
	}
	return INSN(plain[any() % sizeof(plain)], d, a, b, 0);
}

/* Captures execname, a text and bytes, of our memory or of none; the stack. */
static uint32_t add_spans(struct made *m, uint32_t n)
{
	int limited = any() % 2;

	m->kinds[SLOTS - 4] = m->kinds[SLOTS - 3] = SONDE_SLOT_TEXT;
	m->kinds[SLOTS - 2] = SONDE_SLOT_BYTES;
	m->kinds[SLOTS - 1] = SONDE_SLOT_STACK;
	m->insns[n++] = INSN(SONDE_DIF_LC, 3, 0, 0, 0);
	m->insns[n++] = INSN(SONDE_DIF_LI, 4, 0, 0, any() % 30);
	m->insns[n++] = limited ?
		INSN(SONDE_DIF_CAPSTRN, SLOTS - 4, 3, 4, 24) :
		INSN(SONDE_DIF_CAPSTR, SLOTS - 4, 3, 0, 24);
	m->insns[n++] = INSN(SONDE_DIF_CAPTEXT, SLOTS - 3, 3, 0,
			     SONDE_DIF_TEXT_EXECNAME);
	m->insns[n++] = INSN(SONDE_DIF_CAPMEM, SLOTS - 2, 3, 4, 24);
	m->insns[n++] = INSN(SONDE_DIF_CAPSTACK, SLOTS - 1, 0, 0,
			     1 + any() % FRAMES);
	return n;
}

static void make_program(struct made *m)
{
	int loads = any() % 2;
	uint32_t n = 0, middle;
	uint64_t address;
	char why[200];

	do {
		memset(m, 0, sizeof(*m));
		address = any() % 8 ? (uintptr_t)text(any() % 4) : any_word();
		memcpy(m->pool, &address, 8);
		for (int w = 1; w < 4; w++) {
			uint64_t word = any_word();

			memcpy(m->pool + 8 * w, &word, 8);
		}
		memcpy(m->pool + 32, "xjit-me", 8);
		for (n = 0; n < 16; n++)
			m->insns[n] = INSN(SONDE_DIF_ARG, n, 0, 0, any() % 6);
		/* one in eight is long: its branches may be too far for native code */
		middle = 16 + (any() % 8 ? any() % 36 : 1024 + any() % 2900);
		while (n < middle) {
			m->insns[n] = any_insn(middle - n + SLOTS, loads);
			n++;
		}
		if (any() % 2)
			m->insns[n++] = INSN(SONDE_DIF_JMP, 0, 0, 0,
					     1 + any() % 4);
		if (any() % 2)
			m->insns[n++] = INSN(.op = any() % 4 ?
						     SONDE_DIF_FAIL :
						     SONDE_DIF_RECORD);
		for (int slot = 0; slot < SLOTS - SPANS; slot++)
			m->insns[n++] = INSN(SONDE_DIF_CAPW, slot, any() % 16,
					     0, 0);
		n = add_spans(m, n);
		m->insns[n++] = INSN(.op = SONDE_DIF_RECORD);
		m->view = (struct sonde_dif_program){
			m->insns, n, SLOTS, m->pool, sizeof(m->pool), 0,
			m->kinds };
	} while (sonde_dif_verify(&m->view, why, sizeof(why)));
}

static uint64_t variable(void *thread, uint32_t which)
{
	(void)thread;
	return which == SONDE_DIF_VAR_PID ? getpid() : syscall(SYS_gettid);
}

/*
 * As in the kernel: absent memory is a fault. A program may read any address in
 * our page, not only the start of a text.
 */
static int text_at(void *thread, uint64_t address, char *to, uint32_t max)
{
	uint32_t n;

	(void)thread;
	for (n = 0; n + 1 < max; n++) {
		if (address + n < MEMORY || address + n >= MEMORY + MEMORY_SIZE)
			return -1;
		to[n] = *(char *)(address + n);
		if (!to[n])
			return n;
	}
	to[n] = 0;
	return n;
}

static int bytes_at(void *thread, uint64_t address, void *to, uint32_t length)
{
	(void)thread;
	if (address < MEMORY || address > MEMORY + MEMORY_SIZE - length)
		return -1;
	memcpy(to, (void *)address, length);
	return 0;
}

/* The stack of the current call, from a program that captures only that. */
static uint64_t frames[FRAMES];
static uint32_t frame_count;

static int stack_here(void *thread, uint64_t *to, uint32_t max)
{
	uint32_t n;

	(void)thread;
	for (n = 0; n < max && n < frame_count; n++)
		to[n] = frames[n];
	return n;
}

/* As /proc says: field 4 of stat, behind the name in parentheses. */
static uint64_t parent_of(uint64_t pid)
{
	char path[32], text[1024], *end;
	FILE *file;
	size_t got;

	snprintf(path, sizeof(path), "/proc/%llu/stat", (unsigned long long)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	got = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[got] = 0;
	end = strrchr(text, ')');
	return end ? strtoull(end + 4, NULL, 10) : 0;
}

static uint64_t descends(void *thread, uint64_t pid)
{
	uint64_t at = getpid();

	(void)thread;
	while (at && at != pid)
		at = parent_of(at);
	return at != 0;
}

static const struct sonde_dif_env env = { .read_user = bytes_at,
					  .read_text = text_at,
					  .variable = variable,
					  .descends = descends,
					  .stack = stack_here };

#define STACK (PROGRAMS + 1) /* the id of that program */

static const struct sonde_record *got[STACK + 1];

static void see(const struct sonde_record *record)
{
	got[record->epid] = record;
}

static void compare(const struct made *m, uint32_t id, const uint64_t *args,
		    uint64_t *locals, uint64_t *thread)
{
	union {
		struct sonde_record record;
		uint8_t bytes[4096];
	} here;
	struct sonde_dif_firing firing = { &env,   NULL,   args,
					   locals, thread, "jit-me" };
	uint32_t size = sonde_dif_run(&m->view, &firing, &here.record);

	CHECK((size > 0) == (got[id] != NULL), "program %u: size %u", id, size);
	if (!size || !got[id])
		return;
	CHECK(got[id]->size == size && got[id]->slots == here.record.slots &&
		      got[id]->flags == here.record.flags &&
		      got[id]->faults == here.record.faults,
	      "program %u: frame", id);
	for (int slot = 0; slot < here.record.slots; slot++)
		CHECK(got[id]->slot[slot] == here.record.slot[slot],
		      "program %u slot %d: %lx, not %lx", id, slot,
		      got[id]->slot[slot], here.record.slot[slot]);
	CHECK(!memcmp(got[id]->slot, here.record.slot,
		      size - sizeof(here.record)),
	      "program %u: texts", id);
}

static void load_stack(struct client *c)
{
	static const uint8_t kind = SONDE_SLOT_STACK;
	static const struct sonde_dif_insn insns[] = {
		{ SONDE_DIF_CAPSTACK, 0, 0, 0, FRAMES },
		{ .op = SONDE_DIF_RECORD },
	};

	GRANTED(c, load_kinds(c, STACK, INSNS(insns), 1, &kind));
}

static void take_stack(void)
{
	const struct sonde_record *record = got[STACK];
	uint64_t where = (uintptr_t)syscall;

	frame_count = 0;
	CHECK(record, "no stack");
	if (!record)
		return;
	frame_count = SONDE_SPAN_LENGTH(record->slot[0]) / 8;
	CHECK(frame_count >= 2 && frame_count <= FRAMES, "%u frames",
	      frame_count);
	memcpy(frames, (char *)record + SONDE_SPAN_OFFSET(record->slot[0]),
	       8 * frame_count);
	CHECK(frames[0] > where && frames[0] < where + 64,
	      "the call is at %lx, not in syscall()", frames[0]);
}

/* Returns the number of records that were compared. */
static uint64_t round_of(void)
{
	struct sonde_tap tap = { .id = 1, .probe = 1, .pid = getpid(),
				 .kind = SONDE_TAP_SYSCALL_ENTRY,
				 .number = SYS_getppid };
	uint64_t locals[SONDE_DIF_LOCALS], thread[SONDE_DIF_THREAD] = { 0 };
	struct sonde_ecb ecbs[STACK];
	static struct made made[PROGRAMS];
	struct client c;
	uint64_t seen = 0;

	GRANTED(&c, open_session(&c, 1 << 20));
	for (uint32_t n = 0; n < PROGRAMS; n++) {
		make_program(&made[n]);
		GRANTED(&c, load_program(&c, n + 1, &made[n].view));
		ecbs[n] = (struct sonde_ecb){ n + 1, 1, n + 1, 0 };
	}
	load_stack(&c);
	ecbs[PROGRAMS] = (struct sonde_ecb){ STACK, 1, STACK, 0 };
	GRANTED(&c, request(&c, SONDE_ECB_ADD, 0, LENGTH(ecbs), ecbs, sizeof(ecbs), NULL,
			    0));
	GRANTED(&c, arm_tap(&c, tap, NULL));
	go(&c);
	for (int call = 0; call < CALLS; call++) {
		uint64_t args[SONDE_DIF_ARGS] = { any_word(), any_word(),
						  any_word(), any_word(),
						  any_word(), any_word() };

		syscall(SYS_getppid, args[0], args[1], args[2], args[3],
			args[4], args[5]);
		memset(got, 0, sizeof(got));
		memset(locals, 0, sizeof(locals));
		seen += drain(&c, see);
		take_stack();
		for (uint32_t n = 0; n < PROGRAMS; n++)
			compare(&made[n], n + 1, args, locals, thread);
	}
	close_client(&c);
	return seen;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 200;
	uint64_t records = 0;

	printf("jit: seed %lu\n", seed(argc > 2 ? argv[2] : NULL));
	make_memory();
	prctl(PR_SET_NAME, "jit-me");
	for (int round = 0; round < rounds && failures < 10; round++)
		records += round_of();
	printf("jit: %d programs, %lu records\n", rounds * PROGRAMS, records);
	return verdict("jit");
}
