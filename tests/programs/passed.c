// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments in each class of the calling convention: structs by value, reals between, a result that is too big for
// registers; and static functions that -O2 copies with other parameters
#include <stdbool.h>
#include <stdio.h>

typedef struct {
  long a, b;
} Pair;  // two registers
typedef struct {
  long a, b, c;
} Triple;  // memory
typedef struct {
  int x;
  double y;
} Mixed;
typedef struct {
  char c[3];
} Tiny;

typedef struct __attribute__((packed)) {
  char a;
  int b;
} Packed;  // memory, for b is not aligned

#define N __attribute__((noinline, noclone, noipa))

N long pair(Pair p, int k) { return p.a + p.b + k; }
N long triple(Triple t, int k) { return t.c + k; }
N long mixed(Mixed m, int k) { return m.x + k; }
N long between(int a, double d, int b) { return a + (long)d + b; }
N Triple sret(int k, int j) {
  Triple t = {k, j, k + j};
  return t;
}
N long floats(float f, int k, double d, int j) { return k + j + (f < 0) + (d < 0); }
N long tiny(Tiny t, int k) { return t.c[0] + k; }
N long packed(Packed p, int k) { return p.b + k; }
N long wide(__int128 w, int k) { return (long)w + k; }
N long extended(long double l, int k) { return k + (l < 0); }
N bool flag(bool b, signed char c, short s, unsigned char u) { return b + c + s + u; }
N Pair retpair(int k) {
  Pair p = {k, k + 1};
  return p;
}

static __attribute__((noinline)) int dropped(int unused, int used, int also) {
  __asm__ volatile("" : "+r"(used));
  return used * 3 + also;
}
static __attribute__((noinline)) int fields(Pair* p, int k) {
  __asm__ volatile("" : "+r"(k));
  return (int)p->b * k;
}

int main(int argc, char** argv) {
  Pair p = {11, 22};
  Triple t = {1, 2, 33};
  Mixed m = {44, 5.5};
  Tiny y = {{7, 8, 9}};
  Packed u = {3, 61};
  long s = pair(p, 66) + triple(t, 77) + mixed(m, 88) + between(12, 3.5, 34) + sret(56, 78).c;
  s += floats(1.5f, 90, 2.5, 91) + tiny(y, 92) + wide(((__int128)1 << 64) + 5, 93) + extended(1.0L, 94);
  s += packed(u, 62) + flag(true, -3, -300, 200) + retpair(95).b;
  s += dropped(argc + 1000, 1234, argc + 5677) + dropped(argc, 1234, argc + 5677) + fields(&p, argc + 41);
  printf("%ld %d\n", s, argv[0] == NULL);
  return 0;
}
