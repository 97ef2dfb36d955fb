// SPDX-License-Identifier: GPL-3.0-or-later
// An object that is passed by its address, of which the compiler's own copy of the function gets the parts.
#include <cstdio>

struct Whole {
  long a;
  int b;
  Whole() {}
  Whole(const Whole& other) : a(other.a), b(other.b) {}
};

[[gnu::noinline]] static void parts(Whole whole) {
  volatile long a = whole.a;
  volatile int b = whole.b;
  (void)a, (void)b;
  puts("called");
}

[[gnu::noinline]] void call(long number) {
  Whole whole;
  whole.a = number;
  whole.b = 7;
  parts(whole);
}

int main(int argc, char**) {
  call(argc + 41);
  call(argc + 42);
}
