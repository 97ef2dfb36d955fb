// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a byte at a time, at the bottom of stacks of changing depth: each step is a comparison inside of std::sort.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <vector>

static bool read_below(int depth) {
  std::vector<int> two = {depth, depth + 1};
  bool ended = false;
  std::sort(two.begin(), two.end(), [&](int a, int b) {
    char byte;
    ended = ended || (depth > 0 ? read_below(depth - 1) : read(0, &byte, 1) <= 0);
    return a < b;
  });
  return ended;
}

int main() {
  const std::function<bool(int)> step = read_below;
  for (int turn = 0; !step(turn % 7); turn++) continue;
}
