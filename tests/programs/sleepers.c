// SPDX-License-Identifier: GPL-3.0-or-later
// Threads that sleep, each in another call, until standard input ends. None of the calls may return before. Prints
// "right", or the call that did.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { kThreads = 14 };
static const char* const kNames[kThreads] = {"epoll_wait",   "epoll_pwait", "poll",   "select",     "nanosleep",
                                             "sigtimedwait", "semtimedop",  "recv",   "inotify",    "msgrcv",
                                             "futex",        "pause",       "accept", "sigwaitinfo"};
static volatile int woken[kThreads];  // 0, or 1 + errno
static int queue, semaphore;

static void* sleeper(void* argument) {
  int which = (int)(intptr_t)argument, epoll = epoll_create1(0), watch = inotify_init1(0), pair[2];
  int listening = socket(AF_INET, SOCK_STREAM, 0);
  char byte;
  uint32_t word = 0;
  struct timeval limit = {1000, 0};
  struct timespec long_time = {1000, 0};
  struct epoll_event event;
  struct sembuf take = {0, -1, 0};
  struct {
    long type;
    char text[8];
  } message;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
  listen(listening, 1);
  setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(listening, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  switch (which) {
    case 0: epoll_wait(epoll, &event, 1, 1000000); break;
    case 1: epoll_pwait(epoll, &event, 1, 1000000, &signals); break;
    case 2: poll(NULL, 0, 1000000); break;
    case 3: select(0, NULL, NULL, NULL, &limit); break;
    case 4: nanosleep(&long_time, NULL); break;
    case 5: sigtimedwait(&signals, NULL, &long_time); break;
    case 6: semtimedop(semaphore, &take, 1, &long_time); break;
    case 7: recv(pair[0], &byte, 1, 0); break;
    case 8: (void)!read(watch, &message, sizeof message); break;
    case 9: msgrcv(queue, &message, 8, 0, 0); break;
    case 10: syscall(SYS_futex, &word, FUTEX_WAIT, 0, &long_time); break;
    case 11: pause(); break;
    case 12: accept(listening, NULL, NULL); break;
    default: sigwaitinfo(&signals, NULL);
  }
  woken[which] = 1 + errno;
  return NULL;
}

int main(void) {
  pthread_t thread;
  queue = msgget(IPC_PRIVATE, 0600);
  semaphore = semget(IPC_PRIVATE, 1, 0600);
  for (intptr_t i = 0; i < kThreads; i++) pthread_create(&thread, NULL, sleeper, (void*)i);
  usleep(100000);
  puts("ready");
  fflush(stdout);
  char byte;
  int right = read(0, &byte, 1) == 0;
  for (int i = 0; i < kThreads; i++) {
    if (!woken[i]) continue;
    right = 0;
    printf("%s: %s\n", kNames[i], strerror(woken[i] - 1));
  }
  if (right) puts("right");
  fflush(stdout);
  msgctl(queue, IPC_RMID, NULL);
  semctl(semaphore, 0, IPC_RMID);
  _exit(0);
}
