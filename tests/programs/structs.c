// SPDX-License-Identifier: GPL-3.0-or-later
// Functions with arguments of various types.
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))

enum colour { RED = 3, GREEN, BLUE = -2 };

typedef struct point {
  short x, y;
} point_t;

struct node {
  int id;
  char name[12];
  struct node* next;
  const char* label;
  enum colour colour;
  unsigned int low : 3, high : 7;
  int negative : 5;
  union {
    uint64_t whole;
    struct {
      uint32_t first, second;
    };
  };
  point_t corners[3];
  int grid[2][3];
};

typedef struct node node_t;

volatile int g_seen;

KEEP int visit(struct node* node, const char* what, enum colour colour, double weight, unsigned char last) {
  g_seen += node->id + what[0] + (int)colour + (int)weight + last;
  return node->id * 2;
}

KEEP point_t* corner(node_t* node, int which) {
  g_seen += which;
  return &node->corners[which];
}

KEEP void nothing(void) { g_seen++; }

int main(void) {
  struct node tail = {.id = 8, .name = "tail", .label = "the last", .colour = BLUE};
  struct node head = {.id = 7,
                      .name = "head-of-list",
                      .next = &tail,
                      .label = "the first",
                      .colour = GREEN,
                      .low = 5,
                      .high = 99,
                      .negative = -3,
                      .first = 0x11223344,
                      .second = 0x55667788,
                      .corners = {{1, -2}, {3, -4}, {5, -6}},
                      .grid = {{1, 2, 3}, {4, 5, 6}}};
  int result = visit(&head, "walk", RED, 2.5, 200);
  result += corner(&head, 2)->x;
  nothing();
  write(-1, &head, sizeof head);
  return result == 1;
}
