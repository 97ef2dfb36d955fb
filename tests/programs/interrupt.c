/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library to be preloaded: from the program's start on a timer sends it SIGALRM 2,000 times a second. The handler calls functions of libc that
   probes may be on, and returns. A program that sets up SIGALRM itself has its own way. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile unsigned long seen;

static int compare(const void* a, const void* b) { return *(const char*)a - *(const char*)b; }

static void on_alarm(int signal) {
  const int kept = errno;
  char text[] = "signal";
  (void)signal;
  qsort(text, sizeof text - 1, 1, compare);
  seen += strlen(text) + (unsigned long)getppid();
  errno = kept;
}

__attribute__((constructor)) static void start(void) {
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  struct itimerval timer = {{0, 500}, {0, 500}};
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &timer, NULL);
}
