/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program that the guard's tests trace: target MODE ARGUMENTS... Each mode prints its results, so that a wrong one
 * shows.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long count;
static volatile long total;
static jmp_buf far;

__attribute__((noinline)) int work(int a, int b) {
  __atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
  return a * 2 + b;
}

/* Many arguments, some on the stack. */
__attribute__((noinline)) long wide(long a, long b, long c, long d, long e, long f, long g, long h) {
  __asm__ volatile("");
  return a + b + c + d + e + f + g + h;
}

__attribute__((noinline)) int depth(int n) { return n == 0 ? 0 : depth(n - 1) + work(n, 0) * 0 + 1; }

__attribute__((noinline)) int leaves(int n) {
  if (n > 0) longjmp(far, n);
  return work(n, 1);
}

static void* call_getppid(void* unused) {
  long sum = 0;
  for (long i = 0; i < count; i++) sum += syscall(SYS_getppid) == getppid() ? 0 : 1;
  __atomic_fetch_add(&total, sum, __ATOMIC_RELAXED);
  return unused;
}

static void* plain_getppid(void* unused) {
  for (long i = 0; i < count; i++) syscall(SYS_getppid);
  return unused;
}

static void* call_work(void* unused) {
  long wrong = 0;
  for (long i = 0; i < count; i++) wrong += work((int)i, 7) != (int)i * 2 + 7;
  return (void*)wrong;
}

static long in_threads(int threads, void* (*run)(void*)) {
  pthread_t ids[64];
  long sum = 0;
  for (int i = 0; i < threads; i++) pthread_create(&ids[i], NULL, run, NULL);
  for (int i = 0; i < threads; i++) {
    void* result;
    pthread_join(ids[i], &result);
    sum += (long)result;
  }
  return sum;
}

static int tree(int children, char** argv) {
  for (int i = 0; i < children; i++) {
    pid_t pid = fork();
    if (pid == 0) {
      plain_getppid(NULL);
      _exit(i);
    }
    int status;
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != i) return 1;
  }
  execl(argv[0], argv[0], "again", argv[3], (char*)NULL);
  return 2;
}

static int untouched(const char* path) {
  char name[] = "/tmp/sonde_target_XXXXXX";
  int file = mkstemp(name);
  if (write(file, path, strlen(path) + 1) < 0) return 1;
  char* page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
  unlink(name);
  int fd = open(page, O_RDONLY);
  printf("%s\n", fd >= 0 ? "opened" : "failed");
  return 0;
}

static int jumps(void) {
  int caught = 0;
  for (int i = 1; i <= 100; i++) {
    int value = setjmp(far);
    if (value == 0) {
      leaves(i);
      return 1; /* not reached */
    }
    caught += value == i;
  }
  printf("%d %d\n", caught, leaves(0));
  return 0;
}

static volatile int ticks;
static void on_tick(int signal) {
  (void)signal;
  ticks++;
}

/* Calls work() during a storm of signals. */
static int storm(void) {
  struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  struct itimerspec often = {{0, 300000}, {0, 300000}};
  timer_settime(timer, 0, &often, NULL);
  long wrong = (long)call_work(NULL);
  printf("%ld %s\n", wrong, ticks > 0 ? "ticked" : "silent");
  return 0;
}

static int vforks(char** argv) {
  for (long i = 0; i < count; i++) {
    pid_t pid = vfork();
    if (pid == 0) {
      execl(argv[0], argv[0], "work", "1", "10", (char*)NULL);
      _exit(127);
    }
    int status;
    waitpid(pid, &status, 0);
    work(1, 1);
  }
  return 0;
}

static volatile sig_atomic_t finished;

static void finish(int signr) {
  (void)signr;
  finished = 1;
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  const char* second = argc > 2 ? argv[2] : "0";
  count = argc > 3 ? atol(argv[3]) : 0;
  if (!strcmp(mode, "getppid")) {
    in_threads(atoi(second), count % 2 ? call_getppid : plain_getppid);
    printf("done %ld\n", total);
  } else if (!strcmp(mode, "tree")) {
    return tree(atoi(second), argv);
  } else if (!strcmp(mode, "again")) {
    count = atol(second);
    plain_getppid(NULL);
  } else if (!strcmp(mode, "open")) {
    char name[64];
    snprintf(name, sizeof name, "%s", second);
    printf("%d\n", open(name, O_RDONLY) >= 0);
  } else if (!strcmp(mode, "untouched")) {
    return untouched(second);
  } else if (!strcmp(mode, "work")) {
    long wrong = in_threads(atoi(second), call_work);
    printf("%ld wrong, %ld calls\n", wrong, total);
    return wrong != 0;
  } else if (!strcmp(mode, "wide")) {
    printf("%ld\n", wide(1, 2, 3, 4, 5, 6, 7, 8));
  } else if (!strcmp(mode, "depth")) {
    printf("%d\n", depth(atoi(second)));
  } else if (!strcmp(mode, "jumps")) {
    return jumps();
  } else if (!strcmp(mode, "storm")) {
    return storm();
  } else if (!strcmp(mode, "vforks")) {
    return vforks(argv);
  } else if (!strcmp(mode, "forkwork")) {
    pid_t pid = fork();
    call_work(NULL);
    if (pid == 0) _exit(0);
    int status;
    waitpid(pid, &status, 0);
    return status;
  } else if (!strcmp(mode, "plugin")) {
    void* library = dlopen(second, RTLD_NOW);
    int (*function)(int) = library ? (int (*)(int))dlsym(library, "plugin") : NULL;
    long sum = 0;
    for (long i = 0; function && i < count; i++) sum += function((int)i);
    printf("%ld\n", sum);
  } else if (!strcmp(mode, "names")) {
    syscall(SYS_getppid);
    prctl(PR_SET_NAME, "renamed");
    syscall(SYS_getppid);
  } else if (!strcmp(mode, "exit")) {
    return atoi(second);
  } else if (!strcmp(mode, "loop")) {
    /* Works for `second` tenths of a second or until SIGUSR2, and checks each result. */
    signal(SIGUSR2, finish);
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    long tenths = atol(second);
    end.tv_sec += tenths / 10;
    end.tv_nsec += tenths % 10 * 100000000;
    if (end.tv_nsec >= 1000000000) {
      end.tv_sec++;
      end.tv_nsec -= 1000000000;
    }
    count = 20;
    long wrong = 0;
    do {
      wrong += in_threads(2, call_work);
      wrong += syscall(SYS_getppid) <= 0;
      usleep(200);
      clock_gettime(CLOCK_MONOTONIC, &now);
    } while (!finished && (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec)));
    printf("%ld\n", wrong);
    return wrong != 0 ? 1 : 42;
  } else {
    return 99;
  }
  return 0;
}
