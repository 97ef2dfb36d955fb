// SPDX-License-Identifier: GPL-3.0-or-later
// Makes itself not dumpable, as ssh-agent and browsers do, then works on.
#include <sys/prctl.h>
#include <unistd.h>

__attribute__((noinline)) static int work(int x) {
  x += getppid();
  __asm__ volatile("");
  return x;
}

int main(void) {
  int sum = 0;
  prctl(PR_SET_DUMPABLE, 0);
  for (int i = 0; i < 3; i++) sum = work(sum);
  return sum == 77;
}
