// SPDX-License-Identifier: GPL-3.0-or-later
// mid() and leaf() are left only by exceptions: 10 throws, and no returns. top() returns 10 times.
#include <cstdio>

#define FUNCTION extern "C" __attribute__((noinline, noclone))

FUNCTION int leaf(int x) {
  asm volatile("");
  if (x >= 0) throw x;
  return x * 2;
}

FUNCTION int mid(int x) {
  int result = leaf(x);
  asm volatile("");
  return result + 1;
}

FUNCTION int top(int x) {
  try {
    int result = mid(x);
    asm volatile("");
    return result;
  } catch (int) {
    asm volatile("");
    return -1;
  }
}

int main() {
  int sum = 0;
  for (int i = 0; i < 10; i++) sum += top(i);
  std::printf("%d\n", sum);
}
