// SPDX-License-Identifier: GPL-2.0
/*
 * Random attach, stop, resume, step, report, detach, signals and SIGKILL on
 * victims that fork, make threads, exec, fault and exit.
 *
 * Finders come and go meanwhile, on every thread of the machine.
 *
 * usage: torture SECONDS [SEED [COMMAND]]
 *
 * COMMAND, such as the unload of the module, is run when the tracers are gone
 * while the victims go on dying. Prints what was done; the kernel's log tells
 * whether that was well.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "utrace_test.h"

enum { VICTIMS = 6, TRACERS = 4 };

static struct counts {
	volatile long victims[VICTIMS];
	volatile long attaches, refused, finders, kills, signals, ends;
	volatile int tracers_over, over;
} *counts;

static void on_signal(int signr) { (void)signr; }

static void *thread(void *arg)
{
	usleep(random() % 3000);
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
		if (getpid() % 2)
			execl("/bin/true", "true", NULL);
		_exit(1);
	}
	if (random() % 4)
		waitpid(pid, NULL, 0);
}

static void victim(void)
{
	int turn;

	srandom(getpid());
	alarm(10);
	signal(SIGUSR1, on_signal);
	if (random() % 2)
		signal(SIGCHLD, SIG_IGN);
	for (turn = 0; turn < 20; turn++) {
		switch (random() % 7) {
		case 0: child(); break;
		case 1: threads(); break;
		case 2: usleep(random() % 2000); break;
		case 3: raise(SIGUSR1); break;
		case 4: getppid(); break;
		case 5: if (random() % 10 == 0) *(volatile int *)8 = 1; break;
		default: if (random() % 10 == 0) raise(SIGTERM); break;
		}
	}
	_exit(random() % 4);
}

/* Keeps one victim alive. */
static void breeder(int slot)
{
	while (!counts->over) {
		pid_t pid = fork();

		if (!pid)
			victim();
		counts->victims[slot] = pid;
		while (waitpid(pid, NULL, 0) != pid)
			;
		__sync_fetch_and_add(&counts->ends, 1);
	}
	_exit(0);
}

static void tracer(int seed)
{
	int e = open("/dev/utrace_test", O_RDWR);

	srandom(seed);
	while (!counts->tracers_over) {
		int pid = counts->victims[random() % VICTIMS];

		/* One of its threads or children at times. */
		if (random() % 3 == 0)
			pid += random() % 4;
		if (pid <= 1)
			continue;
		if (ioctl(e, UTRACE_TEST_TORTURE, &pid))
			__sync_fetch_and_add(&counts->refused, 1);
		else
			__sync_fetch_and_add(&counts->attaches, 1);
	}
	_exit(0);
}

/* Finders by nothing, by path, by pid; each on every thread there is. */
static void finder(int seed)
{
	srandom(seed);
	while (!counts->tracers_over) {
		int e = open("/dev/utrace_test", O_RDWR);
		struct utrace_test_find f = { .pid = 0 };

		if (random() % 2)
			strcpy(f.path, "*/t*");
		if (random() % 3 == 0)
			f.pid = counts->victims[random() % VICTIMS];
		if (!ioctl(e, UTRACE_TEST_FIND, &f))
			__sync_fetch_and_add(&counts->finders, 1);
		usleep(random() % 30000);
		close(e);
	}
	_exit(0);
}

static void killer(int seed)
{
	static const int signals[] = {
		SIGUSR1, SIGSTOP, SIGCONT, SIGCONT, SIGTERM, SIGHUP, SIGUSR1,
		SIGTSTP, SIGCHLD, 40,
	};

	srandom(seed);
	while (!counts->over) {
		int pid = counts->victims[random() % VICTIMS];

		usleep(random() % 500);
		if (pid <= 1)
			continue;
		if (random() % 3 == 0) {
			if (!kill(pid, SIGKILL))
				__sync_fetch_and_add(&counts->kills, 1);
			continue;
		}
		kill(pid, signals[random() % 10]);
		__sync_fetch_and_add(&counts->signals, 1);
	}
	/* What is stopped by job control would never end. */
	for (;;) {
		int i;

		for (i = 0; i < VICTIMS; i++)
			if (counts->victims[i] > 1)
				kill(counts->victims[i], SIGKILL);
		usleep(10000);
	}
}

int main(int argc, char **argv)
{
	int seconds = argc > 1 ? atoi(argv[1]) : 10;
	int seed = argc > 2 ? atoi(argv[2]) : 1, failed = 0;
	const struct rlimit no_core = { 0, 0 };
	pid_t killer_pid, breeders[VICTIMS], tracers[TRACERS + 1];
	int i;

	setrlimit(RLIMIT_CORE, &no_core);
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		return 2;
	killer_pid = fork();
	if (!killer_pid)
		killer(seed + 100);
	for (i = 0; i < VICTIMS; i++)
		if (!(breeders[i] = fork()))
			breeder(i);
	for (i = 0; i < TRACERS + 1; i++) {
		tracers[i] = fork();
		if (!tracers[i] && i < TRACERS)
			tracer(seed + i);
		if (!tracers[i])
			finder(seed + i);
	}
	sleep(seconds);
	counts->tracers_over = 1;
	for (i = 0; i < TRACERS + 1; i++)
		waitpid(tracers[i], NULL, 0);
	if (argc > 3)
		failed = system(argv[3]);
	counts->over = 1;
	for (i = 0; i < VICTIMS; i++)
		waitpid(breeders[i], NULL, 0);
	kill(killer_pid, SIGKILL);
	printf("torture: %d s, %ld victims ended, %ld attaches, %ld refused, %ld finders, %ld kills, %ld other signals\n",
	       seconds, counts->ends, counts->attaches, counts->refused,
	       counts->finders, counts->kills, counts->signals);
	return failed || !counts->attaches || !counts->finders ||
	       !counts->kills;
}
