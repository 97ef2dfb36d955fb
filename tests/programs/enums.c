// SPDX-License-Identifier: GPL-3.0-or-later
// A function with enums of each sign.
enum large { SMALL = 1, MIDDLE = 200, LARGE = 0x80000000U };
enum __attribute__((packed)) little { FEW = 3, MANY = 200 };
enum negative { MINUS = -1, PLUS = 1 };

struct all {
  enum large large, other;
  enum little little, odd;
  enum negative negative;
};

volatile long g_seen;

__attribute__((noinline, noclone)) void show(const struct all* all, enum large large, enum negative negative) {
  g_seen += (long)all->large + large + negative;
}

struct all g_all = {LARGE, LARGE + 1, MANY, MANY + 1, MINUS};

int main(void) {
  show(&g_all, LARGE, MINUS);
  return 0;
}
