// SPDX-License-Identifier: GPL-2.0
/*
 * The words that a program reads are the event's own, or 0: never what the
 * kernel's stack had there
 *
 * A firing serves all probes of a call one after another. For each kind of
 * probe, two programs are tried: one reads the first arguments, or none, or all
 * of them; the other one reads arg0 to arg9, at once or deferred.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "child.h"

#define WORDS 10
#define CALLS 50

static struct client c;

static const struct sonde_dif_insn none[] = { { .op = SONDE_DIF_RECORD } };
static struct sonde_dif_insn ten[2 * WORDS + 1];
/* Reads ten words, but deferred: it also loads memory that is absent. */
static struct sonde_dif_insn late[2 * WORDS + 3];
static uint64_t expected[WORDS], records, wrong;
static bool known[WORDS]; /* whether expected is */

static void fill(void)
{
	uint32_t n;

	for (n = 0; n < WORDS; n++) {
		ten[2 * n] = (struct sonde_dif_insn){ SONDE_DIF_ARG, 0, 0, 0, n };
		ten[2 * n + 1] = (struct sonde_dif_insn){ SONDE_DIF_CAPW, n, 0, 0, 0 };
	}
	ten[2 * n].op = SONDE_DIF_RECORD;
	late[0] = (struct sonde_dif_insn){ SONDE_DIF_LI, 1, 0, 0, 0x10000 };
	late[1] = (struct sonde_dif_insn){ SONDE_DIF_LDU, 1, 1, 0, 8 };
	memcpy(late + 2, ten, sizeof(ten));
}

static void see(const struct sonde_record *r)
{
	if (r->slots != WORDS)
		return;
	records++;
	for (uint32_t n = 0; n < WORDS; n++)
		if (!(r->faults >> n & 1) && known[n] && r->slot[n] != expected[n]) {
			if (!wrong++)
				printf("word %u is 0x%lx, not 0x%lx\n", n,
				       r->slot[n], expected[n]);
		}
}

__attribute__((noinline, noclone)) static long
function(long a, long b, long d, long e, long f, long g, long h, long i, long j,
	 long k)
{
	__asm__ volatile("" : "+r"(a)::"memory");
	return a + b + d + e + f + g + h + i + j + k;
}

static int make_calls(void)
{
	for (int n = 0; n < CALLS; n++) {
		syscall(SYS_lseek, 99, 22, 33, 44, 55, 66);
		syscall(SYS_execve, "/nowhere", NULL, NULL);
		kill(getpid(), SIGCONT);
		function(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	}
	return 0;
}

struct row {
	const char *name;
	uint32_t kind, number;
	uint32_t first; /* number of words that are known; the others are 0 */
	uint64_t words[WORDS];
};

static const struct row rows[] = {
	{ "entry", SONDE_TAP_SYSCALL_ENTRY, SYS_lseek, 6,
	  { 99, 22, 33, 44, 55, 66 } },
	{ "return", SONDE_TAP_SYSCALL_RETURN, SYS_lseek, 2, { -1ull, -1ull } },
	{ "exec", SONDE_TAP_EXEC, 0, 0, {} },
	{ "exec-failure", SONDE_TAP_EXEC_FAILURE, 0, 1, { ENOENT } },
	{ "function", SONDE_TAP_USER_ENTRY, 0, 10,
	  { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 } },
	{ "lwp-exit", SONDE_TAP_LWP_EXIT, 0, 0, {} },
	{ "signal-send", SONDE_TAP_SIGNAL_SEND, 0, 0, {} },
};

/* Two probes, with programs @a and @b. */
static void two_probes(const struct row *row, uint32_t a, uint32_t b)
{
	struct sonde_tap tap = { .kind = row->kind, .number = row->number };
	char path[SONDE_PATH_MAX], *file = NULL;
	struct child child;

	if (row->kind == SONDE_TAP_USER_ENTRY) {
		tap = function_tap(row->kind, function, path);
		file = path;
	}
	memcpy(expected, row->words, sizeof(expected));
	for (uint32_t n = 0; n < WORDS; n++)
		known[n] = row->kind != SONDE_TAP_SIGNAL_SEND &&
			   (row->kind != SONDE_TAP_LWP_EXIT || n > 1);
	records = wrong = 0;
	GRANTED(&c, open_session(&c, 1 << 18));
	child = start_child(&c, make_calls);
	GRANTED(&c, attach(&c, child.pid));
	GRANTED(&c, load_words(&c, 1, INSNS(none), 0));
	GRANTED(&c, load_words(&c, 2, INSNS(word0), 1));
	GRANTED(&c, load_words(&c, 3, INSNS(ten), WORDS));
	GRANTED(&c, load_words(&c, 4, INSNS(late), WORDS));
	GRANTED(&c, add_ecb(&c, (struct sonde_ecb){ 1, 1, a, 0 }));
	GRANTED(&c, add_ecb(&c, (struct sonde_ecb){ 2, 2, b, 0 }));
	for (tap.id = 1; tap.id <= 2; tap.id++) {
		tap.probe = tap.id;
		GRANTED(&c, arm_tap(&c, tap, file));
	}
	go(&c);
	open_gate(&child);
	CHECK_EXIT(&child, 0);
	drain(&c, see);
	CHECK(wrong == 0, "%s, programs %u and %u: %lu words of %lu records",
	      row->name, a, b, wrong, records);
	CHECK(records > 0, "%s, programs %u and %u: no records", row->name, a, b);
	close_client(&c);
}

static void each_row(bool perfmon)
{
	for (uint32_t n = 0; n < LENGTH(rows); n++) {
		if (rows[n].kind == SONDE_TAP_USER_ENTRY && !perfmon)
			continue;
		two_probes(&rows[n], 1, 3);
		two_probes(&rows[n], 2, 3);
		two_probes(&rows[n], 4, 3);
		two_probes(&rows[n], 2, 4);
	}
}

/* Members are interpreted; root has native code. */
static void as_member(void)
{
	drop_root();
	each_row(false);
}

int main(void)
{
	fill();
	each_row(true);
	CHECK(chmod("/dev/sonde", 0666) == 0, "chmod");
	run_apart(as_member);
	CHECK(chmod("/dev/sonde", 0600) == 0, "chmod");
	return verdict("words");
}
