// SPDX-License-Identifier: GPL-3.0-or-later
// Handlers on an alternate stack, which interrupt each other, and of which every third jumps out of all of them, while main
// calls f(), and g(), which copies by `rep movsb`. Prints whether all results were right, and to standard error how often each
// was called.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { SIGNALS = 300, BYTES = 4000 };

extern long f(long);
extern long g(char* to, const char* from, long unused, long bytes);

__asm__(
    ".text\n"
    ".globl f\n"
    ".type f,@function\n"
    "f: cmp $5,%dil\n"
    " lea 1(%rdi),%rax\n"
    " ret\n"
    ".size f,.-f\n"
    ".globl g\n"
    ".type g,@function\n"
    "g: rep movsb\n"
    " mov $1,%eax\n"
    " ret\n"
    ".size g,.-g\n");

static sigjmp_buf out;
static volatile sig_atomic_t inside, depth, handled, jumps, wrong, calls_of_f, calls_of_g;

// After 300 us. On a slow machine after longer, where handlers would only interrupt handlers, or main not get as far as f().
static void expect_signal(void) {
  static volatile long delay = 300;
  static volatile sig_atomic_t seen;
  if (depth < 4 && (inside || calls_of_g != seen))
    delay = 300 + (delay - 300) * 3 / 4;
  else if (delay < 50000)
    delay *= 2;
  seen = calls_of_g;
  struct itimerval soon = {{0, 0}, {0, delay}};
  setitimer(ITIMER_REAL, &soon, NULL);
}

// A signal between the call and the count would be counted before it: no matter, both are counted.
static void call_f(long x) {
  calls_of_f++;
  if (f(x) != x + 1) wrong++;
}

static void call_g(char* to, const char* from) {
  calls_of_g++;
  if (g(to, from, 0, BYTES) != 1) wrong++;
}

static void on_alarm(int signal) {
  (void)signal;
  depth++;
  if (++handled < SIGNALS) expect_signal();
  call_f(handled);
  if (handled % 3 == 0 && inside) {
    jumps++;
    siglongjmp(out, 1);
  }
  depth--;
}

int main(void) {
  static char from[BYTES], to[BYTES];
  stack_t stack = {.ss_sp = malloc(1 << 20), .ss_size = 1 << 20};
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_NODEFER | SA_ONSTACK};
  sigaltstack(&stack, NULL);
  sigaction(SIGALRM, &action, NULL);
  memset(from, 'x', sizeof from);
  expect_signal();
  while (handled < SIGNALS) {
    if (sigsetjmp(out, 1) != 0) {
      depth = 0;
    } else {
      inside = 1;
      call_f(handled);
      call_g(to, from);
      inside = 0;
    }
    inside = 0;
  }
  call_g(to, from);  // on a slow machine no other was let come to its end
  printf("wrong %d, jumps %s, copy %s\n", wrong, jumps > 10 ? "many" : "few",
         memcmp(to, from, BYTES) == 0 ? "whole" : "torn");
  fprintf(stderr, "f %d g %d on_alarm %d\n", calls_of_f, calls_of_g, handled);
  return 0;
}
