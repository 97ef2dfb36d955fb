// SPDX-License-Identifier: GPL-3.0-or-later
// Calls getppid() from functions whose addresses get another meaning meanwhile.
//   times go|wait CHANGE [FILE ...]       wait: for a line on standard input before it begins
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

#ifndef FUNC
#define FUNC alpha
#endif

extern char** environ;
extern char __executable_start[], etext[];

__attribute__((noinline)) int FUNC(void) {
  int parent = getppid();
  __asm__ volatile("");
  return parent;
}

static void die(const char* what) {
  perror(what);
  exit(1);
}

__attribute__((noinline)) static void three(void) {
  for (int i = 0; i < 3; i++) {
    FUNC();
    __asm__ volatile("");
  }
}

static void* library(const char* path) {
  void* opened = dlopen(path, RTLD_NOW);
  if (opened == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return opened;
}

__attribute__((noinline)) static void three_of(void* opened) {
  void (*go)(void) = (void (*)(void))dlsym(opened, "go");
  for (int i = 0; i < 3; i++) {
    go();
    __asm__ volatile("");
  }
}

static int in_memory(const char* path) {
  int from = open(path, O_RDONLY), to = memfd_create("copy", 0);
  if (from < 0 || to < 0) die(path);
  while (sendfile(to, from, NULL, 1 << 20) > 0) continue;
  return to;
}

/* The text from this function's page on, to memory of its own. libc does it: this code is not there for a moment. */
static void move_text(void) {
  char *from = (char*)((unsigned long)FUNC & ~4095ul), *end = (char*)(((unsigned long)etext + 4095) & ~4095ul);
  size_t size = (size_t)(end - from);
  char* copy = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) die("mmap");
  memcpy(copy, from, size);
  if (mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, from) != from) die("mremap");
}

/* A child with the pid that the next process is to have runs the program. */
static void run_as(int pid, char* program) {
  FILE* last = fopen("/proc/sys/kernel/ns_last_pid", "w");
  if (last == NULL || fprintf(last, "%d", pid - 1) < 0 || fclose(last) != 0) die("ns_last_pid");
  pid_t child = fork();
  if (child == 0) {
    execl(program, program, "go", "calls", NULL);
    die(program);
  }
  if (child != pid) fprintf(stderr, "pid %d, not %d\n", child, pid);
  waitpid(child, NULL, 0);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* change = argv[2];
  char** file = argv + 3;
  if (strcmp(argv[1], "wait") == 0) getchar();
  if (strcmp(change, "calls") == 0) {
    three();
  } else if (strcmp(change, "exec") == 0) {
    three();
    execl(file[0], file[0], "go", "calls", NULL);
    die(file[0]);
  } else if (strcmp(change, "memory-exec") == 0) {
    char* words[] = {file[0], "go", "calls", NULL};
    three();
    fexecve(in_memory(file[0]), words, environ);
    die(file[0]);
  } else if (strcmp(change, "reload") == 0) {
    void* first = library(file[0]);
    three_of(first);
    dlclose(first);
    three_of(library(file[1]));
  } else if (strcmp(change, "unload") == 0) {
    void* first = library(file[0]);
    three_of(first);
    dlclose(first);
  } else if (strcmp(change, "replace") == 0) {
    void* first = library(file[0]);
    three_of(first);
    if (rename(file[1], file[0]) != 0) die(file[1]);
    three_of(first);
  } else if (strcmp(change, "replace-and-wait") == 0) {
    void* first = library(file[0]);
    if (rename(file[1], file[0]) != 0) die(file[1]);
    getchar();
    three_of(first);
  } else if (strcmp(change, "delete") == 0) {
    void* first = library(file[0]);
    if (unlink(file[0]) != 0) die(file[0]);
    three_of(first);
  } else if (strcmp(change, "memory") == 0) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", in_memory(file[0]));
    three_of(library(path));
  } else if (strcmp(change, "move") == 0) {
    three();
    move_text();
    three();
  } else if (strcmp(change, "pids") == 0) {
    run_as(300, file[0]);
    run_as(300, file[1]);
  } else {
    return 2;
  }
  if (strcmp(argv[1], "wait") == 0) getchar();
  return 0;
}
