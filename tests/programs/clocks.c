// SPDX-License-Identifier: GPL-3.0-or-later
// f() uses 5 ms of its thread's processor time by that clock. Prints, of each of 10 calls, the processor and the monotonic time right before and
// right behind it, in nanoseconds.
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static long now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

__attribute__((noinline)) int f(int n) {
  const long end = now(CLOCK_THREAD_CPUTIME_ID) + 5000000;
  while (now(CLOCK_THREAD_CPUTIME_ID) < end) continue;
  usleep(1000);
  return n;
}

int main(void) {
  for (int i = 0; i < 10; i++) {
    const long used = now(CLOCK_THREAD_CPUTIME_ID), began = now(CLOCK_MONOTONIC);
    f(i);
    const long ended = now(CLOCK_MONOTONIC);
    printf("own %ld %ld %ld %ld\n", used, now(CLOCK_THREAD_CPUTIME_ID), began, ended);
  }
  return 0;
}
