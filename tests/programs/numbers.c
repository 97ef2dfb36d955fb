// SPDX-License-Identifier: GPL-3.0-or-later
// Makes system calls by their numbers: numbers [wait] WAY:NUMBER:TIMES...   WAY: 64 (syscall) or 32 (int $0x80)
//                                      numbers many COUNT                   COUNT numbers that no table has
// "wait": reads a line first. Prints how many calls failed with ENOSYS, and the result of each that did not.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long failed;

static long call_64(unsigned long number) {
#ifdef __x86_64__
  unsigned long result;
  register unsigned long r10 __asm__("r10") = 4, r8 __asm__("r8") = 5, r9 __asm__("r9") = 6;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(1), "S"(2), "d"(3), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return (long)result;
#else
  (void)number;
  return -EINVAL;
#endif
}

static long call_32(unsigned long number) {
  unsigned long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(1), "c"(2), "d"(3), "S"(4), "D"(5) : "memory");
  return (int)result;
}

static void make_calls(const char* text) {
  char* rest;
  const long way = strtol(text, &rest, 10);
  const unsigned long number = strtoull(rest + 1, &rest, 0);
  for (long n = strtol(rest + 1, NULL, 10); n > 0; n--) {
    const long result = way == 64 ? call_64(number) : call_32(number);
    if (result == -ENOSYS)
      failed++;
    else
      printf("%s: %ld\n", text, result);
  }
}

int main(int count, char** argument) {
  char line[16];
  int first = 1;
  if (count > 1 && strcmp(argument[1], "wait") == 0) {
    first = 2;
    if (fgets(line, sizeof line, stdin) == NULL) return 1;
  }
  if (count > 2 && strcmp(argument[1], "many") == 0) {
    for (long n = 0; n < atol(argument[2]); n++) failed += call_64(0x10000 + n) == -ENOSYS;
    first = count;
  }
  for (int n = first; n < count; n++) make_calls(argument[n]);
  printf("failed %ld\n", failed);
  return 0;
}
