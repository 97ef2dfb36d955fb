// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Measures the time of a call, in ns, on request, while tools trace it. Reads the names of calls, one per line, and
 * answers each with the minimum of many batches.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 1000, BATCHES = 40 };

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Begins with a push, which kernels emulate if a uprobe is on it. */
void work(void);
__asm__(
    ".text\n.globl work\n.type work, @function\nwork:\n\tpush %rbp\n\tmov %rsp, %rbp\n\tpop %rbp\n\tret\n"
    ".size work, . - work\n");

static void idle(void) { syscall(SYS_getppid, 1, 2, 3, 4, 5, 6); }
static void other(void) { syscall(SYS_getuid); }

/* Two task switches on a machine with one CPU: to a partner that answers, and back. */
static void turns(void) {
  static int there[2], back[2], begun;
  char byte = 0;
  if (!begun++) {
    if (pipe(there) != 0 || pipe(back) != 0) abort();
    const pid_t partner = fork();
    if (partner < 0) abort();
    if (partner == 0) {
      close(there[1]);
      while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1) continue;
      _exit(0);
    }
  }
  if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1) abort();
}

static uint64_t least(void (*call)(void)) {
  uint64_t least = UINT64_MAX;
  for (int batch = 0; batch < BATCHES; batch++) {
    const uint64_t began = now();
    for (int n = 0; n < BATCH; n++) call();
    const uint64_t took = (now() - began) / BATCH;
    if (took < least) least = took;
    usleep(1000); /* lets the reader of the records run */
  }
  return least;
}

int main(void) {
  static const struct {
    const char* name;
    void (*call)(void);
  } calls[] = {{"getppid", idle}, {"getuid", other}, {"work", work}, {"turns", turns}};
  char line[64];
  while (fgets(line, sizeof(line), stdin)) {
    line[strcspn(line, "\n")] = 0;
    for (unsigned n = 0; n < sizeof(calls) / sizeof(calls[0]); n++)
      if (strcmp(line, calls[n].name) == 0) printf("%lu\n", (unsigned long)least(calls[n].call));
    fflush(stdout);
  }
  return 0;
}
