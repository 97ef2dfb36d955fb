// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that the program has not accessed yet is captured nevertheless, once;
 * memory that does not exist is a fault
 */
#define _GNU_SOURCE
#include <sys/syscall.h>

#include "child.h"

#define PAGES 200
#define TEXT "/no/such/file/%d"

enum { ENTRY = 1, RETURN, FUNCTION, NOTHING, SAVE };

/* self->0 += 1; the text at argument `arg`; self->0 */
#define COUNT_AND_TEXT(arg)                                           \
	{ SONDE_DIF_LDT, 1, 0, 0, 0 }, { SONDE_DIF_LI, 2, 0, 0, 1 },  \
	{ SONDE_DIF_ADD, 1, 1, 2, 0 }, { SONDE_DIF_STT, 0, 1, 0, 0 }, \
	{ SONDE_DIF_ARG, 0, 0, 0, arg },                              \
	{ SONDE_DIF_CAPSTR, 0, 0, 0, 64 },                            \
	{ SONDE_DIF_LDT, 1, 0, 0, 0 }, { SONDE_DIF_CAPW, 1, 1, 0, 0 }, \
	{ .op = SONDE_DIF_RECORD }

static const struct sonde_dif_insn at_entry[] = { COUNT_AND_TEXT(1) };
static const struct sonde_dif_insn in_function[] = { COUNT_AND_TEXT(0) };
/* self->1 = argument 0; nothing is recorded */
static const struct sonde_dif_insn save[] = {
	{ SONDE_DIF_ARG, 0, 0, 0, 0 },
	{ SONDE_DIF_STT, 0, 0, 0, 1 },
	{ .op = SONDE_DIF_FAIL },
};
/* the text at self->1 */
static const struct sonde_dif_insn at_return[] = {
	{ SONDE_DIF_LDT, 0, 0, 0, 1 },
	{ SONDE_DIF_CAPSTR, 0, 0, 0, 64 },
	{ SONDE_DIF_LI, 1, 0, 0, 0 },
	{ SONDE_DIF_CAPW, 1, 1, 0, 0 },
	{ .op = SONDE_DIF_RECORD },
};
/* the byte at argument 1, which faults; then the text at argument 0 */
static const struct sonde_dif_insn nothing[] = {
	{ SONDE_DIF_ARG, 0, 0, 0, 1 },	  { SONDE_DIF_LDU, 1, 0, 0, 1 },
	{ SONDE_DIF_CAPW, 1, 1, 0, 0 },	  { SONDE_DIF_ARG, 0, 0, 0, 0 },
	{ SONDE_DIF_CAPSTR, 0, 0, 0, 64 }, { .op = SONDE_DIF_RECORD },
};

static const uint8_t kinds[] = { SONDE_SLOT_TEXT, SONDE_SLOT_WORD };

static uint64_t seen[8], wrong[8], count_wrong;

static void see(const struct sonde_record *record)
{
	uint32_t which = record->epid;
	const char *text = (const char *)record +
			   SONDE_SPAN_OFFSET(record->slot[0]);
	char expected[64];

	sprintf(expected, TEXT, (int)seen[which]++);
	if (record->faults & 1 || strcmp(text, expected)) {
		if (!wrong[which]++)
			printf("record of %u: faults %lx, '%s', not '%s'\n",
			       which, record->faults,
			       record->faults & 1 ? "" : text, expected);
	}
	if (which == NOTHING) {
		if (record->faults != 2 || record->slot[1] != 16)
			wrong[which]++;
	} else if (which != RETURN && record->slot[1] != seen[ENTRY] +
							   seen[FUNCTION]) {
		count_wrong++;
	}
}

__attribute__((noinline, noclone)) int probed_function(const char *text)
{
	__asm__ volatile("" : "+r"(text));
	return 0;
}

/* For each text a new mapping of a page of the file. */
static char *pages(int fd)
{
	char *map = mmap(NULL, PAGES * 4096, PROT_READ, MAP_PRIVATE, fd, 0);

	if (map == MAP_FAILED)
		_exit(2);
	return map;
}

static void work(int fd)
{
	char *map = pages(fd);

	pin(sched_getcpu()); /* one ring keeps the order */
	for (int n = 0; n < PAGES; n++)
		syscall(SYS_openat, AT_FDCWD, map + n * 4096, O_RDONLY);
	map = pages(fd);
	for (int n = 0; n < PAGES; n++)
		probed_function(map + n * 4096);
	map = pages(fd);
	for (int n = 0; n < PAGES; n++)
		syscall(SYS_madvise, map + n * 4096, 4096, MADV_DONTNEED);
	map = pages(fd);
	for (int n = 0; n < PAGES; n++)
		syscall(SYS_access, map + n * 4096, 16);
}

static int make_file(void)
{
	FILE *file = tmpfile();
	char page[4096] = "";

	for (int n = 0; file && n < PAGES; n++) {
		sprintf(page, TEXT, n);
		fwrite(page, sizeof(page), 1, file);
	}
	if (!file || fflush(file))
		exit(2);
	return fileno(file);
}

static void put(struct client *c, uint32_t id, uint32_t kind, uint32_t number,
		const struct sonde_dif_insn *insns, uint32_t length)
{
	GRANTED(c, load_kinds(c, id, insns, length, 2, kinds));
	GRANTED(c, arm_kind(c, id, kind, number));
}

static void put_in_function(struct client *c)
{
	char path[SONDE_PATH_MAX];
	struct sonde_tap tap = function_tap(SONDE_TAP_USER_ENTRY,
					    probed_function, path);

	GRANTED(c, load_kinds(c, FUNCTION, INSNS(in_function), 2, kinds));
	GRANTED(c, arm(c, FUNCTION, tap, path));
}

int main(void)
{
	struct client c = { .fd = -1 };
	int fd = make_file();
	struct child child = fork_child(&c);

	if (!child.pid) {
		await_gate(&child);
		work(fd);
		_exit(0);
	}
	GRANTED(&c, open_session(&c, 1 << 20));
	GRANTED(&c, attach(&c, child.pid));
	put(&c, ENTRY, SONDE_TAP_SYSCALL_ENTRY, SYS_openat, INSNS(at_entry));
	put_in_function(&c);
	put(&c, RETURN, SONDE_TAP_SYSCALL_RETURN, SYS_madvise,
	    INSNS(at_return));
	put(&c, NOTHING, SONDE_TAP_SYSCALL_ENTRY, SYS_access, INSNS(nothing));
	put(&c, SAVE, SONDE_TAP_SYSCALL_ENTRY, SYS_madvise, INSNS(save));
	go(&c);
	open_gate(&child);
	CHECK_EXIT(&child, 0);
	drain(&c, see);
	for (int n = ENTRY; n <= NOTHING; n++) {
		CHECK(seen[n] == PAGES, "%d: %lu records", n, seen[n]);
		CHECK(wrong[n] == 0, "%d: %lu wrong", n, wrong[n]);
	}
	CHECK(count_wrong == 0, "variables stored twice: %lu", count_wrong);
	CHECK(drops(&c) == 0, "%lu drops", drops(&c));
	close_client(&c);
	return verdict("absent");
}
