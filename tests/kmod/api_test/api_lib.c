// SPDX-License-Identifier: GPL-2.0
/* Engines, logs and victims for the rows: see api.h. */
#define _GNU_SOURCE
#include "api.h"

struct shared *shared;
int failures;

/* Engines. */

int make(void)
{
	return open("/dev/utrace_test", O_RDWR | O_CLOEXEC);
}

int result(int r)
{
	return r < 0 ? -errno : r;
}

int attach_to(int e, pid_t pid, unsigned int flags)
{
	struct utrace_test_attach a = { .pid = pid, .flags = flags };

	return result(ioctl(e, UTRACE_TEST_ATTACH, &a));
}

int lookup(int e, unsigned int flags)
{
	struct utrace_test_attach a = { .flags = flags };

	return result(ioctl(e, UTRACE_TEST_LOOKUP, &a));
}

int set_events(int e, uint64_t events)
{
	return result(ioctl(e, UTRACE_TEST_SET_EVENTS, &events));
}

int control(int e, uint32_t action)
{
	return result(ioctl(e, UTRACE_TEST_CONTROL, &action));
}

int barrier(int e)
{
	return result(ioctl(e, UTRACE_TEST_BARRIER));
}

void respond(int e, uint32_t event, uint32_t value, uint32_t times,
		    uint32_t op, int64_t argument)
{
	struct utrace_test_response r = { event, value, times, op, argument };

	if (ioctl(e, UTRACE_TEST_RESPOND, &r))
		failures++;
}

int engine(pid_t pid, uint64_t events)
{
	int e = make();

	EQUAL(attach_to(e, pid, CREATE), 0);
	EQUAL(set_events(e, events), 0);
	return e;
}

/* The same, and the victim continues until it reports that it is ready. */
int ready_engine(pid_t pid, uint64_t events)
{
	int e = engine(pid, events);

	go();
	wait_ready(3);
	return e;
}

/* Logs. */

void pause_ms(int ms)
{
	usleep(ms * 1000);
}

static int find(int e, uint32_t event, struct utrace_test_entry *entry)
{
	while (read(e, entry, sizeof(*entry)) > 0)
		if (entry->event == event)
			return 1;
	return 0;
}

/* The next entry of @event, within 5 s; skips others. */
int next(int e, uint32_t event, struct utrace_test_entry *entry)
{
	struct utrace_test_entry own;

	return SOON(find(e, event, entry ? entry : &own));
}

/* The number of entries of @event that are left. */
int count(int e, uint32_t event)
{
	struct utrace_test_entry entry;
	int n = 0;

	while (read(e, &entry, sizeof(entry)) > 0)
		n += entry.event == event;
	return n;
}

/* Sends a signal, and checks that the engine gets it. */
int signal_reported(int e, pid_t pid, int signr)
{
	kill(pid, signr);
	return next(e, E_SIGNAL, NULL);
}

/* Requests a report_quiesce(0) that sleeps @ms; returns when it has begun. */
int reports_slowly(int e, int ms)
{
	respond(e, UTRACE_TEST_NO_EVENT, RESUME, 1, UTRACE_TEST_SLEEP, ms);
	EQUAL(control(e, REPORT), 0);
	return next(e, UTRACE_TEST_NO_EVENT, NULL);
}

/* Repeats control(STOP) until the thread has stopped. */
int stop(int e)
{
	int err = 0;

	SOON((err = control(e, STOP)) != -EINPROGRESS);
	return err;
}

/* Releases the victim, which must stop in the report of @event. */
int stops_in(int e, uint32_t event)
{
	respond(e, event, STOP, 1, 0, 0);
	go();
	return next(e, event, NULL) && stop(e) == 0;
}

/* Victims. */

pid_t start(void (*body)(void))
{
	pid_t pid;

	memset((void *)shared, 0, sizeof(*shared));
	pid = fork();
	if (!pid) {
		alarm(60);
		shared->ready = 1;
		while (shared->ready != 2)
			;
		body();
		_exit(0);
	}
	while (!shared->ready)
		pause_ms(1);
	return pid;
}

void go(void)
{
	shared->ready = 2;
}

int wait_for(pid_t pid)
{
	int status = -1;

	if (SOON(waitpid(pid, &status, WNOHANG) == pid))
		return status;
	printf("    pid %d did not end\n", pid);
	failures++;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return status;
}

int state_of(pid_t pid)
{
	char path[64], text[256], *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	p = strrchr(text, ')');
	return p ? p[2] : 0;
}

int wait_state(pid_t pid, int state)
{
	return SOON(state_of(pid) == state);
}

void finish(pid_t pid)
{
	kill(pid, SIGKILL);
	wait_for(pid);
}

void end(pid_t pid, int e)
{
	finish(pid);
	close(e);
}

/* The value @n that the victim reports; it must not be 0. */
long told(int n)
{
	SOON(shared->value[n]);
	return shared->value[n];
}

/* In a victim: blocks a signal. Returns a set with only that signal. */
sigset_t block(int signr)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signr);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return set;
}

void v_spin(void) { for (;;) shared->value[0]++; }
void v_pause(void) { shared->value[1] = pause(); }
void v_exit3(void) { _exit(3); }
void v_ppid(void)
{
	errno = 0;
	shared->value[0] = syscall(SYS_getppid, 11);
	shared->value[1] = errno;
}
void v_close(void) { shared->value[0] = syscall(SYS_geteuid); }
void on_hit(int signr) { shared->value[8]++; shared->value[9] = signr; }
void v_handler(void)
{
	signal(SIGUSR1, on_hit);
	signal(SIGUSR2, on_hit);
	shared->ready = 3;
	for (;;)
		shared->value[0]++;
}
void v_fork(void)
{
	pid_t pid = fork();

	if (!pid) {
		shared->value[1] = 1;
		_exit(5);
	}
	shared->value[0] = pid;
	waitpid(pid, (int *)&shared->value[2], 0);
}
void v_vfork(void)
{
	pid_t pid = vfork();

	if (!pid) {
		shared->value[1] = 1;
		_exit(5);
	}
	shared->value[0] = pid;
	waitpid(pid, NULL, 0);
}
void v_exec(void) { execl("/bin/true", "true", NULL); }
void v_segv(void) { *(volatile int *)8 = 1; }
void *spin_thread(void *arg) { for (;;) shared->value[3]++; return arg; }
static void start_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, spin_thread, NULL);
	while (!shared->value[3])
		;
	shared->ready = 3;
}
void v_threads(void)
{
	start_thread();
	v_spin();
}
void v_group_exit(void)
{
	start_thread();
	while (shared->ready != 4)
		;
	_exit(9);
}
void *exec_thread(void *arg)
{
	execl("/bin/true", "true", NULL);
	return arg;
}
void v_thread_exec(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, exec_thread, NULL);
	for (;;)
		pause();
}

void wait_ready(int what)
{
	CHECK(SOON(shared->ready == what));
}

/* The path of the 32-bit program, which is in the same folder. */
static const char *program32(void)
{
	static char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 16);
	char *slash;

	path[length > 0 ? length : 0] = 0;
	slash = strrchr(path, '/');
	strcpy(slash ? slash + 1 : path, "task32");
	return path;
}

void v_exec32(void)
{
	execl(program32(), "task32", NULL);
}
