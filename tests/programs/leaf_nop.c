// SPDX-License-Identifier: GPL-3.0-or-later
// A function without a frame that keeps a value below the stack pointer (in the red zone) across a nop of 5 bytes: whatever stands on the nop
// must leave that memory alone. Linux 6.18's uprobes do not.
#include <stdio.h>

__asm__(
    ".text\n.globl leaf\n.type leaf,@function\n"
    "leaf: mov %rdi,-8(%rsp)\n .byte 0x0f,0x1f,0x44,0,0\n mov -8(%rsp),%rax\n ret\n.size leaf,.-leaf\n");
extern long leaf(long);

int main(void) {
  int wrong = 0;
  for (long i = 0; i < 1000; i++) wrong += leaf(i) != i;
  printf("%d of 1000 wrong\n", wrong);
  return wrong != 0;
}
