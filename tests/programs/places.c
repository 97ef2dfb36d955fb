// SPDX-License-Identifier: GPL-3.0-or-later
// places FOLDER: goes to places and opens files that lose their names; calls getpgid(-7 - fd) at each.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void mark(int fd) { syscall(SYS_getpgid, -7 - fd); }

int main(int argc, char** argv) {
  if (argc != 2 || chdir(argv[1]) != 0 || mkdir("gone folder", 0755) != 0 || chdir("gone folder") != 0) return 2;
  mark(0);
  rmdir("../gone folder");
  mark(0);
  if (chdir(argv[1]) != 0) return 2;
  const int file = open("some file", O_RDWR | O_CREAT | O_APPEND, 0644);
  if (write(file, "12345", 5) != 5) return 2;
  mark(file);
  unlink("some file");
  mark(file);
  mark(dup2(file, 9));
  mark(8);  // there is none
  if (chroot(argv[1]) != 0 || chdir("/") != 0) return 3;
  mark(open("/inside", O_RDONLY | O_CREAT, 0644));
  return 0;
}
