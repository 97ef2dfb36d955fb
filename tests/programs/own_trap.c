// SPDX-License-Identifier: GPL-3.0-or-later
// own_trap WHERE: dies of an int3 of its own: in its text, in memory that it has made, or none but kill(); after a call of work().
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline)) int work(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

int main(int argc, char** argv) {
  const char* where = argc > 1 ? argv[1] : "none";
  work(1);
  if (strcmp(where, "text") == 0) __asm__ volatile("int3");
  if (strcmp(where, "memory") == 0) {
    unsigned char* code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(code, 0xcc, 16);
    ((void (*)(void))code)();
  }
  kill(getpid(), SIGTRAP);
  return 1;
}
