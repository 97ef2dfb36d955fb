// SPDX-License-Identifier: GPL-3.0-or-later
// forked [wait] WAY...: makes a child in each of these ways, which calls job() twice; calls job() once itself after
// each. Prints how often job() was called, by whom:
//
//   before N   by a child that existed before a line came on standard input (with `wait` only)
//   forks N    by the program and by those that it forked
//   exec N     by a child that has executed this program again
//   plug N     calls of the function of PLUGIN, a library that only children open
//
// With -DPLUGIN this file is that library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef PLUGIN
__attribute__((noinline)) int plug(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}
#else

extern int job(int x);
__asm__(
    ".text\n.globl job\n.type job,@function\n"
    "job: cmp $7,%edi\n lea 1(%rdi),%eax\n ret\n"
    ".size job,.-job\n");

static struct { int forks, exec, before, plug; } * made;
static char* self;

static void call(int* count, int times) {
  for (int i = 0; i < times; i++) {
    job(i);
    __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
  }
}

static int child(void* how) {
  call(&made->forks, 2);
  if (how != NULL && strcmp(how, "exec") == 0) execl(self, self, "again", (char*)NULL);
  if (how != NULL && strcmp(how, "dlopen") == 0) {
    void* library = dlopen(getenv("PLUGIN"), RTLD_NOW);
    int (*plug)(int) = library != NULL ? (int (*)(int))dlsym(library, "plug") : NULL;
    for (int i = 0; plug != NULL && i < 3; i++) made->plug += plug(i) > 0;
  }
  _exit(0);
}

static void wait_for(pid_t pid) {
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, __WALL) != pid || status != 0) printf("a child ended with %#x\n", status);
}

static void by_fork(char* how) {
  const pid_t pid = fork();
  if (pid == 0) child(how);
  wait_for(pid);
}

static void by_vfork(void) {
  const pid_t pid = vfork();
  if (pid == 0) child(NULL);
  wait_for(pid);
}

static void by_clone(int flags) {
  static char stack[1 << 16];
  wait_for(clone(child, stack + sizeof stack, flags | SIGCHLD, NULL));
}

static void by_clone3(void) {
  struct clone_args args = {.exit_signal = SIGCHLD};
  const long pid = syscall(SYS_clone3, &args, sizeof args);
  if (pid == 0) child(NULL);
  wait_for((pid_t)pid);
}

static void twice(void) {
  const pid_t pid = fork();
  if (pid == 0) {
    by_fork(NULL);
    child(NULL);
  }
  wait_for(pid);
}

static void* in_thread(void* unused) {
  by_fork(NULL);
  return unused;
}

static void make(char* way) {
  pthread_t thread;
  if (strcmp(way, "fork") == 0) by_fork(NULL);
  if (strcmp(way, "vfork") == 0) by_vfork();
  if (strcmp(way, "clone") == 0) by_clone(0);
  if (strcmp(way, "shared") == 0) by_clone(CLONE_VM);
  if (strcmp(way, "clone3") == 0) by_clone3();
  if (strcmp(way, "twice") == 0) twice();
  if (strcmp(way, "exec") == 0 || strcmp(way, "dlopen") == 0) by_fork(way);
  if (strcmp(way, "thread") != 0) return;
  pthread_create(&thread, NULL, in_thread, NULL);
  pthread_join(thread, NULL);
}

/// The child waits for the end of a pipe whose other end its parent closes when a line has come.
static void wait_for_line(void) {
  int line[2];
  if (pipe(line) != 0) exit(1);
  const pid_t early = fork();
  char byte;
  if (early == 0) {
    close(line[1]);
    if (read(line[0], &byte, 1) != 0) _exit(1);
    call(&made->before, 2);
    _exit(0);
  }
  if (read(STDIN_FILENO, &byte, 1) != 1) exit(1);
  close(line[1]);
  wait_for(early);
}

int main(int argc, char** argv) {
  self = argv[0];
  made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (argc == 2 && strcmp(argv[1], "again") == 0) {
    call(&made->exec, 5);
    return 0;
  }
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "wait") == 0) {
      wait_for_line();
      continue;
    }
    make(argv[i]);
    if (strcmp(argv[i], "exec") == 0) made->exec += 5;
    call(&made->forks, 1);
  }
  printf("before %d forks %d exec %d plug %d\n", made->before, made->forks, made->exec, made->plug);
  return 0;
}
#endif
