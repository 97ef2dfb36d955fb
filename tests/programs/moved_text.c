// SPDX-License-Identifier: GPL-3.0-or-later
// Moves its own text to anonymous memory, as programs do for huge pages: copies it, and maps the copy over it. Then says "moved", and
// calls work() ten times when a byte comes on standard input.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline)) int work(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

int main(void) {
  char line[512], rights[8], byte;
  unsigned long begin = 0, end = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) {
    if (sscanf(line, "%lx-%lx %7s", &begin, &end, rights) != 3) continue;
    if (rights[2] == 'x' && begin <= (unsigned long)work && (unsigned long)work < end) break;
  }
  fclose(maps);
  const size_t size = end - begin;
  char* copy = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(copy, (void*)begin, size);
  mprotect(copy, size, PROT_READ | PROT_EXEC);
  if (mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void*)begin) == MAP_FAILED) return 1;
  printf("moved\n");
  fflush(stdout);
  if (read(0, &byte, 1) < 0) return 1;
  int sum = 0;
  for (int i = 0; i < 10; i++) sum += work(i);
  printf("sum %d\n", sum);
  return 0;
}
