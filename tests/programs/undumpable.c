// SPDX-License-Identifier: GPL-3.0-or-later
// Makes itself not dumpable, as ssh-agent and browsers do, then works on. usage: undumpable [FILE]: it then also opens the
// path that FILE holds, in a page that it has never accessed.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

__attribute__((noinline)) static int work(int x) {
  x += getppid();
  __asm__ volatile("");
  return x;
}

int main(int argc, char** argv) {
  int sum = 0, file = argc > 1 ? open(argv[1], O_RDONLY) : -1;
  const char* path = file < 0 ? 0 : mmap(0, 4096, PROT_READ, MAP_PRIVATE, file, 0);
  prctl(PR_SET_DUMPABLE, 0);
  for (int i = 0; i < 3; i++) sum = work(sum);
  if (path) open(path, O_RDONLY | O_DIRECTORY);
  return sum == 77;
}
