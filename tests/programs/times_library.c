// SPDX-License-Identifier: GPL-3.0-or-later
// A library whose go() calls getppid() from a function with the name FUNC. Two builds have the same layout.
#include <unistd.h>

__attribute__((noinline)) int FUNC(void) {
  int parent = getppid();
  __asm__ volatile("");
  return parent;
}

void go(void) {
  FUNC();
  __asm__ volatile("");
}
