// SPDX-License-Identifier: GPL-3.0-or-later
// Gets signals of every layout of siginfo, and prints the handler's data, one line each:
//   SIGNAL code pid uid addr value status fd band
// 0 if a signal of that kind has no such field. At the end a SIGUSR1 with the value 5 is ignored.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char lines[64][128];
static volatile int count;
static char* volatile page;

static void handler(int number, siginfo_t* info, void* context) {
  (void)context;
  const int fault = number == SIGSEGV || (number == SIGTRAP && info->si_code != SI_KERNEL && info->si_code > 0);
  const int child = number == SIGCHLD, poll = number == SIGIO, timer = info->si_code == SI_TIMER;
  const int sent = !fault && !poll && !timer && info->si_code != SI_KERNEL;
  const int valued = timer || info->si_code == SI_QUEUE;
  snprintf(lines[count], sizeof lines[0], "%d %d %d %d %lx %lx %d %d %ld", number, info->si_code,
           sent ? info->si_pid : 0, sent ? (int)info->si_uid : 0, fault ? (unsigned long)info->si_addr : 0,
           valued ? (unsigned long)info->si_ptr : 0, child ? info->si_status : 0, poll ? info->si_fd : 0,
           poll ? info->si_band : 0);
  count = count + 1;
  if (count == 64) _exit(2);
  if (number == SIGSEGV) mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void wait_for(int wanted) {
  while (count < wanted) usleep(1000);
}

static void* nothing(void* argument) { return argument; }

int main(void) {
  static const int numbers[] = {SIGTRAP, SIGUSR1, SIGUSR2, SIGSEGV, SIGCHLD, SIGIO, SIGTERM};
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, NULL);
  sigaction(SIGRTMIN + 3, &action, NULL);

  union sigval value = {.sival_ptr = (void*)0x1234567890ab};
  sigqueue(getpid(), SIGRTMIN + 3, value);
  value.sival_ptr = NULL;
  value.sival_int = -7;
  sigqueue(getpid(), SIGUSR1, value);
  page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ((volatile char*)page)[16] = 1;
  if (fork() == 0) _exit(9);
  wait_for(4);
  wait(NULL);

  int ends[2];
  if (pipe(ends) != 0) return 1;
  fcntl(ends[0], F_SETOWN, getpid());
  fcntl(ends[0], F_SETSIG, SIGIO);
  fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
  if (write(ends[1], "x", 1) != 1) return 1;
  wait_for(5);
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2, .sigev_value.sival_int = 77};
  struct itimerspec soon = {.it_value.tv_nsec = 1000000};
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &soon, NULL);
  wait_for(6);
  raise(SIGTERM);
  __asm__ volatile("int3");
  __asm__ volatile("pushf; orl $0x100, (%%rsp); popf; nop; pushf; andl $~0x100, (%%rsp); popf" ::: "cc", "memory");

  signal(SIGUSR1, SIG_IGN);
  value.sival_int = 5;
  sigqueue(getpid(), SIGUSR1, value);
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  for (int i = 0; i < count; i++) puts(lines[i]);
  return 0;
}
