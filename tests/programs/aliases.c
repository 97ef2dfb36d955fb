// SPDX-License-Identifier: GPL-3.0-or-later
// Functions with several names: twice() is called twice, hid() once.
static volatile int sink;

__attribute__((noinline)) int twice(int a) { return a + sink; }
int __twice(int a) __attribute__((weak, alias("twice")));

static __attribute__((noinline, used)) int hid(int a) { return a - sink; }
int _hid(int a) __attribute__((weak, alias("hid")));

int main(void) {
  sink = twice(1) + __twice(2) + hid(3);
  return 0;
}
