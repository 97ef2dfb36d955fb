// SPDX-License-Identifier: GPL-3.0-or-later
// Threads that end in every order: the leader first, all at once, by exit_group from another thread, by vfork.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void* late(void* unused) {
  usleep(30000);
  syscall(SYS_getppid);
  return unused;
}

static void* ends_all(void* unused) {
  usleep(10000);
  _exit(5);
  return unused;
}

static void* at_once(void* unused) { return unused; }

static int in_child(void (*body)(void)) {
  pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

static void leader_first(void) {
  pthread_t thread;
  for (int i = 0; i < 3; ++i) pthread_create(&thread, NULL, late, NULL);
  pthread_exit(NULL);
}

static void group_exit(void) {
  pthread_t thread;
  for (int i = 0; i < 3; ++i) pthread_create(&thread, NULL, late, NULL);
  pthread_create(&thread, NULL, ends_all, NULL);
  for (;;) pause();
}

static void many_at_once(void) {
  pthread_t threads[20];
  for (int i = 0; i < 20; ++i) pthread_create(&threads[i], NULL, at_once, NULL);
  for (int i = 0; i < 20; ++i) pthread_join(threads[i], NULL);
}

static void by_vfork(void) {
  for (volatile int i = 0; i < 5; ++i) {
    pid_t child = vfork();
    if (child == 0) _exit(i);
    int status = 0;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) != i) _exit(9);
  }
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  printf("leader first: %x\n", in_child(leader_first));
  printf("group exit: %x\n", in_child(group_exit));
  printf("many at once: %x\n", in_child(many_at_once));
  printf("vfork: %x\n", in_child(by_vfork));
  return 0;
}
