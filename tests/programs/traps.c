/* SPDX-License-Identifier: GPL-3.0-or-later */
/* traps HOW: a program that uses SIGTRAP itself, and calls f() in between. Prints its traps, its action and its mask.
     int3, stepping (by the trap flag), blocked, partly (only SIGTRAP and SIGUSR1 are), once (the handler is reset when it
     runs), late (it is set after a hundred calls, and SIGTRAP is blocked at once), ignored (and the program is exec'ed
     again), executed (it has a handler, and is exec'ed again, where it has none and blocks SIGTRAP), default */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int traps, at_home;
extern char text_begin[] __asm__("__executable_start"), text_end[] __asm__("etext");

extern long f(long);
/* cmp is stepped, lea and ret are emulated. */
__asm__(".text\n.globl f\n.type f,@function\nf: cmp $5,%rdi\n lea 1(%rdi),%rax\n ret\n.size f,.-f\n");

static void on_trap(int signal, siginfo_t* info, void* context) {
  (void)signal;
  const char* pc = (const char*)((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP];
  traps++;
  at_home += pc >= text_begin && pc < text_end && (info->si_code != 2 || (const char*)info->si_addr == pc);
}

static void catch_traps(int more_flags) {
  struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_RESTART | more_flags};
  sigaction(SIGTRAP, &action, NULL);
}

static void tell(const char* when) {
  struct sigaction action;
  sigset_t mask;
  sigaction(SIGTRAP, NULL, &action);
  sigprocmask(0, NULL, &mask);
  const char* what = action.sa_handler == SIG_IGN ? "ignored" : action.sa_handler == SIG_DFL ? "default" : "caught";
  printf("%s: %s flags %x, SIGTRAP %d SIGUSR1 %d blocked, %d traps, %d at home\n", when, what,
         action.sa_flags & ~0x4000000, sigismember(&mask, SIGTRAP), sigismember(&mask, SIGUSR1), traps, at_home);
}

static long calls(int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) sum = f(sum);
  return sum;
}

static void step_itself(void) {
  __asm__ volatile(
      "sub $128,%%rsp; pushf; orl $0x100,(%%rsp); popf; nop; mov $3,%%edi; call f; nop; call f; pushf; andl "
      "$~0x100,(%%rsp); popf; "
      "add $128,%%rsp" ::
          : "rdi", "rax", "cc", "memory");
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "int3";
  sigset_t all, none;
  const int blocks = !strcmp(how, "blocked") || !strcmp(how, "partly") || !strcmp(how, "late") ||
                     !strcmp(how, "once") || !strcmp(how, "unhandled");
  const int once = !strcmp(how, "once") ? SA_RESETHAND : 0;
  sigfillset(&all);
  if (!strcmp(how, "partly")) sigemptyset(&all), sigaddset(&all, SIGTRAP), sigaddset(&all, SIGUSR1);
  sigemptyset(&none);
  if (!strcmp(how, "ignored")) signal(SIGTRAP, SIG_IGN), execl(argv[0], argv[0], "inherited", NULL);
  if (!strcmp(how, "late")) calls(100);
  if (strcmp(how, "default") && strcmp(how, "inherited") && strcmp(how, "unhandled")) catch_traps(once);
  if (!strcmp(how, "executed")) {
    calls(5);
    __asm__ volatile("int3");
    execl(argv[0], argv[0], "unhandled", NULL);
  }
  tell("begin");
  for (int round = 0; round < 3; round++) {
    calls(5);
    if (!strcmp(how, "int3")) __asm__ volatile("int3");
    if (!strcmp(how, "stepping")) step_itself();
    if (!strcmp(how, "inherited")) raise(SIGTRAP);
    if (blocks) {
      sigprocmask(SIG_SETMASK, &all, NULL);
      calls(5);
      tell("blocked");
      calls(5);
      if (strcmp(how, "unhandled")) raise(SIGTRAP); /* pending until it is unblocked */
      sigprocmask(SIG_SETMASK, &none, NULL);
      if (!strcmp(how, "late")) __asm__ volatile("int3");
      if (once) calls(5), tell("once"), catch_traps(once);
    }
    tell("then");
  }
  printf("%ld\n", calls(3));
  return 0;
}
