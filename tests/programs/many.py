#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints a C program: 300 functions, which 4 threads call in turn. `many RESULT ROUNDS` writes to RESULT whether all
threads agree, and their sum."""

N = 300
BODIES = ("return x + {i};", "return (x & 1023) + {i};", "if (x > 3 * {i}) return x - {i}; return x + 1;", "return x * 3 % 10007 + {i};")

print("#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\nstatic long sums[4];\nstatic int rounds;")
for n in range(N):
    print(f'__attribute__((noinline)) long f{n}(long x) {{ __asm__ volatile("" : "+r"(x)); {BODIES[n % 4].format(i=n)} }}')
print("static long (*const functions[])(long) = {" + ",".join(f"f{n}" for n in range(N)) + "};")
print("""
static void *work(void *which) {
  long sum = 0;
  for (int round = 0; round < rounds; round++)
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) sum += functions[i](sum % 5000 + round);
  *(long *)which = sum;
  return NULL;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  fclose(fopen(argv[1], "w"));
  rounds = atoi(argv[2]);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, &sums[i]);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  FILE *file = fopen(argv[1], "w");
  fprintf(file, "%s %ld\\n", sums[0] == sums[1] && sums[1] == sums[2] && sums[2] == sums[3] ? "right" : "wrong", sums[0]);
  return fclose(file);
}""")
