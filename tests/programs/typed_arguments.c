// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments and results of the types that a script reads by args[]: integers of each size, structs in two registers and on
// the stack, pointers with members behind them, bit fields, a struct within a struct, reals
#include <stdio.h>

typedef struct {
  long a;
  int b;
} Pair;  // two registers
typedef struct {
  long a, b;
  char name[12];
} Triple;  // memory
typedef struct {
  int low : 3;
  unsigned middle : 11;
  long high : 40;
} Bits;
typedef struct {
  short first;
  struct {
    signed char x, y;
  } inner;
  int last;
} Nested;  // one register
typedef struct {
  long a;
  double b;
} Mixed;  // a register and a vector
struct node {
  int id;
  struct node* next;
  Pair pair;
};

#define N __attribute__((noinline, noclone, noipa))

N long small(signed char c, unsigned char u, short s, unsigned short w) { return c + u + s + w; }
N long large(int i, unsigned n, long l, unsigned long m) { return i + n + l + (long)m; }
N long stacked(long a, long b, long c, long d, long e, long f, int g, signed char h) {
  return a + b + c + d + e + f + g + h;
}
N long pair(Pair p, int k) { return p.a + p.b + k; }
N long triple(int k, Triple t) { return t.a + t.b + t.name[0] + k; }
N long bits(Bits b) { return b.low + b.middle + b.high; }
N long nested(Nested n, int k) { return n.first + n.inner.x + n.inner.y + n.last + k; }
N long behind(struct node* n, const char* text) { return n->id + n->next->id + text[0]; }
N long mixed(Mixed m, int k) { return m.a + (long)m.b + k; }
N Pair made(long a, int b) {
  Pair p = {a, b};
  return p;
}
N short narrow(int k) { return (short)-k; }
N int target(int k) { return k * 3; }
N int tail(int k) { return target(k + 1); }  // -O2: by a jump, where there is no result yet

int main(int argc, char** argv) {
  const int calls = argc > 1 ? 100000 : 1;
  struct node last = {8, NULL, {21, 22}}, first = {7, &last, {23, 24}};
  Triple t = {-5, 6, "on a stack"};
  Bits b = {-3, 1234, -99999999999};
  Nested n = {-300, {-1, 2}, 400000};
  Mixed m = {31, 2.5};
  Pair p = {-1234567890123, -77};
  long s = 0;
  for (int call = 0; call < calls; call++) {
    s += small(-100, 200, -30000, 60000) + large(-7, 4000000000u, -1234567890123, ~0ul);
    s += stacked(1, 2, 3, 4, 5, 6, -70000, -8) + pair(p, 66) + triple(67, t) + bits(b) + nested(n, 68);
    s += behind(&first, "some text") + mixed(m, 69) + made(-9876543210, 70).b + narrow(71) + tail(72);
  }
  printf("%ld %d\n", s, argv[0] == NULL);
  return 0;
}
