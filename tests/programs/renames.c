// SPDX-License-Identifier: GPL-3.0-or-later
// Overwrites its arguments as setproctitle() does, then renames its thread, twice; calls getppid() after each.
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char** argv) {
  (void)argc;
  getppid();
  memset(argv[0], 'T', strlen(argv[0]));
  getppid();
  prctl(PR_SET_NAME, "new name)");
  getppid();
  prctl(PR_SET_NAME, "a\nb");
  getppid();
  return 0;
}
