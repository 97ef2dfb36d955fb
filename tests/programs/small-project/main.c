// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdio.h>

#include "parts.h"

int main(void) {
  int (*const parts[])(int) = {part1, part2, part3, part4, part5, part6, part7, part8, part9};
  long sum = 0;
  for (int i = 0; i < 9; ++i) sum += parts[i](1000 + i);
  printf("sum %ld\n", sum);
  return 0;
}
