// SPDX-License-Identifier: GPL-3.0-or-later
// A child in vfork, which shares our memory: it waits for a line on standard input, calls step() and ends.
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int step(int x) {
  if (x & 1) return x * 3 + 1;
  return x / 2;
}

int main(void) {
  puts("ready");
  fflush(stdout);
  volatile int seven = 7;
  pid_t child = vfork();
  if (child == 0) {
    char line[8];
    long got = read(0, line, sizeof line);
    _exit(got > 0 ? step(seven) : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  int right = WIFEXITED(status) && WEXITSTATUS(status) == 22 && step(seven) == 22;
  if (right)
    puts("right");
  else
    printf("wrong: status %x\n", status);
  return 0;
}
