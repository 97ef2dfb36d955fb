// SPDX-License-Identifier: GPL-3.0-or-later
// 32-bit system calls: all of them if built with -m32, else those by `int $0x80`, besides 64-bit ones. compat [wait]:
// with an argument it first waits for a line on standard input. Prints how often it made each.
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static long call32(long number, long a, long b, long c) {
  long result;
#ifdef __x86_64__
  __asm__ volatile("int $0x80"
                   : "=a"(result)
                   : "a"(number), "b"(a), "c"(b), "d"(c)
                   : "memory", "r8", "r9", "r10", "r11");
#else
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
#endif
  return result;
}

enum { kWaitpid = 7, kGetppid = 64, kGeteuid32 = 201 };  // numbers of the i386 table

int main(int argc, char** argv) {
  (void)argv;
  char line[16];
  if (argc > 1 && read(0, line, sizeof line) <= 0) return 1;
  for (int i = 0; i < 300; i++) call32(kGetppid, 0, 0, 0);
  for (int i = 0; i < 200; i++) call32(kGeteuid32, 0, 0, 0);
  for (int i = 0; i < 7; i++) call32(kWaitpid, -1, 0, 5);
  for (int i = 0; i < 30; i++) syscall(SYS_getppid);
  printf("expect getppid 330\nexpect geteuid32 200\nexpect waitpid 7\n");
  return 0;
}
