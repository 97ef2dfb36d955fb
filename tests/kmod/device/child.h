/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Children of a test: those that are traced, behind a gate until everything is
 * armed, and parts of the test that need a process of their own
 */
#ifndef SONDE_TEST_CHILD_H
#define SONDE_TEST_CHILD_H

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "client.h"

struct child {
	pid_t pid; /* 0 in the child */
	int gate; /* a pipe: each byte lets the child pass once */
};

/* As fork(), but the child closes its copy of the session's descriptor. */
static inline struct child fork_child(struct client *c)
{
	struct child child;
	int ends[2];

	if (pipe(ends))
		exit(2);
	fflush(stdout);
	child.pid = fork();
	if (child.pid < 0)
		exit(2);
	if (!child.pid)
		close_client(c);
	child.gate = ends[child.pid != 0];
	close(ends[child.pid == 0]);
	return child;
}

static inline void await_gate(const struct child *child)
{
	char byte;

	if (read(child->gate, &byte, 1) != 1)
		_exit(99);
}

static inline void open_gate(const struct child *child)
{
	CHECK(write(child->gate, "x", 1) == 1, "gate");
}

/* A child that exits with the result of work() after the gate has opened. */
static inline struct child start_child(struct client *c, int (*work)(void))
{
	struct child child = fork_child(c);

	if (child.pid)
		return child;
	await_gate(&child);
	_exit(work());
}

/* The status that wait() returns; -1 if the child did not end and was killed. */
static inline int status_of(const struct child *child)
{
	int status = -1;

	close(child->gate);
	if (!SOON(waitpid(child->pid, &status, WNOHANG) == child->pid))
		kill(child->pid, SIGKILL);
	return status;
}

#define CHECK_EXIT(child, code)                                            \
	do {                                                               \
		int status_ = status_of(child);                            \
                                                                           \
		CHECK(status_ == (code) << 8, "status %x, not exit %d",    \
		      status_, code);                                      \
	} while (0)

#define CHECK_KILLED(child)                                                \
	do {                                                               \
		int status_ = status_of(child);                            \
                                                                           \
		CHECK(status_ == SIGKILL, "status %x", status_);           \
	} while (0)

/* Runs a part of the test in a process of its own, which may give up root. */
static inline void run_apart(void (*part)(void))
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		failures = 0;
		part();
		fflush(stdout);
		_exit(failures != 0);
	}
	waitpid(pid, &status, 0);
	CHECK(status == 0, "status %x of the part apart", status);
}

/* Becomes an ordinary user, but traceable, as after an exec. */
static inline void drop_root(void)
{
	if (setgid(65534) || setuid(65534))
		_exit(2);
	prctl(PR_SET_DUMPABLE, 1);
}

/* Zeroed memory, shared with children. */
static inline void *share(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(2);
	return memory;
}

static inline void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		_exit(3);
}

#endif
