// SPDX-License-Identifier: GPL-3.0-or-later
// Opens two paths in pages that the program has never accessed: one of a mapped file, one of its own data. usage:
// untouched FILE, with a path at offset 8192 of FILE.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static const char path_in_data[3 * 4096]
    __attribute__((aligned(4096))) = {[4096] = '/', 'd', 'a', 't', 'a', '/', 'p', 'a', 'g', 'e'};

int main(int argc, char** argv) {
  int file = open(argv[argc - 1], O_RDONLY);
  char* mapped = mmap(0, 3 * 4096, PROT_READ, MAP_PRIVATE, file, 0);
  if (file < 0 || mapped == MAP_FAILED) return 1;
  open(mapped + 8192, O_RDONLY | O_CLOEXEC);
  open(path_in_data + 4096, O_RDONLY | O_CLOEXEC);
  return 0;
}
