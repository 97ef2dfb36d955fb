// SPDX-License-Identifier: GPL-3.0-or-later
// Two programs, by their SIZE, that share the type of a result but not that of a parameter: dwz moves the former to a
// third file. Without that file nobody knows that the result is in memory, and its address in the first register.
#ifndef SIZE
#define SIZE 3
#endif

struct shared {
  struct shared *next, *others[4], *more[8];
  void *a, *b, *c, *d;
};

struct own {
  struct own* next;
  char here[SIZE];
};

__attribute__((noinline)) struct shared f(struct own* p) {
  struct shared result = {0};
  result.a = p->next;
  return result;
}

int main(void) {
  struct own one = {&one, {0}};
  struct shared result = f(&one);
  return result.a != &one;
}
