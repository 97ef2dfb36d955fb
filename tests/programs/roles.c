// SPDX-License-Identifier: GPL-3.0-or-later
// Causes one event of each kind, and prints its values as "NAME VALUE" lines. roles.py compares the probes' arguments
// with them.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char* name, unsigned long value) { printf("%s %lu\n", name, value); }

__attribute__((noinline, noclone)) long ten_arguments(long a, long b, long c, long d, long e, long f, long g, long h,
                                                      long i, long j) {
  __asm__ volatile("" ::: "memory");
  return a + b + c + d + e + f + g + h + i + j;
}

static void on_signal(int number, siginfo_t* info, void* context) { (void)number, (void)info, (void)context; }

static void* in_thread(void* tid) {
  *(long*)tid = syscall(SYS_gettid);
  return NULL;
}

// A child that shares our file system information: a clone flag that can be recognised.
static int make_child(void) { return (int)syscall(SYS_clone, CLONE_FS | SIGCHLD, 0, 0, 0, 0); }

static void signals(void) {
  const union sigval value = {.sival_ptr = (void*)0x123456789abc};
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};

  sigaction(SIGUSR1, &action, NULL);
  say("handler", (uintptr_t)on_signal);
  sigqueue(getpid(), SIGUSR1, value);
  signal(SIGUSR2, SIG_IGN);
  sigqueue(getpid(), SIGUSR2, value);
  say("value", (uintptr_t)value.sival_ptr);
}

static void children(void) {
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
  int child;

  sigaction(SIGCHLD, &action, NULL);
  child = make_child();
  if (child == 0) _exit(3);
  say("exits", (unsigned long)child);
  while (waitpid(child, NULL, 0) != child) continue;
  signal(SIGCHLD, SIG_DFL);
  child = make_child();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    *(volatile char*)0x10 = 1;
  }
  say("faults", (unsigned long)child);
  while (waitpid(child, NULL, 0) != child) continue;
  child = make_child();
  if (child == 0) {
    execl("/no/such/program", "x", NULL);
    execl("/bin/true", "true", NULL);
  }
  say("execs", (unsigned long)child);
  while (waitpid(child, NULL, 0) != child) continue;
}

int main(void) {
  volatile long sum = 0;
  pthread_t thread;
  long tid = 0;

  setvbuf(stdout, NULL, _IOFBF, 1 << 16);
  say("pid", (unsigned long)getpid());
  say("uid", getuid());
  say("ppid", (unsigned long)syscall(SYS_getppid, 11, 12, 13, 14, 15, 16));
  close(-1);
  signals();
  children();
  pthread_create(&thread, NULL, in_thread, &tid);
  pthread_join(thread, NULL);
  say("tid", (unsigned long)tid);
  say("sum", (unsigned long)ten_arguments(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  for (long i = 0; i < 300000000; i++) sum += i;
  fflush(stdout);
  return 7;
}
