// SPDX-License-Identifier: GPL-3.0-or-later
// Takes 1,000 queued signals and a timer's while f() runs, whose first instruction faults now and then. Says what the handlers saw.
// Reads a line first.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int queued, wrong;
static volatile long sum;
static long good = 5;

__asm__(".text\n.globl f\n.type f,@function\nf: cmp (%rdi),%rsi\n lea 1(%rsi),%rax\n ret\n.size f,.-f\n");
extern long f(long*, long);

static void on_alarm(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  if (info->si_code != SI_KERNEL && info->si_code != SI_TIMER) wrong++;
}

static void on_queued(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  queued++;
  sum += info->si_value.sival_int;
  if (info->si_code != SI_QUEUE || info->si_uid != getuid()) wrong++;
}

static void on_fault(int signal, siginfo_t* info, void* context) {
  (void)signal;
  if (info->si_addr != 0) wrong++;
  ((ucontext_t*)context)->uc_mcontext.gregs[REG_RDI] = (long)&good;
}

static void handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(signal, &action, 0);
}

int main(void) {
  char line[16];
  const pid_t self = getpid();
  handle(SIGALRM, on_alarm);
  handle(SIGSEGV, on_fault);
  handle(SIGRTMIN, on_queued);
  puts("ready");
  fflush(stdout);
  if (read(0, line, sizeof line) < 0) return 1;
  const pid_t child = fork();
  if (child == 0) {
    const struct timespec pause = {0, 200000};
    for (int i = 1; i <= 1000; i++) {
      const union sigval value = {.sival_int = i};
      while (sigqueue(self, SIGRTMIN, value) != 0) usleep(100);
      nanosleep(&pause, 0);
    }
    _exit(0);
  }
  struct itimerval timer = {{0, 700}, {0, 700}};
  setitimer(ITIMER_REAL, &timer, 0);
  long state = 0;
  for (int i = 0; waitpid(child, 0, WNOHANG) == 0 || queued < 1000; i++) state = f(i % 4 ? &good : 0, state) % 1000000;
  timer = (struct itimerval){{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &timer, 0);
  printf("%d signals, sum %ld, %d wrong\n", queued, sum, wrong);
  return 0;
}
