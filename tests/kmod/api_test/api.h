/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the rows of the API test share: victims, engines on them through
 * /dev/utrace_test, and access to their logs.
 */
#ifndef API_H
#define API_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "utrace_test.h"

enum { STOP, INTERRUPT, REPORT, SINGLESTEP, BLOCKSTEP, RESUME, DETACH };
enum {
	E_QUIESCE, E_REAP, E_CLONE, E_EXEC, E_EXIT, E_DEATH, E_ENTRY, E_RETURN,
	E_SIGNAL, E_IGN, E_SSTOP, E_TERM, E_CORE, E_JCTL
};
#define EV(e) (1u << (e))
#define EV_SIGNALS (EV(E_SIGNAL) | EV(E_IGN) | EV(E_SSTOP) | EV(E_TERM) | \
		    EV(E_CORE))
enum {
	S_DELIVER = 0, S_IGN = 0x10, S_TERM = 0x20, S_CORE = 0x30,
	S_STOP = 0x40, S_TSTP = 0x50, S_HOLD = 0x100
};
#define ABORT 0x10
#define RESUMED 0x100
#define CREATE 8
#define EXCLUSIVE 4
#define MATCH_DATA 2
#define MATCH_OPS 1
#define REQUESTS 0x80000000u	/* no report_quiesce */
#define QUIESCES 0x40000000u	/* no report_signal */

/* Values that victims report, in shared memory. */
struct shared {
	volatile long value[16];
	volatile int ready;
};
extern struct shared *shared;

extern int failures;	/* of the current row */

/* For rows in which kernels differ. */
static inline int kernel_before(int major)
{
	struct utsname kernel;

	return !uname(&kernel) && atoi(kernel.release) < major;
}

#define CHECK(cond) do { if (!(cond)) { failures++; \
	printf("    line %d: not %s\n", __LINE__, #cond); } } while (0)
#define EQUAL(a, b) do { long a_ = (a), b_ = (b); if (a_ != b_) { failures++; \
	printf("    line %d: %s is %ld, not %ld\n", __LINE__, #a, a_, b_); \
	} } while (0)

/* Whether the condition becomes true within 5 s. */
#define SOON(cond) ({ int turn_ = 0, is_so_; \
	while (!(is_so_ = !!(cond)) && turn_++ < 2500) \
		pause_ms(2); \
	is_so_; })

/* One row: an item of the contract, and its test. */
struct row {
	const char *name, *item;
	void (*test)(void);
	const char *nearest;	/* the actual behaviour, if it differs */
};

/* One table per section; each ends with an empty row. */
extern const struct row rows_resume[];
extern const struct row rows_syscall[];
extern const struct row rows_signal[];
extern const struct row rows_life[];
extern const struct row rows_calls[];
extern const struct row rows_others[];
extern const struct row rows_finder[];

int make(void);
int result(int r);
int attach_to(int e, pid_t pid, unsigned int flags);
int lookup(int e, unsigned int flags);
int set_events(int e, uint64_t events);
int control(int e, uint32_t action);
int barrier(int e);
void respond(int e, uint32_t event, uint32_t value, uint32_t times,
	     uint32_t op, int64_t argument);
int engine(pid_t pid, uint64_t events);
int ready_engine(pid_t pid, uint64_t events);
void pause_ms(int ms);
int next(int e, uint32_t event, struct utrace_test_entry *entry);
int count(int e, uint32_t event);
int signal_reported(int e, pid_t pid, int signr);
int reports_slowly(int e, int ms);
int stop(int e);
int stops_in(int e, uint32_t event);
pid_t start(void (*body)(void));
void go(void);
int wait_for(pid_t pid);
int state_of(pid_t pid);
int wait_state(pid_t pid, int state);
void finish(pid_t pid);
void end(pid_t pid, int e);
long told(int n);
sigset_t block(int signr);
void v_spin(void);
void v_pause(void);
void v_exit3(void);
void v_ppid(void);
void v_close(void);
void on_hit(int signr);
void v_handler(void);
void v_fork(void);
void v_vfork(void);
void v_exec(void);
void v_segv(void);
void v_threads(void);
void v_group_exit(void);
void v_thread_exec(void);
void wait_ready(int what);
void v_exec32(void);

#endif
