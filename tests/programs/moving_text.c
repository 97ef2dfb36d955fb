// SPDX-License-Identifier: GPL-3.0-or-later
// Memory with probes is moved or made writable for a while, then a library is opened or closed.
// moving_text protect | move | copy | plain
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
extern int f(int);
extern char f_page[], f_end[];
__asm__(
    ".text\n.balign 4096\n.globl f_page\nf_page:\n.globl f\n.type f,@function\nf: cmp $5,%edi\n lea 1(%rdi),%eax\n "
    "ret\n.size f,.-f\n.balign 4096\n.globl f_end\nf_end:\n");
int main(int c, char** v) {
  int s = 0;
  for (int i = 0; i < 10; i++) s += f(0);
  int k = v[1][0] == 'p' && v[1][1] == 'r' ? 1 : v[1][0] == 'm' ? 2 : v[1][0] == 'c' ? 3 : 0;
  int (*g)(int) = f;
  if (k == 1) {
    mprotect(f_page, 4096, PROT_READ | PROT_WRITE);
    dlclose(dlopen("libm.so.6", RTLD_NOW));
    mprotect(f_page, 4096, PROT_READ | PROT_EXEC);
    dlclose(dlopen("libm.so.6", RTLD_NOW));
  }
  if (k == 2) {
    g = mremap(f_page, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, 0x20000000);
    dlclose(dlopen("libm.so.6", RTLD_NOW));
  }
  if (k == 3) {
    char* m = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(m, f_page, 4096);
    g = (int (*)(int))m;
  }
  for (int i = 0; i < 10; i++) s += g(0);
  printf("%d ok\n", s);
  return 0;
}
