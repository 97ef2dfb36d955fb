// SPDX-License-Identifier: GPL-3.0-or-later
// A library of SIZE functions before FUNC, which go() calls: builds with another SIZE have no instruction where the
// others have some. go() returns a number that depends on all of them.
#ifndef FUNC
#define FUNC inner
#endif
#ifndef SIZE
#define SIZE 1
#endif

#ifndef TAKES
#define TAKES int
#endif

#define PAD(n) \
  __attribute__((noinline, used)) int pad##n(int a) { return a * (n * 1000003 + 17) + (a ^ (n * 77)); }
PAD(1)
#if SIZE > 1
PAD(2)
PAD(3)
#endif

__attribute__((noinline)) int FUNC(int a) {
  __asm__ volatile("");
  return pad1(a) + SIZE;
}

int go(TAKES argument) {
  int a = (int)argument, result = FUNC(a) * 3;
#if SIZE > 1
  result += pad2(a) - pad3(result);
#endif
  __asm__ volatile("");
  return result;
}
