// SPDX-License-Identifier: GPL-3.0-or-later
// Adds to a counter in a restartable sequence, rseq(2), with the C library's registration, and prints the counter.
//   sequences COUNT
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/rseq.h>

static uint64_t counter;

// "adds" has code before its sequence, in it, and behind it.
__attribute__((noinline)) static void adds(struct rseq* area) {
  __asm__ volatile(
      ".pushsection __rseq_cs, \"aw\"\n.balign 32\n"
      "4: .long 0, 0\n.quad 1f, 2f - 1f, 3f\n.popsection\n"
      "5: lea 4b(%%rip), %%rax\n mov %%rax, %[current]\n"
      "1: mov %[counter], %%rcx\n add $1, %%rcx\n mov %%rcx, %[counter]\n"
      "2: jmp 6f\n"
      ".byte 0x0f, 0xb9, 0x3d\n.long 0x53053053\n"
      "3: jmp 5b\n"
      "6: movq $0, %[current]\n"
      : [counter] "+m"(counter), [current] "=m"(*(uint64_t*)&area->rseq_cs)
      :
      : "rax", "rcx", "memory", "cc");
}

int main(int argc, char** argv) {
  struct rseq* area = (struct rseq*)((char*)__builtin_thread_pointer() + __rseq_offset);
  if (__rseq_size == 0) return puts("not registered"), 77;
  for (int i = argc > 1 ? atoi(argv[1]) : 10; i > 0; i--) adds(area);
  printf("%lu\n", (unsigned long)counter);
  return 0;
}
