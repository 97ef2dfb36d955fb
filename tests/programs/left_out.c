// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of which clang does not pass all parameters, or passes them as others (-O1 and above)
#include <complex.h>
#include <stdio.h>
#define N __attribute__((noinline))
typedef float Half __attribute__((vector_size(8)));
struct Two {
  long a, b;
};
struct Big {
  long x[4];
};
union Either {
  unsigned long a;
  signed char b;
};
static volatile long sink;
N int next(int v) {
  sink = v;
  return v + 1;
}
N static int assigned(int a0, int a1) {
  a0 = a1;
  sink = a0;
  return next(a0);
}
N static int moved(int a0, int a1) {
  a0 = a1;
  a1 = 5;
  sink = a0;
  return next(a0 + a1);
}
N static int unused(int a0, long a1, double a2, double a3) {
  sink = a1 + (long)a3;
  return next(1);
}
N static long behind(struct Big a0, struct Big a1, int a2, int a3) {
  sink = a1.x[2];
  return next(a3) + a1.x[1];
}
N long half(struct Two a0) {
  sink = a0.a;
  return next(1);
}
N int later(int a0, int a1) {
  a1 = next(a0);
  sink = a1;
  return next(a1) + a1;
}
N int vectors(Half a0, float complex a1, int a2) {
  sink = (long)(a0[0] + a0[1] + crealf(a1) + cimagf(a1));
  return next(a2);
}
N static int pointed(int a0, int* a1, int a2) {
  sink = *a1;
  return next(a2);
}
N static long members(int a0, struct Two* a1, int a2) {
  sink = a1->a;
  sink = a1->b;
  return next(a2);
}
N static void show(const void* from) { sink = *(const volatile char*)from; }
N static void slot(signed char a0, union Either a1, char a2) {
  a0 = (signed char)a1.a;
  volatile signed char kept = a0;
  (void)kept;
  show(&a1);
  show(&a2);
}
int main(int argc, char** argv) {
  struct Big one = {{11, 12, 13, argc}}, two = {{21, 22, 23, argc}};
  struct Two pair = {31, 32};
  int value = argc + 40;
  Half h = {1.5f, 2.5f};
  assigned(argc + 50, argc + 51);
  moved(argc + 52, argc + 53);
  unused(argc + 54, argc + 55, argc + 56, argc + 57);
  behind(one, two, argc + 58, argc + 59);
  half(pair);
  later(argc + 60, argc + 61);
  vectors(h, 3.5f + 4.5f * I, argc + 62);
  pointed(argc + 63, &value, argc + 64);
  members(argc + 68, &pair, argc + 69);
  slot((signed char)(argc + 65), (union Either){(unsigned)argc + 66}, (char)(argc + 67));
  return 0;
}
