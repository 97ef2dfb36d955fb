// SPDX-License-Identifier: GPL-3.0-or-later
// Execs from a thread that is not the leader, while the leader and others sleep. The new image keeps the pid.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void* sleeper(void* unused) {
  for (;;) pause();
  return unused;
}

static void* execer(void* name) {
  char pid[32];
  snprintf(pid, sizeof pid, "%d", (int)getpid());
  usleep(20000);
  execl("/proc/self/exe", (char*)name, pid, (char*)NULL);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc > 1) {
    printf("same pid %d, leader %d\n", atoi(argv[1]) == getpid(), syscall(SYS_gettid) == getpid());
    for (int i = 0; i < 5; ++i) syscall(SYS_getppid);
    return 0;
  }
  pthread_t thread;
  for (int i = 0; i < 3; ++i) pthread_create(&thread, NULL, sleeper, NULL);
  pthread_create(&thread, NULL, execer, argv[0]);
  for (;;) pause();
}
