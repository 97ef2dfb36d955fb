// SPDX-License-Identifier: GPL-3.0-or-later
// For each line that it reads, calls work() 100 times, with a getppid() of the C library in each.
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) int work(int number) { return number + (getppid() > 0); }

int main(void) {
  char line[16];
  int done = 0;
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin) != NULL)
    for (int i = 0; i < 100; i++) done = work(done);
  printf("%d\n", done);
  return 0;
}
