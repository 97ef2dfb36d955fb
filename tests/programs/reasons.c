// SPDX-License-Identifier: GPL-3.0-or-later
// Functions that a probe description may name, and why it gets them or not. Waits for the end of its input if it has an
// argument: `undumpable` makes it not dumpable before.
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static inline __attribute__((always_inline)) int vanishes(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

__attribute__((noinline)) int first(int x) { return vanishes(x); }
__attribute__((noinline)) int second(int x) { return vanishes(x) * 2; }

extern int generic(void);
__asm__(
    ".text\n.globl \"main.Max[go.shape.int_0]\"\n.type \"main.Max[go.shape.int_0]\",@function\n"
    "\"main.Max[go.shape.int_0]\": push %rbp\n pop %rbp\n xor %eax,%eax\n ret\n"
    ".size \"main.Max[go.shape.int_0]\",.-\"main.Max[go.shape.int_0]\"\n"
    ".globl generic\ngeneric: jmp \"main.Max[go.shape.int_0]\"\n"
    // what sys/sdt.h makes of DTRACE_PROBE(myapp, request__start)
    ".pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n.4byte 2f-1f,4f-3f,3\n1: .asciz \"stapsdt\"\n2: .balign 4\n"
    "3: .8byte first,0,0\n.asciz \"myapp\"\n.asciz \"request__start\"\n.asciz \"\"\n4: .balign 4\n.popsection\n");

int main(int argc, char** argv) {
  char byte;
  if (argc > 1 && strcmp(argv[1], "undumpable") == 0) prctl(PR_SET_DUMPABLE, 0);
  if (argc > 1 && write(STDOUT_FILENO, "\n", 1) == 1) (void)!read(STDIN_FILENO, &byte, 1);
  return first(1) + second(2) + generic() == 0;
}
