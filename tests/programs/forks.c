// SPDX-License-Identifier: GPL-3.0-or-later
// forks COUNT: creates children that end at once, one after the other: each makes one getppid(), from a function that
// libc calls. Every second one execs this program before: forks.
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline, noclone)) int compare(const void* a, const void* b) {
  return syscall(SYS_getppid) < 0 ? 1 : *(const int*)a - *(const int*)b;
}

static void sort(void) {
  int two[2] = {2, 1};
  qsort(two, 2, sizeof two[0], compare);
}

int main(int argc, char** argv) {
  if (argc < 2) {
    sort();
    return 0;
  }
  for (int n = atoi(argv[1]); n > 0; n--) {
    const pid_t child = fork();
    if (child == 0) {
      if (n % 2 == 0) execl(argv[0], argv[0], (char*)NULL);
      sort();
      _exit(0);
    }
    waitpid(child, NULL, 0);
  }
  return 0;
}
