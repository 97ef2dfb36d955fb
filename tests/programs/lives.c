// SPDX-License-Identifier: GPL-3.0-or-later
// A known number of processes, threads, programs and signals, for whoever counts them from outside. argv[1]: "end" with an
// exit status in argv[2] is what its own children execute; a number is how often it does all of this.
//
//   children   100 forked, exit status n % 5, every other one by way of an exec; 4 by vfork and exec; 5 killed by SIGTERM,
//              1 by a fault
//   execs      54 that succeed, 10 that fail
//   threads    20
//   signals    to itself: 10 kill, 10 tgkill, 10 sigqueue with the value 42, 7 kill of one that it ignores
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char* program;

static void handler(int number) { (void)number; }

static void* thread(void* unused) { return unused; }

static void become(int status) {
  char text[16];
  snprintf(text, sizeof text, "%d", status);
  char* arguments[] = {program, "end", text, NULL};
  execv(program, arguments);
  _exit(99);
}

static void wait_for(pid_t child) {
  if (waitpid(child, NULL, 0) != child) _exit(98);
}

static void children(void) {
  for (int n = 0; n < 100; n++) {
    const pid_t child = fork();
    if (child == 0 && n % 2 == 0) become(n % 5);
    if (child == 0) _exit(n % 5);
    wait_for(child);
  }
  for (int n = 0; n < 4; n++) {
    char* arguments[] = {program, "end", "0", NULL};
    const pid_t child = vfork();
    if (child == 0) {
      execv(program, arguments);
      _exit(99);
    }
    wait_for(child);
  }
}

static void killed_children(void) {
  for (int n = 0; n < 5; n++) {
    const pid_t child = fork();
    for (; child == 0;) pause();
    kill(child, SIGTERM);
    wait_for(child);
  }
  const pid_t child = fork();
  if (child == 0) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    *(volatile int*)8 = 1;
  }
  wait_for(child);
}

static void threads(void) {
  for (int n = 0; n < 20; n++) {
    pthread_t made;
    pthread_create(&made, NULL, thread, NULL);
    pthread_join(made, NULL);
  }
}

static void failed_execs(void) {
  char* none[] = {NULL};
  for (int n = 0; n < 10; n++)
    if (execve("/no/such/program", none, none) != -1 || errno != ENOENT) _exit(97);
}

static void signals(void) {
  const int me = getpid();
  const union sigval value = {.sival_int = 42};
  for (int n = 0; n < 10; n++) {
    kill(me, SIGUSR1);
    syscall(SYS_tgkill, me, me, SIGUSR2);
    sigqueue(me, SIGRTMIN, value);
  }
  for (int n = 0; n < 7; n++) kill(me, SIGQUIT);
}

int main(int argc, char** argv) {
  if (argc > 2 && strcmp(argv[1], "end") == 0) return atoi(argv[2]);
  program = argv[0];
  signal(SIGUSR1, handler);
  signal(SIGUSR2, handler);
  signal(SIGRTMIN, handler);
  signal(SIGQUIT, SIG_IGN);
  for (int times = argc > 1 ? atoi(argv[1]) : 1; times > 0; times--) {
    children();
    killed_children();
    threads();
    failed_execs();
    signals();
  }
  return 0;
}
