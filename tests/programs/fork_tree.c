// SPDX-License-Identifier: GPL-3.0-or-later
// fork_tree DEPTH CHILDREN: a tree of processes, each of which calls f() five times. Prints how many got right results.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int* right;

__attribute__((noinline)) int f(int x) {
  __asm__ volatile("cmp $7,%0" : "+r"(x)::"cc");
  return x + 1;
}

static void tree(int depth, int children) {
  int sum = 0;
  for (int i = 0; i < 5; i++) sum += f(i);
  if (sum == 15) __atomic_add_fetch(right, 1, __ATOMIC_SEQ_CST);
  for (int i = 0; depth > 0 && i < children; i++) {
    if (fork() != 0) continue;
    tree(depth - 1, children);
    _exit(0);
  }
  while (wait(NULL) > 0) continue;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  right = mmap(NULL, sizeof *right, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  tree(atoi(argv[1]), atoi(argv[2]));
  printf("processes %d\n", *right);
  return 0;
}
