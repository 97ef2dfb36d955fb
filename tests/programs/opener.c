// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a library and calls twice() of it, as often as it is told, in processes that come in different ways.
//   opener LIBRARY STEP ...   a step: open, fork (the child goes on), vfork, exec (vfork and exec run the rest anew),
//                             await (a byte on standard input)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int call(const char* path) {
  void* library = dlopen(path, RTLD_NOW);
  int (*twice)(int) = library ? (int (*)(int))dlsym(library, "twice") : 0;
  return twice && twice(21) == 42;
}

static int await(void) {
  int status = 0;
  return wait(&status) < 0 || status != 0;
}

/// argv[n] becomes the first step of a new program.
static int again(char** argv, int n) {
  char *library = argv[1], *program = argv[0];
  argv += n - 2;
  argv[0] = program;
  argv[1] = library;
  execv(program, argv);
  _exit(8);
}

int main(int argc, char** argv) {
  for (int n = 2; n < argc; n++) {
    if (!strcmp(argv[n], "open") && !call(argv[1])) return 9;
    if (!strcmp(argv[n], "fork") && fork()) return await();
    if (!strcmp(argv[n], "vfork")) {
      if (vfork()) return await();
      again(argv, n + 1);
    }
    if (!strcmp(argv[n], "await")) {
      char byte;
      if (write(1, "w", 1) != 1 || read(0, &byte, 1) != 1) return 7;
    }
    if (!strcmp(argv[n], "exec")) again(argv, n + 1);
  }
  return 0;
}
