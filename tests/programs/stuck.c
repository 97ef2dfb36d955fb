// SPDX-License-Identifier: GPL-3.0-or-later
// Comes to a standstill in the way that its first argument names (kWays), and stays there. Others only look as if they
// had. On stdout: "ready PID..." once all threads that will wait are started; whoever looks waits until they sleep.
// Processes that it starts die with it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER,
                       third = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t* locks[3] = {&first, &second, &third};
static pthread_rwlock_t shared_lock = PTHREAD_RWLOCK_INITIALIZER, other_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all_hold;
static pthread_t mains, others;
static sem_t never;

static void must(int true, const char* what) {
  if (!true) {
    perror(what);
    exit(1);
  }
}

static void ready(void) {
  printf("ready\n");
  fflush(stdout);
}

static void stay(void) {
  for (;;) pause();
}

static pthread_t begin(void* (*run)(void*), void* argument) {
  pthread_t thread;
  must(pthread_create(&thread, NULL, run, argument) == 0, "pthread_create");
  return thread;
}

/// A child that dies with its parent.
static int child(void) {
  const pid_t parent = getpid();
  const pid_t pid = fork();
  must(pid >= 0, "fork");
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
  }
  return pid;
}

// ---- mutexes

static int ring = 2;

static void* lock_next(void* argument) {
  const long i = (long)argument;
  pthread_mutex_lock(locks[i]);
  pthread_barrier_wait(&all_hold);
  pthread_mutex_lock(locks[(i + 1) % ring]);
  return NULL;
}

static void in_a_ring(int size) {
  ring = size;
  pthread_barrier_init(&all_hold, NULL, (unsigned)size);
  for (long i = 1; i < size; i++) begin(lock_next, (void*)i);
  ready();
  lock_next((void*)0);
}

static void of_kind(int kind, int protocol, int robust) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, kind);
  pthread_mutexattr_setprotocol(&attributes, protocol);
  pthread_mutexattr_setrobust(&attributes, robust);
  for (int i = 0; i < 3; i++) must(pthread_mutex_init(locks[i], &attributes) == 0, "pthread_mutex_init");
}

static void mutexes(void) { in_a_ring(2); }
static void three_mutexes(void) { in_a_ring(3); }

static void recursive(void) {
  of_kind(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
  in_a_ring(2);
}

static void errorcheck(void) {
  of_kind(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
  in_a_ring(2);
}

static void robust(void) {
  of_kind(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
  in_a_ring(2);
}

/// The kernel refuses cycles of PI mutexes, so one of the two is none.
static void inheriting(void) {
  of_kind(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
  must(pthread_mutex_init(&second, NULL) == 0, "pthread_mutex_init");
  in_a_ring(2);
}

static void self(void) {
  pthread_mutex_lock(&first);
  ready();
  pthread_mutex_lock(&first);
}

static void behind(void) {
  pthread_barrier_init(&all_hold, NULL, 3);
  begin(lock_next, (void*)0);
  begin(lock_next, (void*)1);
  pthread_barrier_wait(&all_hold);
  ready();
  pthread_mutex_lock(&first);
}

/// Two processes, two mutexes in memory that both have mapped.
static void between_processes(void) {
  pthread_mutex_t* both = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrierattr_t of_barrier;
  pthread_barrierattr_init(&of_barrier);
  pthread_barrierattr_setpshared(&of_barrier, PTHREAD_PROCESS_SHARED);
  pthread_barrier_t* barrier = (void*)(both + 2);
  pthread_barrier_init(barrier, &of_barrier, 2);
  for (int i = 0; i < 2; i++) pthread_mutex_init(&both[i], &attributes);
  const int mine = child() == 0;
  pthread_mutex_lock(&both[mine]);
  pthread_barrier_wait(barrier);
  if (mine == 0) ready();
  pthread_mutex_lock(&both[!mine]);
}

static void* write_locked(void* argument) {
  (void)argument;
  pthread_rwlock_wrlock(&other_lock);
  pthread_barrier_wait(&all_hold);
  pthread_rwlock_rdlock(&shared_lock);
  return NULL;
}

static void rwlocks(void) {
  pthread_barrier_init(&all_hold, NULL, 2);
  begin(write_locked, NULL);
  pthread_rwlock_wrlock(&shared_lock);
  pthread_barrier_wait(&all_hold);
  ready();
  pthread_rwlock_wrlock(&other_lock);
}

static void* joins_next(void* argument) {
  pthread_join(*(pthread_t*)argument, NULL);
  return NULL;
}

/// glibc refuses two that join each other, but not three.
static void joins(void) {
  mains = pthread_self();
  const pthread_t last = begin(joins_next, &mains);
  others = last;
  const pthread_t middle = begin(joins_next, &others);
  ready();
  pthread_join(middle, NULL);
}

static void* locks_first(void* argument) {
  (void)argument;
  pthread_mutex_lock(&first);
  return NULL;
}

static void mutex_and_join(void) {
  pthread_mutex_lock(&first);
  others = begin(locks_first, NULL);
  ready();
  pthread_join(others, NULL);
}

static void* prints(void* argument) {
  (void)argument;
  pthread_mutex_lock(&first);
  pthread_barrier_wait(&all_hold);
  fputs("never", stderr);
  return NULL;
}

static void stream(void) {
  pthread_barrier_init(&all_hold, NULL, 2);
  begin(prints, NULL);
  flockfile(stderr);
  pthread_barrier_wait(&all_hold);
  ready();
  pthread_mutex_lock(&first);
}

// ---- left alone: no cycle

static void* holds_and_ends(void* argument) {
  (void)argument;
  pthread_mutex_lock(&first);
  return NULL;
}

static void owner_ended(void) {
  pthread_join(begin(holds_and_ends, NULL), NULL);
  ready();
  pthread_mutex_lock(&first);
}

static void* holds_and_stays(void* argument) {
  (void)argument;
  pthread_mutex_lock(&first);
  pthread_barrier_wait(&all_hold);
  stay();
  return NULL;
}

static void held_by_sleeper(void) {
  pthread_barrier_init(&all_hold, NULL, 2);
  begin(holds_and_stays, NULL);
  pthread_barrier_wait(&all_hold);
  ready();
  pthread_mutex_lock(&first);
}

static void* times_out(void* argument) {
  (void)argument;
  pthread_mutex_lock(&first);
  pthread_barrier_wait(&all_hold);
  const struct timespec end = {1l << 40, 0};
  pthread_mutex_timedlock(&second, &end);
  stay();
  return NULL;
}

static void timed(void) {
  pthread_barrier_init(&all_hold, NULL, 2);
  begin(times_out, NULL);
  pthread_mutex_lock(&second);
  pthread_barrier_wait(&all_hold);
  ready();
  pthread_mutex_lock(&first);
}

static void* waits_for_change(void* argument) {
  (void)argument;
  pthread_mutex_lock(&first);
  for (;;) pthread_cond_wait(&changed, &first);
  return NULL;
}

static void condition(void) {
  begin(waits_for_change, NULL);
  begin(waits_for_change, NULL);
  ready();
  waits_for_change(NULL);
}

static void semaphore(void) {
  sem_init(&never, 0, 0);
  ready();
  sem_wait(&never);
}

static void sleeps(void) {
  ready();
  stay();
}

static const struct {
  const char* name;
  void (*run)(void);
} kWays[] = {
    {"mutexes", mutexes},
    {"three_mutexes", three_mutexes},
    {"recursive", recursive},
    {"errorcheck", errorcheck},
    {"robust", robust},
    {"inheriting", inheriting},
    {"self", self},
    {"behind", behind},
    {"between_processes", between_processes},
    {"rwlocks", rwlocks},
    {"joins", joins},
    {"mutex_and_join", mutex_and_join},
    {"stream", stream},
    {"owner_ended", owner_ended},
    {"held_by_sleeper", held_by_sleeper},
    {"timed", timed},
    {"condition", condition},
    {"semaphore", semaphore},
    {"sleeps", sleeps},
};

int main(int argc, char** argv) {
  for (size_t i = 0; argc > 1 && i < sizeof kWays / sizeof *kWays; i++)
    if (strcmp(argv[1], kWays[i].name) == 0) kWays[i].run();
  return 1;
}
