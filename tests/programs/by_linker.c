// SPDX-License-Identifier: GPL-3.0-or-later
// Calls work() in a constructor and, after a line of input, five times in main(). Prints its arguments.
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) int work(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

__attribute__((constructor)) static void early(void) {
  if (work(0) != 1) _exit(9);
}

int main(int argc, char** argv) {
  char byte;
  if (read(STDIN_FILENO, &byte, 1) < 0) return 1;
  int sum = 0;
  for (int i = 0; i < 5; i++) sum += work(i);
  printf("%d", sum);
  for (int i = 1; i < argc; i++) printf(" %s", argv[i]);
  printf("\n");
  return 3;
}
