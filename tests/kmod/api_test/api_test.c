// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the contract of kmod/utrace.h, row by row, on live programs.
 *
 * usage: api_test [NAME]	a table of rows; status 0 if none failed
 *
 * A row starts a victim, which is a child process that waits for go(), attaches
 * engines through /dev/utrace_test, and checks the logs and what the victim's
 * parent, this program, observes.
 */
#define _GNU_SOURCE
#include "api.h"

static const struct {
	const char *title;
	const struct row *rows;
} sections[] = {
	{ "resume actions", rows_resume },
	{ "system calls", rows_syscall },
	{ "signals", rows_signal },
	{ "life", rows_life },
	{ "calls and errors", rows_calls },
	{ "side by side with others", rows_others },
	{ "task finder", rows_finder },
};

static void run(const struct row *row)
{
	failures = 0;
	row->test();
	printf("%-11s %-7s %s%s%s\n", row->name,
	       failures ? "FAIL" : row->nearest ? "nearest" : "pass",
	       row->item, row->nearest ? "; " : "",
	       row->nearest ? row->nearest : "");
}

int main(int argc, char **argv)
{
	const struct rlimit no_core = { 0, 0 };
	int failed = 0, nearest = 0, ran = 0;
	const struct row *row;
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	setrlimit(RLIMIT_CORE, &no_core);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		if (argc == 1)
			printf("-- %s\n", sections[i].title);
		for (row = sections[i].rows; row->name; row++) {
			if (argc > 1 && strcmp(argv[1], row->name))
				continue;
			run(row);
			ran++;
			failed += failures != 0;
			nearest += !failures && row->nearest;
		}
	}
	printf("%d rows, %d nearest, %d failed\n", ran, nearest, failed);
	return failed || !ran;
}
