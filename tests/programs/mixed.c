// SPDX-License-Identifier: GPL-3.0-or-later
// One frequent system call among others: N getppid among N getuid (default 200,000).
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int times = argc > 1 ? atoi(argv[1]) : 200000;
  for (int i = 0; i < times; ++i) {
    syscall(SYS_getppid);
    syscall(SYS_getuid);
  }
  return 0;
}
