// SPDX-License-Identifier: GPL-2.0
/*
 * What programs read of the kernel: its memory, its stacks, curthread; and
 * which sessions may have such programs
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "child.h"

static struct client c;

enum { BANNER, COMMAND_LINE, NOWHERE, OURS, ADDRESSES };

static const char *const names[] = { "linux_banner", "saved_command_line" };
static uint64_t pool[ADDRESSES];
static uint64_t own_begin = -1ull, own_end, getppid_at; /* the module's text; the call */

/* Reads addresses from /proc/kallsyms. */
static void read_symbols(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[512], name[256], module[128], type;
	unsigned long at;

	while (file && fgets(line, sizeof(line), file)) {
		module[0] = 0;
		if (sscanf(line, "%lx %c %255s %127s", &at, &type, name,
			   module) < 3)
			continue;
		if (!strcmp(module, "[sonde]") && (type | 0x20) == 't') {
			own_begin = at < own_begin ? at : own_begin;
			own_end = at > own_end ? at : own_end;
		}
		if (!strcmp(name, "__x64_sys_getppid"))
			getppid_at = at;
		for (int n = 0; n < 2; n++)
			if (!strcmp(name, names[n]))
				pool[n] = at;
	}
	CHECK(file && pool[BANNER] && pool[COMMAND_LINE] && getppid_at &&
		      own_begin < own_end,
	      "kallsyms");
	pool[NOWHERE] = 0xffff800000000000ull; /* an address hole of x86-64 */
	pool[OURS] = (uintptr_t)names;
}

static int load(uint32_t id, const struct sonde_dif_insn *insns,
		uint32_t length, uint32_t slots, const uint8_t *kinds)
{
	struct sonde_dif_program program = {
		insns, length, slots, (const uint8_t *)pool, sizeof(pool), 0,
		kinds
	};

	return load_program(&c, id, &program);
}

#define INSN(name, ...) { SONDE_DIF_##name, __VA_ARGS__ }
#define ADDRESS(d, which) INSN(LC, d, 0, 0, 8 * (which))

/* Slots of the program below. */
enum { TEXT, BYTES, LINE, THREAD, FAULT_LOAD, FAULT_TEXT, FAULT_BYTES,
       FAULT_USER, STACK, CALLER, DEPTH, SLOTS };

static const struct sonde_dif_insn everything[] = {
	ADDRESS(0, BANNER),
	INSN(CAPKSTR, TEXT, 0, 0, 13),
	INSN(LI, 1, 0, 0, 5),
	INSN(CAPKMEM, BYTES, 0, 1, 5),
	ADDRESS(0, COMMAND_LINE),
	INSN(LDK, 0, 0, 0, 8),
	INSN(CAPKSTR, LINE, 0, 0, 255),
	INSN(VAR, 0, 0, 0, SONDE_DIF_VAR_CURTHREAD),
	INSN(CAPW, THREAD, 0, 0, 0),
	ADDRESS(2, NOWHERE),
	INSN(LDK, 3, 2, 0, 4),
	INSN(CAPW, FAULT_LOAD, 3, 0, 0),
	INSN(CAPKSTR, FAULT_TEXT, 2, 0, 9),
	INSN(CAPKMEM, FAULT_BYTES, 2, 1, 9),
	ADDRESS(2, OURS),
	INSN(LDK, 3, 2, 0, 8),
	INSN(CAPW, FAULT_USER, 3, 0, 0),
	INSN(CAPKSTACK, STACK, 0, 0, 64),
	INSN(VAR, 0, 0, 0, SONDE_DIF_VAR_CALLER),
	INSN(CAPW, CALLER, 0, 0, 0),
	INSN(VAR, 0, 0, 0, SONDE_DIF_VAR_STACKDEPTH),
	INSN(CAPW, DEPTH, 0, 0, 0),
	{ .op = SONDE_DIF_RECORD },
};
static const uint8_t kinds[SLOTS] = {
	[TEXT] = SONDE_SLOT_TEXT, [BYTES] = SONDE_SLOT_BYTES,
	[LINE] = SONDE_SLOT_TEXT, [FAULT_TEXT] = SONDE_SLOT_TEXT,
	[FAULT_BYTES] = SONDE_SLOT_BYTES, [STACK] = SONDE_SLOT_KERNEL_STACK,
};

static uint64_t thread;
static int at_entry;

static const void *span(const struct sonde_record *record, int slot)
{
	return (const char *)record + SONDE_SPAN_OFFSET(record->slot[slot]);
}

/* Older kernels have no direct calls, and fire entries before the call's function. */
static bool has_direct_calls(void)
{
	struct utsname kernel;

	return !uname(&kernel) && atoi(kernel.release) >= 6;
}

static void see_stack(const struct sonde_record *record)
{
	const uint64_t *frames = span(record, STACK);
	uint32_t count = SONDE_SPAN_LENGTH(record->slot[STACK]) / 8;

	CHECK(count >= (has_direct_calls() ? 3 : 2) && count < 64, "%u frames",
	      count);
	CHECK(record->slot[DEPTH] == count, "depth %lu of %u",
	      record->slot[DEPTH], count);
	CHECK(count >= 2 && record->slot[CALLER] == frames[1], "caller");
	for (uint32_t n = 0; n < count; n++)
		CHECK((int64_t)frames[n] < 0 &&
			      (frames[n] < own_begin || frames[n] > own_end),
		      "frame %u: %lx", n, frames[n]);
	if (at_entry && has_direct_calls())
		CHECK(frames[0] - getppid_at < 32, "%lx, not getppid %lx",
		      frames[0], getppid_at);
}

static void see(const struct sonde_record *record)
{
	const uint64_t faults = 1 << FAULT_LOAD | 1 << FAULT_TEXT |
				1 << FAULT_BYTES | 1 << FAULT_USER;
	char line[256] = "";
	int fd = open("/proc/cmdline", O_RDONLY);
	ssize_t got = read(fd, line, 255);

	close(fd);
	if (got > 0 && got < 255)
		line[got - 1] = 0; /* its newline */
	CHECK(record->faults == faults, "faults %lx", record->faults);
	CHECK(!strcmp(span(record, TEXT), "Linux version"), "%s",
	      (char *)span(record, TEXT));
	CHECK(!memcmp(span(record, BYTES), "Linux", 5), "bytes");
	CHECK(!strcmp(span(record, LINE), line), "'%s' for '%s'",
	      (char *)span(record, LINE), line);
	for (int n = FAULT_LOAD; n <= FAULT_BYTES; n++)
		CHECK(record->slot[n] == pool[NOWHERE], "address %lx",
		      record->slot[n]);
	CHECK(record->slot[FAULT_USER] == pool[OURS], "address %lx",
	      record->slot[FAULT_USER]);
	CHECK((int64_t)record->slot[THREAD] < 0, "curthread %lx",
	      record->slot[THREAD]);
	CHECK(!thread || thread == record->slot[THREAD], "two threads");
	thread = record->slot[THREAD];
	see_stack(record);
}

static void seen_by_root(int kind)
{
	struct sonde_tap tap = { .kind = kind, .number = SYS_getppid,
				 .pid = getpid() };
	uint64_t seen;

	GRANTED(&c, open_session(&c, 1 << 16));
	GRANTED(&c, load(1, INSNS(everything), SLOTS, kinds));
	GRANTED(&c, arm(&c, 1, tap, NULL));
	go(&c);
	at_entry = kind == SONDE_TAP_SYSCALL_ENTRY;
	for (int n = 0; n < 10; n++)
		syscall(SYS_getppid);
	seen = drain(&c, see);
	CHECK(seen == 10, "%lu seen", seen);
	close_client(&c);
}

static uint64_t samples, empty;

static void see_sample(const struct sonde_record *record)
{
	const uint64_t *frames = span(record, 0);
	uint32_t count = SONDE_SPAN_LENGTH(record->slot[0]) / 8;

	samples++;
	empty += !count;
	CHECK(!count == !record->slot[1], "%u frames at %lx", count,
	      record->slot[1]);
	CHECK(!count || frames[0] == record->slot[1], "%lx is not %lx",
	      frames[0], record->slot[1]);
}

/* The stack of a sample begins where the kernel was interrupted; it is empty if user code was. */
static void sampled(void)
{
	static const struct sonde_dif_insn stack[] = {
		INSN(CAPKSTACK, 0, 0, 0, 32), INSN(ARG, 0, 0, 0, 0),
		INSN(CAPW, 1, 0, 0, 0), { .op = SONDE_DIF_RECORD },
	};
	static const uint8_t two[] = { SONDE_SLOT_KERNEL_STACK,
				       SONDE_SLOT_WORD };
	struct sonde_tap tap = { .kind = SONDE_TAP_PROFILE, .offset = 1000000 };

	GRANTED(&c, open_session(&c, 1 << 20));
	GRANTED(&c, load(1, INSNS(stack), 2, two));
	GRANTED(&c, arm(&c, 1, tap, NULL));
	go(&c);
	for (int n = 0; n < 300; n++) {
		for (volatile int spin = 0; spin < 100000; spin++)
			;
		drain(&c, see_sample);
	}
	CHECK(empty > 0 && samples > empty, "%lu samples, %lu empty", samples,
	      empty);
	close_client(&c);
}

static uint64_t sum;

static void add(const struct sonde_record *record)
{
	sum += record->slot[0] + record->slot[1];
}

/* A user other than root gets nothing of the kernel; caller and stackdepth are 0. */
static void not_root(void)
{
	static const struct sonde_dif_insn end = { .op = SONDE_DIF_RECORD };
	static const struct sonde_dif_insn seeing[] = {
		INSN(LDK, 1, 0, 0, 8), INSN(CAPKSTR, 0, 0, 0, 8),
		INSN(CAPKMEM, 0, 0, 0, 8), INSN(CAPKSTACK, 0, 0, 0, 8),
		INSN(VAR, 1, 0, 0, SONDE_DIF_VAR_CURTHREAD),
	};
	static const uint8_t kind[] = { SONDE_SLOT_WORD, SONDE_SLOT_TEXT,
					SONDE_SLOT_BYTES,
					SONDE_SLOT_KERNEL_STACK,
					SONDE_SLOT_WORD };
	static const struct sonde_dif_insn where[] = {
		INSN(VAR, 0, 0, 0, SONDE_DIF_VAR_CALLER),
		INSN(VAR, 1, 0, 0, SONDE_DIF_VAR_STACKDEPTH),
		INSN(CAPW, 0, 0, 0, 0), INSN(CAPW, 1, 1, 0, 0),
		{ .op = SONDE_DIF_RECORD },
	};

	drop_root();
	GRANTED(&c, open_session(&c, 1 << 16));
	for (uint32_t n = 0; n < LENGTH(seeing); n++) {
		const struct sonde_dif_insn insns[] = {
			ADDRESS(0, BANNER), seeing[n], end
		};
		int err = load(n, INSNS(insns), 1, &kind[n]);

		CHECK(err == -EPERM && strstr(c.last.reply.why, "run as root"),
		      "program %u: %d %s", n, err, c.last.reply.why);
	}
	GRANTED(&c, load_words(&c, 9, INSNS(where), 2));
	GRANTED(&c, arm_kind(&c, 9, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid));
	GRANTED(&c, attach(&c, getpid()));
	go(&c);
	syscall(SYS_getppid);
	CHECK(drain(&c, add) == 1 && sum == 0, "addresses: %lx", sum);
	close_client(&c);
}

int main(void)
{
	read_symbols();
	seen_by_root(SONDE_TAP_SYSCALL_ENTRY);
	seen_by_root(SONDE_TAP_SYSCALL_RETURN);
	sampled();
	CHECK(chmod("/dev/sonde", 0666) == 0, "chmod");
	run_apart(not_root);
	return verdict("kernel");
}
