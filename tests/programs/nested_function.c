// SPDX-License-Identifier: GPL-3.0-or-later
// Nested function: gcc makes a trampoline on the stack (executable stack), and -fpatchable-function-entry puts nops first.
#include <stdio.h>
static int __attribute__((noinline)) apply(int (*f)(int), int x) { return f(x); }
int __attribute__((noinline)) foo(int base) {
  int inner(int x) { return x + base; }
  int s = 0;
  for (int i = 0; i < 10; i++) s += apply(inner, i);
  return s;
}
int main(void) {
  printf("%d\n", foo(5));
  return 0;
}
