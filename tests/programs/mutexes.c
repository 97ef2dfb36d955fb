// SPDX-License-Identifier: GPL-3.0-or-later
// Threads that wait for a mutex: mutexes THREADS [FIFO]. Prints how long they have waited by their own clocks, in ns. A second
// mutex is locked 50 times, for which nobody waits. It begins when somebody writes to the FIFO.
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { kMostThreads = 16, kHeldMs = 80, kCalls = 50 };

static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER, idle = PTHREAD_MUTEX_INITIALIZER;
static atomic_long waited;
static pthread_barrier_t ready;

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

__attribute__((noinline)) void taker(void) {
  pthread_mutex_lock(&busy);
  pthread_mutex_unlock(&busy);
}

static void* thread_main(void* unused) {
  pthread_barrier_wait(&ready);
  const long begin = now();
  taker();
  atomic_fetch_add(&waited, now() - begin);
  return unused;
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 3;
  pthread_t threads[kMostThreads];
  if (argc > 2 && close(open(argv[2], O_RDONLY)) != 0) return 1;
  for (int i = 0; i < kCalls; i++) {
    pthread_mutex_lock(&idle);
    pthread_mutex_unlock(&idle);
  }
  pthread_barrier_init(&ready, NULL, (unsigned)count + 1);
  pthread_mutex_lock(&busy);
  for (int i = 0; i < count; i++)
    if (pthread_create(&threads[i], NULL, thread_main, NULL)) return 1;
  pthread_barrier_wait(&ready);
  usleep(kHeldMs * 1000);
  pthread_mutex_unlock(&busy);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  printf("%ld\n", atomic_load(&waited));
  fflush(stdout);
  usleep(300 * 1000);  // who shows stacks reads names from a living process
  return 0;
}
