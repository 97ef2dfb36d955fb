// SPDX-License-Identifier: GPL-3.0-or-later
// SIGTRAP is blocked and pending, for the thread or for the process, while probed functions run. Says when the handler has run, and
// whether it is still there. With an argument it begins when a byte comes on standard input.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int got;
static siginfo_t info;
static void on_trap(int signal, siginfo_t* from, void* context) {
  (void)signal, (void)context;
  got++;
  info = *from;
}

extern long stepped(long), emulated(long);
__asm__(
    ".text\n"
    ".globl stepped\n.type stepped,@function\nstepped: mov %rdi,-8(%rsp)\n lea 1(%rdi),%rax\n ret\n.size "
    "stepped,.-stepped\n"
    ".globl emulated\n.type emulated,@function\nemulated: push %rbp\n lea 1(%rdi),%rax\n pop %rbp\n ret\n.size "
    "emulated,.-emulated\n");

static void try_one(const char* name, int all, int process, long (*function)(long)) {
  sigset_t mask, before, now;
  got = 0;
  sigemptyset(&mask);
  sigaddset(&mask, SIGTRAP);
  if (all) sigfillset(&mask);
  sigprocmask(SIG_BLOCK, &mask, &before);
  if (process)
    kill(getpid(), SIGTRAP);
  else
    syscall(SYS_tgkill, getpid(), gettid(), SIGTRAP);
  long result = 0;
  for (int i = 0; i < 3; i++) result = function(result);
  const int inside = got;
  sigpending(&now);
  const int pending = sigismember(&now, SIGTRAP);
  sigprocmask(SIG_SETMASK, &before, 0);
  struct sigaction action;
  sigaction(SIGTRAP, 0, &action);
  printf("%s: %d traps inside, pending %d, %d after, from itself %d, code %d, result %ld, handler %s\n", name, inside,
         pending, got, info.si_pid == getpid(), info.si_code, result, action.sa_sigaction == on_trap ? "kept" : "lost");
  fflush(stdout);
}

int main(int argc, char** argv) {
  (void)argv;
  char byte;
  if (argc > 1 && read(0, &byte, 1) < 0) return 1;
  struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGTRAP, &action, 0);
  for (int i = 0; i < 20; i++) stepped(1), emulated(1);
  for (int all = 0; all < 2; all++) {
    for (int process = 0; process < 2; process++) {
      printf("%s blocked, sent to the %s\n", all ? "all" : "SIGTRAP", process ? "process" : "thread");
      try_one("  stepped", all, process, stepped);
      try_one("  emulated", all, process, emulated);
    }
  }
  return 0;
}
