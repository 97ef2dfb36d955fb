// SPDX-License-Identifier: GPL-3.0-or-later
// Calls work() 10 times, makes itself not dumpable, calls it 10 times more; reads a line before each, and before its end, where it calls it 10
// times again.
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

static int sum;

__attribute__((noinline)) int work(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

static void works_after_a_line(const char* state) {
  char byte = 0;
  printf("%s\n", state);
  fflush(stdout);
  while (byte != '\n' && read(0, &byte, 1) == 1) continue;
  for (int i = 0; i < 10; i++) sum += work(1);
}

int main(void) {
  works_after_a_line("ready");
  prctl(PR_SET_DUMPABLE, 0);
  works_after_a_line("not dumpable");
  works_after_a_line("end");
  printf("sum %d\n", sum);
  return 0;
}
