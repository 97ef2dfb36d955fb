// SPDX-License-Identifier: GPL-3.0-or-later
// Calls getppid and getuid every 20 ms and counts in a file: ticker FILE TICKS
// TICKS 0: until FILE.end exists. The file has the number of the last tick; at the end `done`, and the total.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void put(int file, const char* text) {
  if (pwrite(file, text, strlen(text), 0) < 0) _exit(3);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  int file = open(argv[1], O_CREAT | O_TRUNC | O_WRONLY, 0644);
  const int ticks = atoi(argv[2]);
  char end[4096], text[32];
  snprintf(end, sizeof end, "%s.end", argv[1]);
  int i = 1;
  for (; ticks > 0 ? i <= ticks : access(end, F_OK) != 0; ++i) {
    snprintf(text, sizeof text, "%10d %10d\n", i, (int)getpid());
    put(file, text);
    syscall(SYS_getppid);
    syscall(SYS_getuid);
    usleep(20000);
  }
  snprintf(text, sizeof text, "done %16d\n", i - 1);
  put(file, text);
  return 0;
}
