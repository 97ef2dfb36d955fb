// SPDX-License-Identifier: GPL-3.0-or-later
// Recursion into a PROT_NONE guard page: the handler prints where the fault was. As untraced: "fault in guard page, depth D" with the same D.
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
static sigjmp_buf j;
volatile long depth;
static char* base;
static volatile long off;
__asm__(
    ".text\n.globl rec\n.type rec,@function\nrec: push %rbp\n push %rbx\n incq depth(%rip)\n call rec\n pop %rbx\n pop "
    "%rbp\n ret\n.size rec,.-rec\n");
extern void rec(void);
static void h(int s, siginfo_t* i, void* u) {
  off = (char*)i->si_addr - base;
  siglongjmp(j, 1);
}
static void* w(void* p) {
  stack_t ss = {.ss_sp = malloc(65536), .ss_size = 65536};
  sigaltstack(&ss, 0);
  if (!sigsetjmp(j, 1)) rec();
  return 0;
}
int main(void) {
  struct sigaction sa = {.sa_sigaction = h, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigaction(SIGSEGV, &sa, 0);
  base = mmap(0, 65536 + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(base, 4096, PROT_NONE);
  pthread_attr_t a;
  pthread_attr_init(&a);
  pthread_attr_setstack(&a, base + 4096, 65536);
  pthread_t t;
  pthread_create(&t, &a, w, 0);
  pthread_join(t, 0);
  printf("fault at guard + %ld, depth %s\n", off, depth > 2000 && depth < 2800 ? "plausible" : "odd");
  fprintf(stderr, "depth %ld\n", depth);
  return 0;
}
