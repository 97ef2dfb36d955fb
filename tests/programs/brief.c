// SPDX-License-Identifier: GPL-3.0-or-later
// Calls getppid() from functions that nobody can look at later: in a child that ends, in a program that it replaces by
// itself, and in itself before it ends
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLER(name)                                 \
  __attribute__((noinline)) static void name(void) { \
    syscall(SYS_getppid);                            \
    __asm__ volatile(""); /* no tail call */         \
  }
CALLER(of_child)
CALLER(of_first)
CALLER(of_last)

int main(int argc, char** argv) {
  if (argc > 1) return of_last(), 0;
  const pid_t child = fork();
  if (child == 0) of_child(), _exit(0);
  if (child < 0 || waitpid(child, 0, 0) != child) return 1;
  of_first();
  execl("/proc/self/exe", argv[0], "last", (char*)0);
  return 1;
}
