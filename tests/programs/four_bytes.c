// SPDX-License-Identifier: GPL-3.0-or-later
// A text that fills its array, so that no NUL ends it, and a member right behind it.
#include <string.h>

struct four {
  char text[4];
  int after;
};

__attribute__((noinline)) int take(struct four* four) {
  __asm__ volatile("" : : "r"(four) : "memory");
  return four->after;
}

int main(void) {
  struct four four = {.after = 0x55555555};
  memcpy(four.text, "0123", 4);
  return take(&four) != 0x55555555;
}
