// SPDX-License-Identifier: GPL-3.0-or-later
// Sixteen threads, each repeating a call of its own until standard input ends. Each knows the valid result of its call.
// If all results are right, attaching and detaching was not noticed:
//
//   CALL calls=N eintr=N short=N wrong=N lost=N
//
// lost: tokens that were sent to it and never arrived. In every round each thread calls step(), for probes.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  kEpoll,
  kEpollEndless,
  kPoll,
  kSigtimedwait,
  kSemtimedop,
  kRecv,
  kAccept,
  kFutex,
  kNanosleep,
  kRead,
  kFork,
  kSelect,
  kWrite,
  kMsgrcv,
  kClockNanosleep,
  kUser,
  kThreads
};
static const char* const kNames[kThreads] = {"epoll_wait",
                                             "epoll_wait-endless",
                                             "poll",
                                             "sigtimedwait",
                                             "semtimedop",
                                             "recv",
                                             "accept",
                                             "futex",
                                             "nanosleep",
                                             "read",
                                             "fork",
                                             "select",
                                             "write",
                                             "msgrcv",
                                             "clock_nanosleep",
                                             "user"};
static struct { _Atomic long calls, eintr, cut, wrong, sent, came; } tally[kThreads];
static atomic_bool stop;
static int event, tokens[2], block[2], queue, semaphore;
static uint32_t word;

enum { kBlock = 100000, kFewestCalls = 20 };

__attribute__((noinline)) static int step(int x) {
  if (x & 1) return x * 3 + 1;
  return x / 2;
}

/// Checks the result of one round of a thread's call; `good` is the valid result.
static void judge(int which, long result, int good) {
  tally[which].calls++;
  if (result < 0 && errno == EINTR)
    tally[which].eintr++;
  else if (!good)
    tally[which].wrong++;
}

static int timed_out(long result) { return result < 0 && errno == EAGAIN; }

static void one_fork(void) {
  pid_t child = fork();
  if (child == 0) _exit(step(7) & 0x7f);
  int status = 0;
  long result = wait4(child, &status, 0, NULL);
  int right = result == child && WIFEXITED(status) && WEXITSTATUS(status) == 22;
  judge(kFork, result, right);
  if (result >= 0 && !right) fprintf(stderr, "fork: %d, wait4: %ld, status %x\n", child, result, status);
  while (result < 0 && errno == EINTR) result = wait4(child, &status, 0, NULL);
}

static void one_write(const char* bytes) {
  ssize_t result = write(block[1], bytes, kBlock);
  judge(kWrite, result, result > 0);
  if (result > 0 && result < kBlock) tally[kWrite].cut++;
}

static int timed_socket(int type, int listening) {
  int fds[2] = {-1, -1};
  if (listening) {
    fds[0] = socket(AF_INET, SOCK_STREAM, 0);
    listen(fds[0], 1);
  } else {
    socketpair(AF_UNIX, type, 0, fds);
  }
  struct timeval limit = {0, 1000};
  setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  return fds[0];
}

static void* work(void* argument) {
  int which = (int)(intptr_t)argument, epoll = epoll_create1(0), socket = timed_socket(SOCK_DGRAM, which == kAccept);
  char* bytes = calloc(1, kBlock);
  struct timespec brief = {0, 1000000};
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR2);
  struct epoll_event wanted = {.events = EPOLLIN}, ready;
  if (which == kEpollEndless) epoll_ctl(epoll, EPOLL_CTL_ADD, event, &wanted);
  // A thread that takes tokens continues to the end: tokens that were sent before the stop are still to come.
  const int takes_tokens = which == kEpollEndless || which == kRead || which == kMsgrcv;
  for (int round = 0; !stop || takes_tokens; round++) {
    struct timeval limit = {0, 1000};
    struct sembuf take = {0, -1, 0};
    struct {
      long type;
      char text[8];
    } message;
    uint64_t count = 0;
    long result;
    if (step(round) < 0) abort();
    errno = 0;
    switch (which) {
      case kEpoll: result = epoll_wait(epoll, &ready, 1, 1), judge(which, result, result == 0); break;
      case kEpollEndless:
        result = epoll_wait(epoll, &ready, 1, -1);
        judge(which, result, result == 1);
        if (result == 1 && read(event, &count, 8) == 8) tally[which].came += (long)count;
        break;
      case kPoll: result = poll(NULL, 0, 1), judge(which, result, result == 0); break;
      case kSigtimedwait:
        result = sigtimedwait(&signals, NULL, &brief);
        judge(which, result, timed_out(result));
        break;
      case kSemtimedop:
        result = semtimedop(semaphore, &take, 1, &brief);
        judge(which, result, timed_out(result));
        break;
      case kRecv: result = recv(socket, bytes, 1, 0), judge(which, result, timed_out(result)); break;
      case kAccept: result = accept(socket, NULL, NULL), judge(which, result, timed_out(result)); break;
      case kFutex:
        result = syscall(SYS_futex, &word, FUTEX_WAIT, 0, &brief);
        judge(which, result, result == 0 || errno == ETIMEDOUT);
        break;
      case kNanosleep: result = nanosleep(&brief, NULL), judge(which, result, result == 0); break;
      case kRead:
        result = read(tokens[0], bytes, 4096);
        judge(which, result, result > 0);
        if (result > 0) tally[which].came += result;
        break;
      case kFork: one_fork(); break;
      case kSelect: result = select(0, NULL, NULL, NULL, &limit), judge(which, result, result == 0); break;
      case kWrite: one_write(bytes); break;
      case kMsgrcv:
        result = msgrcv(queue, &message, 8, 0, 0);
        judge(which, result, result == 8);
        if (result == 8) tally[which].came++;
        break;
      case kClockNanosleep:
        result = clock_nanosleep(CLOCK_MONOTONIC, 0, &brief, NULL);
        errno = (int)result;
        judge(which, result ? -1 : 0, result == 0);
        break;
      default:
        for (int i = 0; i < 1000; i++) count += (uint64_t)step(i);
        judge(which, 0, count == 875250);
    }
  }
  return NULL;
}

/// Sends the tokens.
static void* wake(void* argument) {
  (void)argument;
  struct {
    long type;
    char text[8];
  } message = {1, ""};
  uint64_t one = 1;
  while (!stop) {
    tally[kEpollEndless].sent += write(event, &one, 8) == 8;
    tally[kRead].sent += write(tokens[1], "x", 1) == 1;
    tally[kMsgrcv].sent += msgsnd(queue, &message, 8, 0) == 0;
    syscall(SYS_futex, &word, FUTEX_WAKE, 1);
    usleep(700);
  }
  return NULL;
}

static void* drain(void* argument) {
  char* bytes = malloc(1 << 16);
  (void)argument;
  while (read(block[0], bytes, 1 << 16) > 0) continue;
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads], waker, drainer;
  sigset_t blocked;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  event = eventfd(0, 0);
  queue = msgget(IPC_PRIVATE, 0600);
  semaphore = semget(IPC_PRIVATE, 1, 0600);
  if (pipe(tokens) != 0 || pipe(block) != 0) return 1;
  pthread_create(&drainer, NULL, drain, NULL);
  for (intptr_t i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, work, (void*)i);
  pthread_create(&waker, NULL, wake, NULL);
  puts("ready");
  fflush(stdout);
  char byte;
  long got;
  while ((got = read(0, &byte, 1)) != 0)  // this thread's own call is the one that signals hit first
    if (got < 0) printf("main: read failed: %s\n", strerror(errno));
  for (int i = 0; i < kThreads; i++)  // some calls of each, however late the machine lets its thread run
    for (int waits = 0; tally[i].calls < kFewestCalls && waits < 30000; waits++) usleep(1000);
  stop = 1;
  pthread_join(waker, NULL);
  usleep(50000);  // time for the last tokens to arrive
  for (int i = 0; i < kThreads; i++)
    printf("%s calls=%ld eintr=%ld short=%ld wrong=%ld lost=%ld\n", kNames[i], tally[i].calls, tally[i].eintr,
           tally[i].cut, tally[i].wrong, tally[i].sent - tally[i].came);
  msgctl(queue, IPC_RMID, NULL);
  semctl(semaphore, 0, IPC_RMID);
  fflush(stdout);
  _exit(0);
}
