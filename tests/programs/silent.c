// SPDX-License-Identifier: GPL-3.0-or-later
// Functions that no call reaches: a static one whose only call is inlined while its address is kept, and one that is
// never called
#include <stdio.h>

__attribute__((always_inline)) static inline int inlined(int x) { return x * 5 + 1; }
int both(int x) { return inlined(x); }
__attribute__((noinline)) int never(int x) { return x * 7; }

int (*volatile g_kept[])(int) = {both, never};

int main(int argc, char** argv) {
  (void)argv;
  int sum = 0;
  for (int i = 0; i < 5; i++) sum += both(argc + i);
  printf("%d\n", sum);
  return 0;
}
