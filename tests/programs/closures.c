// SPDX-License-Identifier: GPL-3.0-or-later
// Functions that are called from code made at run time and by other detours: a closure, a trampoline of a nested function on the
// stack, an IFUNC of its own, qsort's callbacks, the vdso. Prints how often each was called.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { kBack = 50, kNested = 40, kChosen = 30, kClock = 20 };
static long compared;

__attribute__((noinline)) int compare(const void* a, const void* b) {
  compared++;
  return *(const int*)a - *(const int*)b;
}

__attribute__((noinline)) int back(int x) {
  __asm__ volatile("");
  return x + 1;
}

static int two_more(int x) { return x + 2; }
static int (*choose(void))(int) { return two_more; }
int chosen(int) __attribute__((ifunc("choose")));

static int apply(int (*function)(int), int count) {
  int sum = 0;
  for (int i = 0; i < count; i++) sum += function(i);
  return sum;
}

/// Code as libffi's closures have it: movabs $back, %r11; jmp *%r11.
static int by_closure(void) {
  unsigned char* code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int (*target)(int) = back;
  memcpy(code, "\x49\xbb", 2);
  memcpy(code + 2, &target, sizeof target);
  memcpy(code + 10, "\x41\xff\xe3", 3);
  return apply((int (*)(int))code, kBack);
}

int main(void) {
  int values[500], factor = 3;
  struct timespec now;
  __attribute__((noinline)) int nested(int x) { return x * factor; }
  for (int i = 0; i < 500; i++) values[i] = i * 7919 % 1009;
  qsort(values, 500, sizeof *values, compare);
  const int sum = by_closure() + apply(nested, kNested) + apply(chosen, kChosen);
  for (int i = 0; i < kClock; i++) clock_gettime(CLOCK_MONOTONIC, &now);
  printf("sum %d, compare=%ld back=%d nested=%d two_more=%d clock_gettime=%d\n", sum, compared, kBack, kNested, kChosen,
         kClock);
  return 0;
}
