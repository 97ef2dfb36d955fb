// SPDX-License-Identifier: GPL-3.0-or-later
// Calls step() argv[1] times.
#include <stdlib.h>

static volatile long sum;

__attribute__((noinline)) void step(long value) { sum = sum + value; }

int main(int argc, char** argv) {
  const long calls = argc > 1 ? atol(argv[1]) : 1000;
  for (long i = 0; i < calls; i++) step(i);
  return sum == calls * (calls - 1) / 2 ? 0 : 1;
}
