#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of a program with 50,000 functions, of which each is called COUNT times; it prints a sum."""

COUNT = 50_000

print("#include <stdio.h>\n#include <stdlib.h>\n__asm__(\".text\\n\"")
for number in range(COUNT):
    name = f"fn{number}"
    print(f'"{name}: push %rbp\\n lea {number % 7}(%rdi),%rax\\n pop %rbp\\n ret\\n.type {name},@function\\n.size {name},.-{name}\\n"')
print('".section .data.rel.ro,\\"aw\\"\\n.globl functions\\nfunctions:\\n"')
for number in range(COUNT):
    print(f'".quad fn{number}\\n"')
print(f"""".text\\n");
extern long (*const functions[{COUNT}])(long);
int main(int argc, char** argv) {{
  long sum = 0;
  for (int turn = 0; turn < (argc > 1 ? atoi(argv[1]) : 1); turn++)
    for (int n = 0; n < {COUNT}; n++) sum += functions[n](1);
  printf("%ld\\n", sum);
  return 0;
}}""")
