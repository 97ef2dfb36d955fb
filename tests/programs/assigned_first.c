// SPDX-License-Identifier: GPL-3.0-or-later
// Functions that give a parameter another value before anything else, so that nobody needs what is passed: then
// compilers do not pass it, and the debug information may have that other value at the first instruction.
#define N __attribute__((noinline))

struct pair {
  long x;
  int y;
};

static volatile long sink;

N static void use(long value) {
  sink = value;
  sink += value;
}

N static void constant(int a, int b) {
  a = 5;
  use(a + b);
  use(sink + a);
}

N static void two(int a, int b, int c) {
  a = 5;
  b = 6;
  use(a + c);
  use(b + c);
}

N static void other(int a, int b, int c) {
  a = b;
  b = 6;
  use(a + c);
  use(b + c);
}

N static void real(double a, double b) {
  a = b;
  use((long)(a + b));
  use((long)a);
}

N static void pointer(struct pair* a, struct pair* b) {
  a = b;
  use(a->x);
  use(b->y);
}

N static void always(int a, int b, int c) {  // 9 is passed, always
  a = 5;
  use(a + b + c);
  use(b + c);
}

int main(int argc, char** argv) {
  (void)argv;
  for (int n = argc; n < argc + 2; n++) {
    struct pair one = {n, n}, more = {2L * n, n};
    constant(300 * n, 11);
    constant(300 * n, n);
    two(301 * n, 302 * n, n);
    other(303 * n, 304 * n, n);
    real(305 * n, 306 * n);
    pointer(&one, &more);
    always(9, 307 * n, n);
  }
  return 0;
}
