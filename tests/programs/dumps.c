// SPDX-License-Identifier: GPL-3.0-or-later
// Calls probed functions, then dies of SIGSEGV; with "shared", in a child that shares its memory, and calls them again.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

__attribute__((noinline)) int f(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

__attribute__((noinline)) void die(int* p) {
  __asm__ volatile("" : "+r"(p));
  *p = f(3);
}

static int dies(void* unused) {
  (void)unused;
  die(NULL);
  return 0;
}

int main(int argc, char** argv) {
  enum { kStack = 256 * 1024 };
  printf("%d\n", f(1));
  fflush(stdout);
  if (argc < 2 || strcmp(argv[1], "shared") != 0) die(NULL);
  int status = 0;
  clone(dies, (char*)malloc(kStack) + kStack, CLONE_VM | SIGCHLD, NULL);
  wait(&status);
  printf("%d %d\n", WTERMSIG(status), f(4));
  return 0;
}
