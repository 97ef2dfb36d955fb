// SPDX-License-Identifier: GPL-3.0-or-later
// A known number of system calls: 100,000 getppid in 4 threads, 8 forked children with 10 getuid each, one exec.
// Prints how many of each a tracer must see, one `expect NAME COUNT` per line.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kThreads = 4, kCallsPerThread = 25000, kChildren = 8, kCallsPerChild = 10 };

static void repeat(long number, int times) {
  for (int i = 0; i < times; ++i) syscall(number);
}

static void* thread_main(void* unused) {
  repeat(SYS_getppid, kCallsPerThread);
  return unused;
}

static void run_threads(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i)
    if (pthread_create(&threads[i], NULL, thread_main, NULL)) abort();
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
}

static void run_children(void) {
  for (int i = 0; i < kChildren; ++i) {
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
      repeat(SYS_getuid, kCallsPerChild);
      _exit(i);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != i) abort();
  }
}

int main(int argc, char** argv) {
  if (argc > 1 && !strcmp(argv[1], "after-exec")) {
    repeat(SYS_getsid, 3);
    return 0;
  }
  run_threads();
  run_children();
  printf("expect getppid %d\n", kThreads * kCallsPerThread);
  printf("expect getuid %d\n", kChildren * kCallsPerChild);
  printf("expect wait4 %d\n", kChildren);
  printf("expect clone %d\n", kChildren);
  printf("expect clone3 %d\n", kThreads);
  printf("expect exit %d\n", kThreads);
  printf("expect exit_group %d\n", kChildren + 1);
  printf("expect execve 1\n");
  printf("expect getsid 3\n");
  fflush(stdout);
  execl("/proc/self/exe", argv[0], "after-exec", (char*)NULL);
  return 1;
}
