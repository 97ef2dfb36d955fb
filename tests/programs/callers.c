// SPDX-License-Identifier: GPL-3.0-or-later
// For argv[1] seconds of its CPU time: spin_N() is called by call_N() only, each for some microseconds in turn.
#include <stdlib.h>
#include <time.h>

static volatile unsigned long x;
#define PAIR(n)                                                           \
  __attribute__((noinline)) unsigned long spin_##n(unsigned long turns) { \
    for (unsigned long i = 0; i < turns; i++) x = x * 3 + n;              \
    return x;                                                             \
  }                                                                       \
  __attribute__((noinline)) unsigned long call_##n(unsigned long turns) { return spin_##n(turns) + n; }
PAIR(1)
PAIR(2)
PAIR(3)
PAIR(4)

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 1;
  unsigned long sum = 0;
  for (;;) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    if (t.tv_sec + t.tv_nsec / 1e9 >= seconds) return sum == 1;
    for (int i = 0; i < 1000; i++) sum += call_1(500) + call_2(500) + call_3(500) + call_4(500);
  }
}
