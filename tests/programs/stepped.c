/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stepped HOW [CALLS]: f() begins with an instruction that a tracer must step, and signals come all the time. Prints
   the result of the calls, which no signal may change.
     plain  a timer's handler that returns      full  with each signal blocked in the handler      trap  with SIGTRAP blocked
     moved  a handler that continues elsewhere: it pushes the interrupted pc, as Go's run time does for preemption
     queued a thread queues 500 signals: each must come */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

enum { QUEUED = 500 };

static volatile long ticks, detours;
extern long f(long);
extern char detour[];

__asm__(
    ".text\n"
    ".globl f\n"
    ".type f,@function\n"
    "f: cmp 0x10(%rsp),%rdi\n"
    " lea 1(%rdi),%rax\n"
    " ret\n"
    ".size f,.-f\n"
    "detour: pushfq\n"
    " push %rax; push %rcx; push %rdx; push %rsi; push %rdi; push %r8; push %r9; push %r10; push %r11\n"
    " call on_detour\n"
    " pop %r11; pop %r10; pop %r9; pop %r8; pop %rdi; pop %rsi; pop %rdx; pop %rcx; pop %rax\n"
    " popfq\n"
    " ret $128\n");

__attribute__((used)) static void on_detour(void) { detours++; }

static void tick(int signal) {
  (void)signal;
  ticks++;
}

static void move(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)info;
  greg_t* registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  ticks++;
  registers[REG_RSP] -= 136; /* past the red zone; `ret $128` returns over it */
  *(long*)registers[REG_RSP] = registers[REG_RIP];
  registers[REG_RIP] = (long)detour;
}

/* Queues signals for the main thread while it calls f(). */
static void* queue(void* to) {
  for (int i = 0; i < QUEUED; i++) {
    const union sigval value = {.sival_int = i};
    while (pthread_sigqueue(*(pthread_t*)to, SIGRTMIN, value) != 0) usleep(100);
    usleep(200);
  }
  return NULL;
}

static void set_timer(long us) {
  struct itimerval timer = {{0, us}, {0, us}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "plain";
  const long calls = argc > 2 ? atol(argv[2]) : 20000;
  stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
  if (!strcmp(how, "moved")) {
    action.sa_sigaction = move;
    action.sa_flags |= SA_SIGINFO | SA_ONSTACK;
  }
  if (!strcmp(how, "full") || !strcmp(how, "moved")) sigfillset(&action.sa_mask);
  if (!strcmp(how, "trap")) sigaddset(&action.sa_mask, SIGTRAP);
  const int queued = !strcmp(how, "queued");
  sigaction(queued ? SIGRTMIN : SIGALRM, &action, NULL);
  pthread_t self = pthread_self(), sender;
  if (queued)
    pthread_create(&sender, NULL, queue, &self);
  else
    set_timer(250);
  long sum = 0, made = 0;
  while (made < calls || ticks < (queued ? QUEUED : 20)) { /* an untraced run could end before the first signal */
    sum = f(sum);
    made++;
  }
  set_timer(0);
  printf("%s\n", sum == made && (action.sa_flags & SA_SIGINFO ? detours == ticks : !detours) ? "right" : "wrong");
  fprintf(stderr, "calls %ld\n", made);
  return 0;
}
