// SPDX-License-Identifier: GPL-3.0-or-later
// What a program can see of its tracer: its status, and whether it may ask for a tracer itself.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>

int main(void) {
  char line[256];
  FILE* status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (strncmp(line, "TracerPid", 9) == 0 || strncmp(line, "NoNewPrivs", 10) == 0 || strncmp(line, "Seccomp:", 8) == 0)
      fputs(line, stdout);
  const long result = ptrace(PTRACE_TRACEME, 0, 0, 0);
  printf("PTRACE_TRACEME %ld %s\n", result, result < 0 ? strerrorname_np(errno) : "");
  return 0;
}
