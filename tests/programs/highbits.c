// SPDX-License-Identifier: GPL-3.0-or-later
// Five times getppid() by its number, and five times with bits in the upper half of the register, which the kernel
// ignores. Prints how many of the ten gave the right result.
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static long call(unsigned long number) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number) : "rcx", "r11", "memory");
  return result;
}

int main(void) {
  long right = 0, parent = call(SYS_getppid);
  for (unsigned long i = 1; i <= 5; i++) {
    right += call(SYS_getppid) == parent;
    right += call(i * 0x1dea000000000ul << 12 | SYS_getppid) == parent;
  }
  printf("right %ld\n", right);
  return 0;
}
