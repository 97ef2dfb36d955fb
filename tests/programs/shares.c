// SPDX-License-Identifier: GPL-3.0-or-later
// Knows by its own CPU clock where its time goes.
//   shares calls SECONDS       50 us of work(), then one getppid(): "calls N", N the percentage of its CPU time
//   shares functions SECONDS   a() 60 %, b() 30 %, c() 10 %, in slices of 0.6, 0.3 and 0.1 ms: "a N b N c N"
//   shares strings SECONDS     copy() in one string instruction of 1 MiB, and a(): "copy N a N"
// And how often another process took its processor: "preempted N".
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static volatile unsigned long x;
#define FUNCTION(name, addend)                           \
  __attribute__((noinline)) void name(long turns) {      \
    for (long i = 0; i < turns; i++) x = x * 3 + addend; \
  }
FUNCTION(work, 1)
FUNCTION(a, 1)
FUNCTION(b, 2)
FUNCTION(c, 3)

static long turns_in(double seconds) {
  double began = now();
  work(10000000);
  return seconds / ((now() - began) / 1e7);
}

static void calls(double seconds) {
  enum { FIRST = 20000 };  // one after another, to learn what a call takes; they are a part of its share
  long turns = turns_in(0.00005), made = FIRST;
  double began = now();
  for (int i = 0; i < FIRST; i++) syscall(SYS_getppid);
  double call = (now() - began) / FIRST;
  while ((made & 1023) || now() - began < seconds) {
    work(turns);
    syscall(SYS_getppid);
    made++;
  }
  printf("calls %.2f\n", 100 * made * call / (now() - began));
}

// The clock is a system call: read in each round it takes a hundredth of the time itself.
enum { ROUNDS = 8 };

static void functions(double seconds) {
  long turns = turns_in(0.0001);
  double spent[3] = {0}, end = now() + seconds;
  while (now() < end) {
    for (int i = 1; i < ROUNDS; i++) a(6 * turns), b(3 * turns), c(turns);
    double at[4] = {now()};
    a(6 * turns), at[1] = now();
    b(3 * turns), at[2] = now();
    c(turns), at[3] = now();
    for (int i = 0; i < 3; i++) spent[i] += at[i + 1] - at[i];
  }
  double all = (spent[0] + spent[1] + spent[2]) / 100;
  printf("a %.2f b %.2f c %.2f\n", spent[0] / all, spent[1] / all, spent[2] / all);
}

__attribute__((noinline)) static void copy(void) {
  static char from[1 << 20], to[sizeof from];
  char *source = from, *target = to;
  size_t count = sizeof from;
  __asm__ volatile("rep movsb" : "+S"(source), "+D"(target), "+c"(count) : : "memory");
}

static void strings(double seconds) {
  long turns = turns_in(0.0003);
  double copied = 0, counted = 0, end = now() + seconds;
  while (now() < end) {
    for (int i = 1; i < ROUNDS; i++) copy(), a(turns);
    double at[3] = {now()};
    copy(), at[1] = now();
    a(turns), at[2] = now();
    copied += at[1] - at[0], counted += at[2] - at[1];
  }
  double all = (copied + counted) / 100;
  printf("copy %.2f a %.2f\n", copied / all, counted / all);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  (strcmp(argv[1], "calls") == 0 ? calls : strcmp(argv[1], "strings") == 0 ? strings : functions)(atof(argv[2]));
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("preempted %ld\n", usage.ru_nivcsw);
  return 0;
}
