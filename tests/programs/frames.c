// SPDX-License-Identifier: GPL-3.0-or-later
// A chain of calls, without tail calls, built without frame pointers: bottom() is called by third() ... first() and
// main(). With an argument it removes its own file first. Then the same from a signal handler, and from a function with
// a frame of variable size. Built with STAYS it does not end by itself.
#include <alloca.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))

volatile long g_sum;

KEEP long bottom(long a) {
  g_sum += a;
  return syscall(SYS_getppid) >= 0 ? a : -1;
}

KEEP long third(long a, long b, long c) {
  long kept = a * b + c;
  long result = bottom(kept);
  g_sum += kept;
  return result + kept;
}

KEEP long second(long a, long b) {
  long x = a + 1, y = b + 2;
  long result = third(x, y, x ^ y);
  g_sum += x + y;
  return result * x;
}

KEEP long first(long a) {
  long result = second(a, a + 7);
  g_sum += result;
  return result - a;
}

KEEP long variable(int size) {
  char* room = alloca(size);
  memset(room, 1, size);
  long result = bottom(room[size - 1]);
  g_sum += room[size / 2];
  return result;
}

KEEP void handler(int number) {
  g_sum += bottom(number);
  g_sum++;
}

int main(int argc, char** argv) {
  if (argc > 1) unlink(argv[0]);
  long result = first(argc);
  result += variable(64 * argc);
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
#ifdef STAYS
  pause();
#endif
  return result == 0x7fffffff;
}
