/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library for preloading: from the program's start on a timer sends it SIGALRM, 500 us after the end of the last
   handler, so that the program makes progress even if each instruction of the handler is probed. The handler calls
   functions of libc that may be probed, and returns. A program may replace it by a SIGALRM handler of its own. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile unsigned long seen;

static int compare(const void* a, const void* b) { return *(const char*)a - *(const char*)b; }

static void start_timer(void) {
  const struct itimerval timer = {.it_value = {0, 500}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

static void on_alarm(int signal) {
  const int kept = errno;
  char text[] = "signal";
  (void)signal;
  qsort(text, sizeof text - 1, 1, compare);
  seen += strlen(text) + (unsigned long)getppid();
  start_timer();
  errno = kept;
}

__attribute__((constructor)) static void start(void) {
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  start_timer();
}
