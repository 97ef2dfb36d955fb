// SPDX-License-Identifier: GPL-3.0-or-later
// Calls strlen, memcpy, strcmp, memset and strcspn 100 times each: indirect functions, by the linkage table.
#include <stdlib.h>
#include <string.h>

static size_t (*volatile length)(const char*) = strlen;
static void* (*volatile copy)(void*, const void*, size_t) = memcpy;
static int (*volatile compare)(const char*, const char*) = strcmp;
static void* (*volatile fill)(void*, int, size_t) = memset;

static size_t (*volatile span)(const char*, const char*) = strcspn;

int main(int argc, char** argv) {
  static const char* const kSets[] = {"abc",
                                      "0123456789012345678"};  // one implementation passes the longer set to another
  static char a[300], b[300];
  size_t sum = 0;
  for (int i = 0; i < 100; i++) {
    sum += length(argv[0]);
    copy(a, b, (size_t)(argc + i));
    sum += (size_t)compare(a, b);
    fill(a, 0, (size_t)(argc + i));
    sum += span("hello", kSets[i % 2]);
  }
  return sum == 0;
}
