// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that the program has not touched yet is captured all the same, once;
 * memory that is not there is a fault
 */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "client.h"

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
/* the byte at argument 1, a fault; then the text at argument 0 */
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

/* A fresh mapping of a file of a page for each text. */
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
	cpu_set_t one;

	/* In one ring, so in order. */
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		_exit(3);
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

static uint64_t file_offset(const void *address, char *path)
{
	uint64_t at = (uintptr_t)address, low, high, offset;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4400];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4000s", &low, &high,
			   &offset, path) == 4 &&
		    at >= low && at < high) {
			fclose(maps);
			return at - low + offset;
		}
	exit(2);
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
	struct sonde_tap tap = { .kind = kind, .number = number };
	char path[4096] = "";
	int err;

	err = load_kinds(c, id, insns, length, 2, kinds);
	CHECK(err == 0, "load %u: %s", id, c->last.reply.why);
	if (kind == SONDE_TAP_USER_ENTRY)
		tap.offset = tap.function =
			file_offset((void *)probed_function, path);
	err = arm(c, id, tap, *path ? path : NULL);
	CHECK(err == 0, "arm %u: %s", id, c->last.reply.why);
}

#define PUT(id, kind, number, insns) \
	put(&c, id, kind, number, insns, sizeof(insns) / sizeof(insns[0]))

int main(void)
{
	int fd = make_file(), ends[2], status;
	struct client c = { .fd = -1 };
	char byte;
	pid_t pid;

	if (pipe(ends))
		return 2;
	pid = fork();
	if (pid == 0) {
		if (read(ends[0], &byte, 1) == 1)
			work(fd);
		_exit(0);
	}
	CHECK(open_client(&c) == 0 && make_buffers(&c, 1 << 20) == 0, "open");
	CHECK(request(&c, SONDE_ATTACH, 0, pid, NULL, 0, NULL, 0) == 0,
	      "attach: %s", c.last.reply.why);
	PUT(ENTRY, SONDE_TAP_SYSCALL_ENTRY, SYS_openat, at_entry);
	PUT(FUNCTION, SONDE_TAP_USER_ENTRY, 0, in_function);
	PUT(RETURN, SONDE_TAP_SYSCALL_RETURN, SYS_madvise, at_return);
	PUT(NOTHING, SONDE_TAP_SYSCALL_ENTRY, SYS_access, nothing);
	PUT(SAVE, SONDE_TAP_SYSCALL_ENTRY, SYS_madvise, save);
	go(&c);
	CHECK(write(ends[1], "x", 1) == 1, "gate");
	waitpid(pid, &status, 0);
	CHECK(status == 0, "status %x", status);
	drain(&c, see);
	for (int n = ENTRY; n <= NOTHING; n++) {
		CHECK(seen[n] == PAGES, "%d: %lu records", n, seen[n]);
		CHECK(wrong[n] == 0, "%d: %lu wrong", n, wrong[n]);
	}
	CHECK(count_wrong == 0, "variables stored twice: %lu", count_wrong);
	CHECK(drops(&c) == 0, "%lu drops", drops(&c));
	close_client(&c);
	printf("absent: %s\n", failures ? "FAILED" : "passed");
	return failures != 0;
}
