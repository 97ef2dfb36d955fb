// SPDX-License-Identifier: GPL-3.0-or-later
// A system call and a function with six arguments of known values, and a function with a seventh, which is on the stack.
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) long take(long a, long b, long c, long d, long e, long f) {
  __asm__ volatile("");
  return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f;
}

__attribute__((noinline)) long take_seven(long a, long b, long c, long d, long e, long f, long g) {
  __asm__ volatile("");
  return a + b + c + d + e + f + g;
}

int main(void) {
  if (take_seven(1, 1, 1, 1, 1, 1, 77) != 83) return 2;
  syscall(SYS_copy_file_range, -11, 12, -13, 14, 15, 16);
  return take(1, 2, 3, 4, 5, 6) == 654321 ? 0 : 1;
}
