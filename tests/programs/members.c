// SPDX-License-Identifier: GPL-3.0-or-later
// Calls a function with records until it is killed: for what the prompt knows of their members.
#include <unistd.h>

struct place {
  int row, column;
};

typedef struct item {
  int number;
  struct item* next;
  struct place place;
  char label[8];
  union {
    long whole;
    int half;
  };
} item_t;

volatile int g_seen;

__attribute__((noinline, noclone)) int visit(item_t* item, const struct place* place) {
  g_seen += item->number + place->row;
  return g_seen;
}

int main(void) {
  struct item last = {.number = 2, .label = "last"}, first = {.number = 1, .next = &last, .label = "first"};
  const struct place place = {3, 4};
  for (;;) {
    visit(&first, &place);
    usleep(10000);
  }
}
