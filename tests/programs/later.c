// SPDX-License-Identifier: GPL-3.0-or-later
// Loads libraries one after the other, calls go() of each three times and prints the sum of what it returns.
//   later HOW FILE ...
//     replace  each FILE is moved to one path, loaded from there, and closed
//     folders  each FILE is loaded where it is, and closed
//     kept     the same, and stays loaded
//     memory   each FILE is loaded from a memfd of one name, and closed
//     forks    the same as folders, each in a child of its own
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned sum;

static void die(const char* what) {
  perror(what);
  exit(1);
}

static void load(const char* path, int keep) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  int (*go)(int) = (int (*)(int))dlsym(library, "go");
  if (go == NULL) die("dlsym");
  for (int n = 0; n < 3; n++) sum = sum * 31 + (unsigned)go(n + 5);
  if (!keep) dlclose(library);
}

static void load_replaced(const char* path) {
  char place[4096];
  snprintf(place, sizeof place, "%.*s/plugged.so", (int)(strrchr(path, '/') - path), path);
  if (rename(path, place) != 0) die(place);
  load(place, 0);
}

static void load_from_memory(const char* path) {
  int from = open(path, O_RDONLY), memory = memfd_create("plugged.so", 0);
  if (from < 0 || memory < 0 || sendfile(memory, from, NULL, 1 << 20) <= 0) die(path);
  char name[64];
  snprintf(name, sizeof name, "/proc/self/fd/%d", memory);
  load(name, 0);
  close(memory);
  close(from);
}

static void load_in_child(const char* path) {
  pid_t child = fork();
  if (child < 0) die("fork");
  if (child == 0) {
    load(path, 0);
    printf("%u\n", sum);
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) {
    fprintf(stderr, "the child's status is %#x\n", status);
    exit(1);
  }
}

int main(int argc, char** argv) {
  const char* how = argv[1];
  for (int n = 2; n < argc; n++) {
    if (strcmp(how, "replace") == 0) load_replaced(argv[n]);
    if (strcmp(how, "folders") == 0) load(argv[n], 0);
    if (strcmp(how, "kept") == 0) load(argv[n], 1);
    if (strcmp(how, "memory") == 0) load_from_memory(argv[n]);
    if (strcmp(how, "forks") == 0) load_in_child(argv[n]);
  }
  printf("%u\n", sum);
  return 0;
}
