// SPDX-License-Identifier: GPL-3.0-or-later
// Works in 4 threads for a while and checks its own work: worker RESULT-FILE ROUNDS [SLEEP-US]
// ROUNDS 0: until its standard input ends; it answers each line there by one on standard output, when every thread has
// made 50 more rounds.
// Creates RESULT-FILE.started at once. Each round is a getppid, an open that fails, a signal to itself that a handler
// counts, and some arithmetic; from time to time a thread is created and joined. At the end RESULT-FILE has `right`, or
// the error. So a tracer that dies must leave every call, signal and thread unharmed. (The parent may die with the
// tracer, so its number is not checked.)
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kThreads = 4, kAnswer = 50 };

static int rounds, sleep_us;
static atomic_int done[kThreads];
static atomic_bool stop;
static atomic_int signals_seen, births, wrong;
static _Atomic(const char*) complaint;

static void on_signal(int number) {
  (void)number;
  atomic_fetch_add(&signals_seen, 1);
}

static void complain(const char* what) {
  complaint = what;
  atomic_fetch_add(&wrong, 1);
}

static void* newborn(void* unused) {
  atomic_fetch_add(&births, 1);
  return unused;
}

static __attribute__((noinline)) void one_round(int i) {
  if (syscall(SYS_getppid) <= 0) complain("getppid");
  if (open("/nonexistent/file", O_RDONLY) != -1 || errno != ENOENT) complain("open");
  if (syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1)) complain("tgkill");
  if (i % 16 == 0) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, newborn, NULL) || pthread_join(thread, NULL)) complain("thread");
  }
  if (sleep_us) usleep(sleep_us);
}

static uint64_t hash_round(uint64_t hash, int i) {
  for (int k = 0; k < 100; ++k) hash = (hash ^ (uint64_t)(i + k)) * 1099511628211u;
  return hash;
}

static uint64_t results[kThreads];

static void* work(void* number) {
  const int me = (int)(intptr_t)number;
  uint64_t hash = 14695981039346656037u;
  for (int i = 0; rounds > 0 ? i < rounds : !stop; ++i) {
    one_round(i);
    hash = hash_round(hash, i);
    done[me] = i + 1;
  }
  results[me] = hash;
  return NULL;
}

/// Answers lines until the end of input.
static void converse(void) {
  char line[100];
  while (fgets(line, sizeof line, stdin) != NULL) {
    for (int i = 0; i < kThreads; ++i)
      for (int before = done[i]; done[i] < before + kAnswer;) usleep(1000);
    puts("done");
    fflush(stdout);
  }
  stop = true;
}

static void write_file(const char* path, const char* text) {
  char temporary[4096];
  snprintf(temporary, sizeof temporary, "%s.tmp", path);
  FILE* file = fopen(temporary, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) || rename(temporary, path)) _exit(3);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  rounds = atoi(argv[2]);
  sleep_us = argc > 3 ? atoi(argv[3]) : 0;
  char path[4096], text[200];
  snprintf(path, sizeof path, "%s.started", argv[1]);
  write_file(path, "started\n");

  signal(SIGUSR1, on_signal);
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i)
    if (pthread_create(&threads[i], NULL, work, (void*)(intptr_t)i)) complain("pthread_create");
  if (rounds == 0) converse();
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);

  int all = 0, wanted_births = 0;
  for (int i = 0; i < kThreads; ++i) {
    uint64_t hash = 14695981039346656037u;
    for (int k = 0; k < done[i]; ++k) hash = hash_round(hash, k);
    if (results[i] != hash) complain("arithmetic");
    if (rounds > 0 && done[i] != rounds) complain("rounds");
    all += done[i];
    wanted_births += (done[i] + 15) / 16;
  }
  if (signals_seen != all) complain("signals");
  if (births != wanted_births) complain("births");
  if (wrong)
    snprintf(text, sizeof text, "wrong: %d times, last %s; %d signals missing\n", wrong, complaint, all - signals_seen);
  write_file(argv[1], wrong ? text : "right\n");
  return wrong ? 1 : 0;
}
