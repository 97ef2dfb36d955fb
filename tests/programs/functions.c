// SPDX-License-Identifier: GPL-3.0-or-later
// 50,000 functions, fn0 to fn49999. Waits until its standard input ends, calls each once and prints the sum.
// The assembler makes them: a C compiler takes half a minute.
#include <stdio.h>
#include <unistd.h>

#define COUNT 50000
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

__asm__(".altmacro\n"
	".macro function n\n"
	".type fn\\n, @function\n"
	"fn\\n:\n"
	".cfi_startproc\n"
	"mov %rdi, %rax\n"
	"add $\\n, %rax\n"
	"ret\n"
	".cfi_endproc\n"
	".size fn\\n, . - fn\\n\n"
	".p2align 4\n"
	".pushsection .data.rel.ro, \"aw\"\n"
	".quad fn\\n\n"
	".popsection\n"
	".endm\n"
	".pushsection .data.rel.ro, \"aw\"\n"
	".p2align 3\n"
	".globl functions\n"
	"functions:\n"
	".popsection\n"
	".text\n"
	".p2align 4\n"
	".set n, 0\n"
	".rept " TEXT(COUNT) "\n"
	"function %n\n"
	".set n, n + 1\n"
	".endr\n"
	".noaltmacro\n");

extern long (*const functions[COUNT])(long);

int main(void) {
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
  long sum = 0;
  for (int i = 0; i < COUNT; i++) sum = functions[i](sum);
  printf("%ld\n", sum);
  return 0;
}
