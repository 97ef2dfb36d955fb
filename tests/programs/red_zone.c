// SPDX-License-Identifier: GPL-3.0-or-later
// red_zone COUNT: calls leaf functions that keep data below the stack pointer, over a nop of each length, and one that
// begins with a 5-byte nop. Prints how many results were wrong.
#include <stdio.h>
#include <stdlib.h>

#define LEAF(name, nop)                                                                        \
  __asm__(".globl " #name "\n.type " #name ",@function\n" #name ":\n mov %rdi,-8(%rsp)\n " nop \
          "\n mov -8(%rsp),%rax\n ret\n.size " #name ",.-" #name "\n");                        \
  long name(long)

// The nop is at offset 5.
LEAF(nop1, "nop");
LEAF(nop2, ".byte 0x66,0x90");
LEAF(nop5, ".byte 0x0f,0x1f,0x44,0,0");
LEAF(nop5_narrow, ".byte 0x66,0x0f,0x1f,0x40,0");
LEAF(nop7, ".byte 0x0f,0x1f,0x80,0,0,0,0");
LEAF(nop10, ".byte 0x66,0x2e,0x0f,0x1f,0x84,0,0,0,0,0");

__asm__(
    ".globl patched\n.type patched,@function\npatched:\n .byte 0x0f,0x1f,0x44,0,0\n mov %rdi,%rax\n ret\n.size "
    "patched,.-patched\n");
long patched(long);

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 1000;
  long (*const functions[])(long) = {nop1, nop2, nop5, nop5_narrow, nop7, nop10, patched};
  long wrong = 0;
  for (long i = 0; i < count; i++)
    for (unsigned n = 0; n < sizeof functions / sizeof *functions; n++) wrong += functions[n](i) != i;
  printf("%ld wrong\n", wrong);
  return wrong != 0;
}
