// SPDX-License-Identifier: GPL-3.0-or-later
// N getppid (default 10,000) with arguments that the call does not look at: a number of any size, one below 13, a text.
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static char names[5][24] = {"", "seven77", "eight888", "a longer one", "sixteen and more here"};

int main(int argc, char** argv) {
  int times = argc > 1 ? atoi(argv[1]) : 10000;
  uint64_t state = 1;
  for (int i = 0; i < times; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    int64_t number = (int64_t)state >> (state >> 58);  // of all magnitudes
    syscall(SYS_getppid, number, (long)(i % 13), names[i % 5]);
  }
  return 0;
}
