// SPDX-License-Identifier: GPL-3.0-or-later
// A call that takes 50 ms, and one that takes no time, inside of a third.
#include <unistd.h>

__attribute__((noinline)) void inner(unsigned microseconds) {
  if (microseconds != 0) usleep(microseconds);
  __asm__ volatile("");
}

__attribute__((noinline)) void outer(void) {
  inner(0);
  inner(50000);
  __asm__ volatile("");
}

int main(void) {
  outer();
  return 0;
}
