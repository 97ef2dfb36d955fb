// SPDX-License-Identifier: GPL-3.0-or-later
// Descriptors of several kinds, each passed to the kernel by fsync(); in the folder that is its argument.
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 2 || chdir(argv[1]) != 0) return 1;
  int file = open("data.txt", O_RDWR | O_CREAT | O_APPEND, 0600);
  if (file < 0 || dup2(file, 20) != 20 || write(20, "0123456789", 10) != 10) return 2;
  lseek(20, 4, SEEK_SET);
  fsync(20);
  int ends[2];
  if (pipe(ends) != 0 || dup2(ends[0], 21) != 21) return 3;
  fsync(21);
  if (dup2(socket(AF_UNIX, SOCK_STREAM, 0), 22) != 22) return 4;
  fsync(22);
  fsync(99);
  fsync(-1);
  open("/nosuch/file", O_RDONLY);
  return 0;
}
