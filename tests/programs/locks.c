// SPDX-License-Identifier: GPL-3.0-or-later
// Takes locks of each kind so often, in known ways, and prints what each has seen: "mutex acquire ADDRESS COUNT".
//   locks [FIFO]    waits until somebody writes to FIFO first
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What each lock has seen, by the names of the probes. */
enum { ACQUIRE, RELEASE, BLOCK, BLOCKED, ERROR, EVENTS };
static const char* names[] = {"acquire", "release", "block", "blocked", "error"};
struct seen {
  const char* kind;
  void* lock;
  long counts[EVENTS];
};
static struct seen all[32];
static int known;

static struct seen* watch(const char* kind, void* lock) {
  all[known] = (struct seen){kind, lock, {0}};
  return &all[known++];
}
static void count(struct seen* s, int event, long n) { __atomic_add_fetch(&s->counts[event], n, __ATOMIC_RELAXED); }
static void must(int got, int wanted) {
  if (got != wanted) {
    fprintf(stderr, "%d, not %d\n", got, wanted);
    exit(9);
  }
}
static void rest(long ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&t, NULL);
}

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, contended = PTHREAD_MUTEX_INITIALIZER,
                       timed = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t adaptive, recursive, checked, robust, inheriting;
static struct seen *contended_seen, *timed_seen;

static void make(pthread_mutex_t* m, int type, int is_robust, int protocol) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, type);
  if (is_robust) pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
  if (protocol) pthread_mutexattr_setprotocol(&a, protocol);
  must(pthread_mutex_init(m, &a), 0);
}

static long held, waited; /* ns that the contended mutex was held, and that others waited for it */
static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void* wait_for_it(void* m) {
  const long before = now();
  must(pthread_mutex_lock(m), 0);
  waited += now() - before;
  must(pthread_mutex_unlock(m), 0);
  return NULL;
}

/* Another thread waits until the holder, who knows that it waits, lets go. */
static void contend(struct seen* s, pthread_mutex_t* m, int rounds, long hold) {
  for (int i = 0; i < rounds; i++) {
    pthread_t t;
    must(pthread_mutex_lock(m), 0);
    const long before = now();
    pthread_create(&t, NULL, wait_for_it, m);
    while (__atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED) != 2) rest(1);
    rest(hold);
    held += now() - before;
    must(pthread_mutex_unlock(m), 0);
    pthread_join(t, NULL);
    count(s, ACQUIRE, 2), count(s, RELEASE, 2), count(s, BLOCK, 1), count(s, BLOCKED, 1);
  }
}

static void* try_it(void* m) {
  must(pthread_mutex_trylock(m), EBUSY);
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_nsec += 5000000;
  if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
  must(pthread_mutex_timedlock(m, &t), ETIMEDOUT);
  clock_gettime(CLOCK_MONOTONIC, &t);
  must(pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &t), ETIMEDOUT);
  count(timed_seen, ERROR, 3), count(timed_seen, BLOCK, 2), count(timed_seen, BLOCKED, 2);
  return NULL;
}

static void many(struct seen* s, pthread_mutex_t* m, int rounds) {
  for (int i = 0; i < rounds; i++) must(pthread_mutex_lock(m), 0), must(pthread_mutex_unlock(m), 0);
  count(s, ACQUIRE, rounds), count(s, RELEASE, rounds);
}

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static struct seen *readers, *writers;
static void* write_it(void* unused) {
  must(pthread_rwlock_wrlock(&rw), 0);
  must(pthread_rwlock_unlock(&rw), 0);
  return unused;
}
static void* read_it(void* unused) {
  must(pthread_rwlock_rdlock(&rw), 0);
  must(pthread_rwlock_unlock(&rw), 0);
  return unused;
}
static void* try_to_write(void* unused) {
  must(pthread_rwlock_trywrlock(&rw), EBUSY);
  return unused;
}
static void wait_for_sleeper(unsigned* word, unsigned bits) {
  while ((__atomic_load_n(word, __ATOMIC_RELAXED) & bits) == 0) rest(1);
  rest(20);
}
static void read_and_write(void) {
  pthread_t t;
  for (int i = 0; i < 10; i++) read_it(NULL);
  for (int i = 0; i < 4; i++) write_it(NULL);
  count(readers, ACQUIRE, 10), count(readers, RELEASE, 10), count(writers, ACQUIRE, 4), count(writers, RELEASE, 4);
  must(pthread_rwlock_rdlock(&rw), 0); /* two readers, a writer that waits, one that does not */
  must(pthread_rwlock_tryrdlock(&rw), 0);
  pthread_create(&t, NULL, try_to_write, NULL), pthread_join(t, NULL);
  pthread_create(&t, NULL, write_it, NULL);
  wait_for_sleeper(&rw.__data.__readers, 2);
  must(pthread_rwlock_unlock(&rw), 0), must(pthread_rwlock_unlock(&rw), 0);
  pthread_join(t, NULL);
  count(readers, ACQUIRE, 2), count(readers, RELEASE, 2);
  count(writers, ERROR, 1), count(writers, BLOCK, 1), count(writers, BLOCKED, 1), count(writers, ACQUIRE, 1),
      count(writers, RELEASE, 1);
  must(pthread_rwlock_wrlock(&rw), 0); /* a reader that waits for a writer */
  must(pthread_rwlock_rdlock(&rw), EDEADLK);
  pthread_create(&t, NULL, read_it, NULL);
  wait_for_sleeper(&rw.__data.__readers, ~7u);
  must(pthread_rwlock_unlock(&rw), 0);
  pthread_join(t, NULL);
  count(writers, ACQUIRE, 1), count(writers, RELEASE, 1);
  count(readers, ERROR, 1), count(readers, BLOCK, 1), count(readers, BLOCKED, 1), count(readers, ACQUIRE, 1),
      count(readers, RELEASE, 1);
}

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static struct seen* queue_seen;
static volatile int turn;
static void* fill(void* unused) {
  for (int i = 0; i < 6; i++) {
    must(pthread_mutex_lock(&queue), 0);
    while (turn != 1)
      must(pthread_mutex_unlock(&queue), 0), rest(2), must(pthread_mutex_lock(&queue), 0),
          count(queue_seen, ACQUIRE, 1), count(queue_seen, RELEASE, 1);
    turn = 2;
    must(pthread_cond_signal(&filled), 0);
    must(pthread_mutex_unlock(&queue), 0);
    count(queue_seen, ACQUIRE, 1), count(queue_seen, RELEASE, 1);
  }
  return unused;
}
static void wait_on_condition(void) {
  pthread_t t;
  long waits = 0;
  pthread_create(&t, NULL, fill, NULL);
  for (int i = 0; i < 6; i++) {
    must(pthread_mutex_lock(&queue), 0);
    turn = 1;
    while (turn != 2) must(pthread_cond_wait(&filled, &queue), 0), waits++;
    turn = 0;
    must(pthread_mutex_unlock(&queue), 0);
    count(queue_seen, ACQUIRE, 1), count(queue_seen, RELEASE, 1);
  }
  pthread_join(t, NULL);
  struct timespec past;
  clock_gettime(CLOCK_REALTIME, &past);
  must(pthread_mutex_lock(&queue), 0);
  must(pthread_cond_timedwait(&filled, &queue, &past), ETIMEDOUT);
  must(pthread_mutex_unlock(&queue), 0);
  must(pthread_cond_broadcast(&filled), 0);
  count(queue_seen, ACQUIRE, waits + 2), count(queue_seen, RELEASE, waits + 2);
  printf("cond wait %p %ld\ncond waited %p %ld\ncond signal %p 6\ncond broadcast %p 1\n", (void*)&filled, waits + 1,
         (void*)&filled, waits + 1, (void*)&filled, (void*)&filled);
}

int main(int argc, char** argv) {
  if (argc > 1 && open(argv[1], O_RDONLY) < 0) return 1;
  make(&adaptive, PTHREAD_MUTEX_ADAPTIVE_NP, 0, 0);
  make(&recursive, PTHREAD_MUTEX_RECURSIVE, 0, 0);
  make(&checked, PTHREAD_MUTEX_ERRORCHECK, 0, 0);
  make(&robust, PTHREAD_MUTEX_NORMAL, 1, 0);
  make(&inheriting, PTHREAD_MUTEX_NORMAL, 0, PTHREAD_PRIO_INHERIT);
  struct seen* s = watch("mutex", &plain);
  many(s, &plain, 100);
  many(watch("mutex", &adaptive), &adaptive, 20);
  many(watch("mutex", &robust), &robust, 7);
  many(watch("mutex", &inheriting), &inheriting, 8);
  contended_seen = watch("mutex", &contended);
  contend(contended_seen, &contended, 5, 30);
  s = watch("mutex", &recursive);
  for (int i = 0; i < 3; i++) must(pthread_mutex_lock(&recursive), 0);
  for (int i = 0; i < 3; i++) must(pthread_mutex_unlock(&recursive), 0);
  must(pthread_mutex_unlock(&recursive), EPERM);
  count(s, ACQUIRE, 3), count(s, RELEASE, 3), count(s, ERROR, 1);
  s = watch("mutex", &checked);
  must(pthread_mutex_lock(&checked), 0), must(pthread_mutex_lock(&checked), EDEADLK),
      must(pthread_mutex_unlock(&checked), 0);
  must(pthread_mutex_unlock(&checked), EPERM);
  count(s, ACQUIRE, 1), count(s, RELEASE, 1), count(s, ERROR, 2);
  timed_seen = watch("mutex", &timed);
  pthread_t t;
  must(pthread_mutex_trylock(&timed), 0);
  pthread_create(&t, NULL, try_it, &timed), pthread_join(t, NULL);
  must(pthread_mutex_unlock(&timed), 0);
  count(timed_seen, ACQUIRE, 1), count(timed_seen, RELEASE, 1);
  readers = watch("rw0", &rw), writers = watch("rw1", &rw);
  read_and_write();
  queue_seen = watch("mutex", &queue);
  wait_on_condition();
  const pid_t child = fork();
  if (child == 0) {
    many(&all[0], &plain, 3);
    _exit(0);
  }
  int status;
  must(waitpid(child, &status, 0), child), must(status, 0);
  count(&all[0], ACQUIRE, 3), count(&all[0], RELEASE, 3);
  printf("contended %p %ld %ld\n", (void*)&contended, held, waited);
  for (int i = 0; i < known; i++)
    for (int e = 0; e < EVENTS; e++)
      if (all[i].counts[e]) printf("%s %s %p %ld\n", all[i].kind, names[e], all[i].lock, all[i].counts[e]);
  return 0;
}
