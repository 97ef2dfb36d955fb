// SPDX-License-Identifier: GPL-3.0-or-later
// The program moves its own text into anonymous (huge) pages, as node --use-largepages, php opcache.huge_code_pages and iodlr do, then loads a library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
__attribute__((noinline, aligned(64))) int f(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}
static long sum;
static void ten(void) {
  for (int i = 0; i < 10; i++) sum += f(i);
}
extern char __executable_start[], etext[];
typedef void* (*copy_t)(void*, const void*, size_t);
typedef void* (*mmap_t)(void*, size_t, int, int, int, off_t);
typedef int (*prot_t)(void*, size_t, int);
int main(int c, char** v) {
  ten();
  char *from = (char*)((unsigned long)main & ~4095ul), *to = (char*)(((unsigned long)etext + 4095) & ~4095ul);
  if ((char*)f < from) from = (char*)((unsigned long)f & ~4095ul);
  size_t n = to - from;
  char* copy = mmap(0, n, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(copy, from, n);
  // libc's functions replace the text under us: all calls below are in libc, the return goes to the new pages
  char* fresh = mremap(copy, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, from);
  if (fresh != from) perror("mremap");
  mprotect(from, n, PROT_READ | PROT_EXEC);
  ten();
  void* l = dlopen(c > 1 ? v[1] : "libm.so.6", RTLD_NOW);
  if (c > 2) sleep(1);
  ten();
  printf("%s %ld\n", l ? "ok" : dlerror(), sum);
  return 0;
}
