// SPDX-License-Identifier: GPL-3.0-or-later
// pushf/popf, and instructions that read the flags or their own address, in one function: with a probe on every one of them.
#include <stdio.h>
__attribute__((noinline)) unsigned long fl(unsigned long x) {
  unsigned long f, ip, ac;
  __asm__ volatile(
      "addq $0, %3\n pushfq\n popq %0\n leaq 0(%%rip), %1\n pushfq\n orq $0x40000, (%%rsp)\n popfq\n pushfq\n popq "
      "%2\n pushfq\n andq $~0x40000, (%%rsp)\n popfq\n"
      : "=&r"(f), "=&r"(ip), "=&r"(ac)
      : "r"(x)
      : "memory", "cc");
  return (f & 0x100 ? 1 : 0) | (ip - (unsigned long)fl > 64 ? 2 : 0) | (ac & 0x40000 ? 0 : 4) | (ac & 0x100 ? 8 : 0);
}
int main(void) {
  unsigned long r = 0;
  for (int i = 0; i < 50; i++) r |= fl(i);
  printf("wrong bits %lx\n", r);
  return 0;
}
