// SPDX-License-Identifier: GPL-2.0
/*
 * Victims are created and killed as fast as the kernel can, under engines that
 * are attached, changed and detached at random.
 *
 * A worker creates a victim, attaches an engine with random events and random
 * answers (stop, step, report, detach, another signal action, no system call),
 * kills the victim, and waits for it. Most victims share the worker's memory,
 * which makes them cheap; some have threads; some are forked, and fork, vfork,
 * exec, create threads and fault. Meanwhile tracers attach to, stop, resume,
 * step and leave the same victims, finders start and stop on every thread of
 * the machine, and all victims get signals.
 *
 * Process numbers are reused, so is_victim() is called before each act. A step
 * that was left on in another process would end one of ours, or the shell.
 *
 * usage: torture SECONDS [TIMES MODULE...]
 *
 * With modules, these are loaded TIMES times, for SECONDS each, and unloaded
 * while victims are traced and die. Status 0: each kill ended its victim, and
 * every module could be loaded and unloaded. Problems in the kernel are in its
 * log.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "utrace_test.h"

enum { WORKERS = 4, TRACERS = 2, FINDERS = 2, STACK = 32768 };
enum { PROCESSES = WORKERS + TRACERS + FINDERS + 1 };
enum { PATIENCE = 180, TELL_EVERY = 30 };	/* seconds */

static struct {
	volatile int victims[WORKERS], processes[PROCESSES];
	volatile int eldest;	/* victims have higher numbers than this */
	volatile double since[WORKERS];	/* start times of the victims */
	volatile long kills, traced, ends;
	volatile long attaches, refused, finders, signals;
	volatile int loaded;	/* whether the device exists */
	volatile int open;	/* number of descriptors on it */
	volatile int over;
} *shared;

static char stacks[3][STACK] __attribute__((aligned(64)));

static void add(volatile long *counter)
{
	__sync_fetch_and_add(counter, 1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void pause_us(long us)
{
	const struct timespec t = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&t, NULL);
}

/* The device, or -1 if it does not exist. It is closed when it shall be unloaded. */
static int device(int *fd)
{
	if (shared->loaded && *fd < 0) {
		__sync_fetch_and_add(&shared->open, 1);
		*fd = open("/dev/utrace_test", O_RDWR | O_CLOEXEC);
		if (*fd < 0)
			__sync_fetch_and_sub(&shared->open, 1);
	} else if (!shared->loaded && *fd >= 0) {
		close(*fd);
		*fd = -1;
		__sync_fetch_and_sub(&shared->open, 1);
	}
	return *fd;
}

static bool is_victim(int pid)
{
	return pid > shared->eldest;
}

/*
 * Victims.
 */

static void on_signal(int signr) { (void)signr; }

/* A system call without the C library, because the memory is the worker's. */
static long call(long nr, long a, long b, long c)
{
	long result;

	asm volatile("syscall" : "=a"(result)
		     : "0"(nr), "D"(a), "S"(b), "d"(c)
		     : "rcx", "r11", "memory");
	return result;
}

/*
 * Makes some calls, then waits for a signal: a thread that spins would delay
 * the death of others.
 */
static int small_thread(void *argument)
{
	static const struct timespec moment = { 0, 100000 };
	unsigned int random = (unsigned long)argument;

	for (;;) {
		random = random * 1103515245 + 12345;
		switch (random >> 16 & 15) {
		case 0:
			call(SYS_nanosleep, (long)&moment, 0, 0);
			break;
		case 1:
			call(SYS_kill, call(SYS_getpid, 0, 0, 0), SIGUSR1, 0);
			break;
		case 2:
			call(SYS_sched_yield, 0, 0, 0);
			break;
		case 3:
			if ((random >> 20 & 31) == 0)
				call(random >> 26 & 1 ? SYS_exit_group :
						       SYS_exit, 3, 0, 0);
			break;
		case 4: case 5: case 6:
			call(SYS_pause, 0, 0, 0);
			break;
		default:
			call(SYS_getppid, 0, 0, 0);
		}
	}
	return 0;
}

static int small_group(void *argument)
{
	int i;

	for (i = 1; i < 3; i++)
		clone(small_thread, stacks[i] + STACK,
		      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
		      CLONE_THREAD, (char *)argument + i);
	return small_thread(argument);
}

static pid_t small_victim(bool group)
{
	/* A child without an exit signal is waited for with __WALL. */
	int signal = random() % 4 ? SIGCHLD : 0;

	return clone(group ? small_group : small_thread, stacks[0] + STACK,
		     CLONE_VM | signal, (void *)random());
}

static void *thread(void *arg)
{
	pause_us(random() % 3000);
	return arg;
}

static void threads(void)
{
	pthread_t t[3];
	int i;

	for (i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	if (random() % 2)
		return;
	for (i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

static void child(void)
{
	pid_t pid = random() % 2 ? fork() : vfork();

	if (!pid) {
		if (random() % 2)
			execl("/proc/self/exe", "true", NULL);
		_exit(1);
	}
	if (random() % 4)
		waitpid(pid, NULL, 0);
}

static void big_victim(void)
{
	srandom(getpid());
	alarm(10);
	if (random() % 2)
		signal(SIGCHLD, SIG_IGN);
	for (;;) {
		switch (random() % 7) {
		case 0: child(); break;
		case 1: threads(); break;
		case 2: pause_us(random() % 2000); break;
		case 3: raise(SIGUSR1); break;
		case 4: getppid(); break;
		case 5: if (random() % 10 == 0) *(volatile int *)8 = 1; break;
		default: if (random() % 10 == 0) _exit(random() % 4);
		}
	}
}

static pid_t make_victim(unsigned int kind)
{
	pid_t pid;

	if (kind)
		return small_victim(kind < 5);
	pid = fork();
	if (!pid)
		big_victim();
	return pid;
}

/*
 * Acts on victims
 */

/* SIGKILL must end a victim, whatever the engines do. */
static void end_victim(pid_t pid, bool traced)
{
	int status;

	kill(pid, SIGKILL);
	while (waitpid(pid, &status, __WALL) != pid)
		if (errno != EINTR)
			abort();
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
		add(&shared->ends);
		return;
	}
	add(&shared->kills);
	if (traced)
		add(&shared->traced);
}

static void worker(int slot)
{
	int e = -1;

	signal(SIGUSR1, on_signal);
	/* The core of a victim with our memory would be ours. */
	prctl(PR_SET_DUMPABLE, 0);
	while (!shared->over) {
		unsigned int kind = random() % 24;
		pid_t pid = make_victim(kind);
		bool traced;

		if (pid < 0)
			abort();
		shared->victims[slot] = pid;
		shared->since[slot] = now();
		/* Grace periods shall pass under load, but not under the full storm. */
		if (!shared->loaded)
			pause_us(random() % 100000);
		traced = device(&e) >= 0 && !ioctl(e, UTRACE_TEST_STAY, &pid);
		if (random() % 4 == 0)
			pause_us(random() % (kind ? 300 : 3000));
		else if (random() % 2)
			sched_yield();
		end_victim(pid, traced);
	}
	_exit(0);
}

static void tracer(void)
{
	int e = -1;

	while (!shared->over) {
		int pid = shared->victims[random() % WORKERS];

		/* Sometimes one of its threads or children. */
		if (random() % 3 == 0)
			pid += random() % 4;
		if (device(&e) < 0 || !is_victim(pid))
			pause_us(1000);
		else if (ioctl(e, UTRACE_TEST_TORTURE, &pid))
			add(&shared->refused);
		else
			add(&shared->attaches);
	}
	_exit(0);
}

/* Finders for everything, by path, or by pid; each runs on every thread. */
static void finder(void)
{
	int e = -1;

	while (!shared->over) {
		struct utrace_test_find f = { .pid = 0 };

		if (random() % 2)
			strcpy(f.path, "*/t*");
		if (random() % 3 == 0)
			f.pid = shared->victims[random() % WORKERS];
		if (device(&e) >= 0 && !ioctl(e, UTRACE_TEST_FIND, &f))
			add(&shared->finders);
		pause_us(random() % 100000);
		if (e >= 0) {
			close(e);
			e = -1;
			__sync_fetch_and_sub(&shared->open, 1);
		}
	}
	_exit(0);
}

static void sender(void)
{
	static const int signals[] = {
		SIGUSR1, SIGSTOP, SIGCONT, SIGCONT, SIGTERM, SIGHUP, SIGUSR1,
		SIGTSTP, SIGCHLD, 40, SIGKILL,
	};

	while (!shared->over) {
		int pid = shared->victims[random() % WORKERS];

		pause_us(random() % 2000);
		if (is_victim(pid) && !kill(pid, signals[random() % 11]))
			add(&shared->signals);
	}
	_exit(0);
}

/*
 * The clock and the modules
 */

static int loads;
static double began, longest;

static void tell(void)
{
	printf("torture: %.0f s, %ld kills (%ld traced), %ld other ends, %ld attaches, %ld refused, %ld finders, %ld signals, %d loads, longest unload %.1f s\n",
	       now() - began, shared->kills, shared->traced, shared->ends,
	       shared->attaches, shared->refused, shared->finders,
	       shared->signals, loads, longest);
}

static void show(const char *format, int pid)
{
	char path[64], text[4096];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), format, pid);
	fd = open(path, O_RDONLY);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	if (n > 0)
		printf("%s: %.*s\n", path, (int)n, text);
	close(fd);
}

/* Reports what hangs, and ends everything. */
static void stuck(const char *what)
{
	int i;

	printf("torture: stuck: %s\n", what);
	tell();
	for (i = 0; i < PROCESSES; i++)
		show("/proc/%d/stack", shared->processes[i]);
	for (i = 0; i < WORKERS; i++) {
		show("/proc/%d/status", shared->victims[i]);
		show("/proc/%d/stack", shared->victims[i]);
	}
	fflush(stdout);
	_exit(1);
}

/*
 * Patience is counted in checks, not by the clock, which jumps after the
 * machine was halted.
 */

/* Checks from time to time that all victims die. */
static void watch(void)
{
	static double told, looked, last[WORKERS];
	static int same[WORKERS];
	int i;

	if (now() - looked < 0.1)
		return;
	looked = now();
	if (waitpid(-1, NULL, WNOHANG) > 0)
		stuck("a process of torture itself ended");
	for (i = 0; i < WORKERS; i++) {
		same[i] = shared->since[i] == last[i] ? same[i] + 1 : 0;
		last[i] = shared->since[i];
		if (last[i] && same[i] > PATIENCE * 10)
			stuck("a victim lives on");
	}
	if (now() - told > TELL_EVERY) {
		told = now();
		tell();
	}
}

static void run_for(double seconds)
{
	double end = now() + seconds;
	int looks;

	shared->loaded = 1;
	while (now() < end) {
		double left = end - now();

		pause_us((left < 0.1 ? left : 0.1) * 1e6);
		watch();
	}
	shared->loaded = 0;
	for (looks = 0; shared->open; looks++) {
		pause_us(1000);
		watch();
		if (looks > PATIENCE * 1000)
			stuck("the device is not closed");
	}
}

static bool load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	long err = syscall(SYS_finit_module, fd, "", 0);

	if (err)
		perror(path);
	close(fd);
	return !err;
}

/* A descriptor that is being opened or closed may keep the module for a moment. */
static bool unload(const char *path)
{
	const char *slash = strrchr(path, '/');
	char name[64];
	int looks = 0;

	snprintf(name, sizeof(name), "%s", slash ? slash + 1 : path);
	name[strcspn(name, ".")] = 0;
	while (syscall(SYS_delete_module, name, O_NONBLOCK)) {
		if (errno != EAGAIN || ++looks > PATIENCE * 1000) {
			perror(name);
			return false;
		}
		pause_us(1000);
	}
	return true;
}

static bool reload(double seconds, char **modules, int n)
{
	double before;
	int i;

	for (i = 0; i < n; i++)
		if (!load(modules[i]))
			return false;
	run_for(seconds);
	before = now();
	for (i = n; i > 0; i--)
		if (!unload(modules[i - 1]))
			return false;
	if (now() - before > longest)
		longest = now() - before;
	loads++;
	return true;
}

static pid_t start(int seed, int kind)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	shared->processes[kind] = getpid();
	srandom(seed);
	if (kind < WORKERS)
		worker(kind);
	if (kind < WORKERS + TRACERS)
		tracer();
	if (kind < WORKERS + TRACERS + FINDERS)
		finder();
	sender();
	return 0;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 10;
	int times = argc > 2 ? atoi(argv[2]) : 1;
	const struct rlimit no_core = { 0, 0 };
	pid_t pids[PROCESSES];
	bool good = true;
	int i;

	if (!strcmp(argv[0], "true"))
		return 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	setrlimit(RLIMIT_CORE, &no_core);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	began = now();
	for (i = 0; i < PROCESSES; i++) {
		pids[i] = start(getpid() + time(NULL) + i, i);
		shared->eldest = pids[i];
	}
	if (argc <= 3)
		run_for(seconds);
	for (i = 0; argc > 3 && i < times && good; i++)
		good = reload(seconds, argv + 3, argc - 3);
	shared->over = 1;
	for (i = 0; i < PROCESSES; i++)
		waitpid(pids[i], NULL, 0);
	tell();
	return !good || !shared->attaches || !shared->finders ||
	       !shared->traced;
}
