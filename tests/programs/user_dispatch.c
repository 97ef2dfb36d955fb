// SPDX-License-Identifier: GPL-3.0-or-later
// Syscall user dispatch (Wine, gVisor-like layers): calls from outside one range become SIGSYS. The program counts those it has served.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
static volatile char selector;
static volatile int served;
static void on_sigsys(int s, siginfo_t* i, void* c) {
  (void)s;
  selector = 0;
  if (i->si_syscall == SYS_getppid) served++;
  ((ucontext_t*)c)->uc_mcontext.gregs[REG_RAX] = 4242;
}
int main(void) {
  struct sigaction sa;
  memset(&sa, 0, sizeof sa);
  sa.sa_sigaction = on_sigsys;
  sa.sa_flags = SA_SIGINFO;
  sigaction(SIGSYS, &sa, 0);
  if (prctl(59, 1, 0L, 0L, &selector)) {
    perror("prctl");
    return 2;
  }
  int right = 0;
  for (int i = 0; i < 10; i++) {
    selector = 1;
    long r = syscall(SYS_getppid);
    selector = 0;
    right += r == 4242;
  }
  prctl(59, 0, 0, 0, 0);
  printf("served %d, right results %d\n", served, right);
  return 0;
}
