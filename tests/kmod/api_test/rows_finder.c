// SPDX-License-Identifier: GPL-2.0
/* The task finder. */
#define _GNU_SOURCE
#include "api.h"

static int find_with(struct utrace_test_find f)
{
	int e = make();

	EQUAL(result(ioctl(e, UTRACE_TEST_FIND, &f)), 0);
	return e;
}

static int find(pid_t pid, const char *path)
{
	struct utrace_test_find f = { .pid = pid };

	snprintf(f.path, sizeof(f.path), "%s", path);
	return find_with(f);
}

static void v_map(void)
{
	char *p = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	shared->value[0] = (long)p;
	mprotect(p, 4096, PROT_READ | PROT_WRITE);
	munmap(p, 8192);
}

static void r_find_pid(void)
{
	struct utrace_test_entry entry;
	pid_t pid = start(v_map);
	int e = find(pid, "");

	CHECK(next(e, UTRACE_TEST_FOUND, &entry));
	EQUAL(entry.a, pid);
	EQUAL(entry.b, 1);
	go();
	CHECK(next(e, UTRACE_TEST_MAPPED, &entry));
	EQUAL(wait_for(pid), 0);
	EQUAL(entry.a, shared->value[0]);
	EQUAL(entry.b, 8192);
	EQUAL(entry.c, PROT_READ);
	CHECK(next(e, UTRACE_TEST_PROTECTED, &entry));
	EQUAL(entry.b, 4096);
	CHECK(next(e, UTRACE_TEST_UNMAPPED, &entry));
	EQUAL(entry.a, shared->value[0]);
	CHECK(next(e, UTRACE_TEST_GONE, &entry));
	EQUAL(entry.b, 1);
	close(e);
}

/* The second page of this program's file. */
static void v_map_file(void)
{
	int file = open("/proc/self/exe", O_RDONLY);

	shared->value[0] = (long)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file,
				      4096);
}

/* A mapping of a file is reported with its file and the offset there. */
static void r_find_file(void)
{
	struct utrace_test_entry entry;
	pid_t pid = start(v_map_file);
	int e = find(pid, ""), seen = 0;

	go();
	EQUAL(wait_for(pid), 0);
	while (read(e, &entry, sizeof(entry)) > 0) {
		if (entry.event != UTRACE_TEST_MAPPED ||
		    entry.a != shared->value[0])
			continue;
		seen++;
		EQUAL(entry.b, 4096);
		EQUAL(entry.c, PROT_READ);
		EQUAL(entry.offset, 4096);
		CHECK(strlen(entry.path) > 9 &&
		      !strcmp(entry.path + strlen(entry.path) - 9,
			      "/api_test"));
	}
	EQUAL(seen, 1);
	close(e);
}

/* Only the processes that are looked for pay for it. */
static void r_find_only(void)
{
	pid_t pid = start(v_pause), other = fork();
	int e, none = make();

	if (!other) {
		for (;;)
			pause();
	}
	e = find(pid, "");
	CHECK(next(e, UTRACE_TEST_FOUND, NULL));
	EQUAL(attach_to(none, other, 0), -ENOENT);	/* it has no engine */
	close(e);
	finish(other);
	finish(pid);
	close(none);
}

static void r_find_children(void)
{
	struct utrace_test_entry entry;
	pid_t pid = start(v_fork);
	int e = find(pid, "");

	CHECK(next(e, UTRACE_TEST_FOUND, &entry));
	go();
	CHECK(next(e, UTRACE_TEST_FOUND, &entry));
	EQUAL(wait_for(pid), 0);
	EQUAL(entry.a, shared->value[0]);
	CHECK(next(e, UTRACE_TEST_GONE, &entry));
	CHECK(next(e, UTRACE_TEST_GONE, &entry));
	close(e);
}

static void r_find_path(void)
{
	struct utrace_test_entry entry;
	int e = find(0, "*/bin/tr?e");
	pid_t pid = start(v_exec);

	EQUAL(count(e, UTRACE_TEST_FOUND), 0);
	go();
	CHECK(next(e, UTRACE_TEST_FOUND, &entry));
	EQUAL(entry.a, pid);
	EQUAL(wait_for(pid), 0);
	CHECK(next(e, UTRACE_TEST_GONE, &entry));
	EQUAL(entry.a, pid);
	close(e);
}

static void r_find_all(void)
{
	pid_t pid = start(v_spin);
	int e = find(0, "");

	CHECK(count(e, UTRACE_TEST_FOUND) >= 3);
	close(e);
	EQUAL(state_of(pid), 'R');
	finish(pid);
}

/* Threads that are only followed have no engine, and their calls cost nothing more. */
static void r_find_none(void)
{
	struct utrace_test_entry entry;
	pid_t pid = start(v_fork);
	int e = find_with((struct utrace_test_find){ .no_calls = 1 });
	int none = make();

	EQUAL(attach_to(none, pid, 0), -ENOENT);
	go();
	EQUAL(wait_for(pid), 0);
	do
		CHECK(next(e, UTRACE_TEST_GONE, &entry));
	while (entry.a != pid);
	EQUAL(entry.b, 1);
	close(e);
	close(none);
}

/* A thread is reported in its creator, before it runs. */
static void r_find_thread(void)
{
	struct utrace_test_entry entry;
	pid_t pid = start(v_threads);
	int e = find_with((struct utrace_test_find){ .pid = pid,
						     .no_calls = 1 });

	CHECK(next(e, UTRACE_TEST_FOUND, &entry));
	EQUAL(entry.b, 1);
	go();
	CHECK(next(e, UTRACE_TEST_FOUND, &entry));
	EQUAL(entry.b, 0);
	EQUAL(entry.tid, pid);
	CHECK(entry.a != pid);
	finish(pid);
	close(e);
}

/* The process runs another program, which does not match: nothing of it is reported. */
static void r_find_left(void)
{
	struct utrace_test_entry entry;
	pid_t pid = start(v_exec);
	int e = find(0, "*/api_test"), gone = 0, mapped = 0;

	CHECK(next(e, UTRACE_TEST_FOUND, NULL));
	go();
	EQUAL(wait_for(pid), 0);
	while (read(e, &entry, sizeof(entry)) > 0) {
		gone += entry.event == UTRACE_TEST_GONE && entry.a == pid;
		mapped += entry.event == UTRACE_TEST_MAPPED &&
			  entry.tid == pid;
	}
	EQUAL(gone, 1);
	EQUAL(mapped, 0);
	close(e);
}

static void v_brk(void)
{
	char *p = sbrk(0);

	shared->value[0] = ((long)p + 4095) & ~4095L;
	if (brk((void *)(shared->value[0] + 8192)) == 0)
		brk((void *)shared->value[0]);
}

static void r_find_brk(void)
{
	struct utrace_test_entry entry;
	pid_t pid = start(v_brk);
	int e = find(pid, "");

	go();
	CHECK(next(e, UTRACE_TEST_MAPPED, &entry));
	EQUAL(wait_for(pid), 0);
	EQUAL(entry.a, shared->value[0]);
	EQUAL(entry.b, 8192);
	EQUAL(entry.c, PROT_READ | PROT_WRITE);
	CHECK(next(e, UTRACE_TEST_UNMAPPED, &entry));
	EQUAL(entry.a, shared->value[0]);
	EQUAL(entry.b, 8192);
	close(e);
}

/* The mappings of exec itself: at least text, data and the stack. */
static void r_find_exec(void)
{
	struct utrace_test_entry entry;
	int e = find(0, "*/bin/true"), found = 0, text = 0, data = 0;
	pid_t pid = start(v_exec);

	go();
	EQUAL(wait_for(pid), 0);
	while (read(e, &entry, sizeof(entry)) > 0) {
		found += entry.event == UTRACE_TEST_FOUND;
		if (entry.event != UTRACE_TEST_MAPPED || !found)
			continue;
		text += entry.c == (PROT_READ | PROT_EXEC) && entry.path[0];
		data += entry.c == (PROT_READ | PROT_WRITE);
	}
	CHECK(text >= 2);	/* of the program and of the linker */
	CHECK(data >= 2);
	close(e);
}

/* A page is moved away from its mapping, which stays; then moved, and gone. */
static void v_remap(void)
{
	char *from = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *to = (char *)syscall(SYS_mremap, from, 4096, 4096,
				   MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0);

	shared->value[0] = (long)from;
	shared->value[1] = (long)to;
	shared->value[2] = (long)mremap(to, 4096, 1 << 20, MREMAP_MAYMOVE);
}

static void r_find_remap(void)
{
	struct utrace_test_entry entry;
	pid_t pid = start(v_remap);
	int e = find(pid, ""), kept = 0, moved = 0, mapped = 0;

	go();
	EQUAL(wait_for(pid), 0);
	while (read(e, &entry, sizeof(entry)) > 0) {
		mapped += entry.event == UTRACE_TEST_MAPPED &&
			(entry.a == shared->value[1] ||
			 entry.a == shared->value[2]);
		if (entry.event != UTRACE_TEST_UNMAPPED)
			continue;
		kept += entry.a == shared->value[0];
		moved += entry.a == shared->value[1];
	}
	EQUAL(mapped, 2);
	EQUAL(kept, 0);
	EQUAL(moved, 1);
	close(e);
}

/* A 32-bit program: mmap2(8192), brk(+4096), munmap. */
static void r_find_32(void)
{
	struct utrace_test_entry entry;
	pid_t pid = start(v_exec32);
	int e = find(pid, ""), mapped = 0, unmapped = 0, grown = 0;
	long address = 0;

	go();
	EQUAL(wait_for(pid), 0);
	while (read(e, &entry, sizeof(entry)) > 0) {
		if (entry.event == UTRACE_TEST_MAPPED && entry.b == 12288 &&
		    entry.c == PROT_READ) {
			mapped++;
			address = entry.a;
		}
		grown += entry.event == UTRACE_TEST_MAPPED &&
			entry.b == 20480;
		unmapped += entry.event == UTRACE_TEST_UNMAPPED &&
			entry.a == address && entry.b == 12288;
	}
	EQUAL(mapped, 1);
	EQUAL(grown, 1);
	EQUAL(unmapped, 1);
	close(e);
}

const struct row rows_finder[] = {
	{ "findpid", "finder by pid; mmap, mprotect, munmap; gone",
	  r_find_pid, "told after the call" },
	{ "findfile", "finder: path and offset of a mapped file", r_find_file,
	  NULL },
	{ "findonly", "finder by pid: no engine on others", r_find_only, NULL },
	{ "findchild", "finder: children of a pid", r_find_children, NULL },
	{ "findpath", "finder by wildcard, at exec", r_find_path, NULL },
	{ "findall", "finder of all threads", r_find_all, NULL },
	{ "findnone", "finder without mappings: no engine on anybody",
	  r_find_none, NULL },
	{ "findthread", "finder by pid: threads, before they run",
	  r_find_thread, NULL },
	{ "findleft", "finder by path: gone at another program's exec",
	  r_find_left, NULL },
	{ "findbrk", "finder: brk, both ways", r_find_brk, NULL },
	{ "findremap", "finder: mremap, with and without its old mapping",
	  r_find_remap, NULL },
	{ "findexec", "finder: exec's own mappings", r_find_exec, NULL },
	{ "find32", "finder: mmap2, brk, munmap of a 32-bit program",
	  r_find_32, NULL },
	{ NULL, NULL, NULL, NULL }
};
