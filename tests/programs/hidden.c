// SPDX-License-Identifier: GPL-3.0-or-later
// Children that no tracer is to know of, CLONE_UNTRACED, made in each way; says how each ended, and whether the call has changed
// anything of the program's. The last ones are made without the flag.
#define _GNU_SOURCE
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char stack[65536] __attribute__((aligned(16)));

__attribute__((noinline)) int work(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

static int child(void* unused) {
  (void)unused;
  int sum = 0;
  for (int i = 0; i < 10; i++) sum += work(i);
  _exit(sum == 55 && syscall(SYS_getuid) >= 0 ? 0 : 1);
}

static void judge(const char* how, int pid, int unchanged) {
  int status = -1;
  const int found = waitpid(pid, &status, __WALL);
  printf("%s: %s status %x, %s\n", how, found == pid ? "waited" : "no child", status,
         unchanged ? "unchanged" : "changed");
  fflush(stdout);
}

/// In a child, the registers are looked at as well.
static int inline_clone(unsigned long flags, unsigned long* after) {
  long result = SYS_clone;
  register long r10 __asm__("r10") = 0;
  register long r8 __asm__("r8") = 0;
  __asm__ volatile("syscall"
                   : "+a"(result), "+D"(flags)
                   : "S"(0L), "d"(0L), "r"(r10), "r"(r8)
                   : "rcx", "r11", "memory");
  *after = flags;
  return (int)result;
}

static void by_clone3(const char* how, struct clone_args* from, unsigned long long flags) {
  const int pid = (int)syscall(SYS_clone3, from, sizeof *from);
  if (pid == 0) from->flags == flags ? child(0) : _exit(2);
  judge(how, pid, from->flags == flags);
}

static void make_all(const char* with, unsigned long hidden) {
  char how[64];
  unsigned long after = 0;
#define HOW(name) (snprintf(how, sizeof how, "%s %s", name, with), how)
  judge(HOW("clone()"), clone(child, stack + sizeof stack, (int)(hidden | SIGCHLD), 0), 1);
  judge(HOW("clone() VM"), clone(child, stack + sizeof stack, (int)(hidden | CLONE_VM | SIGCHLD), 0), 1);
  judge(HOW("clone() VFORK"), clone(child, stack + sizeof stack, (int)(hidden | CLONE_VM | CLONE_VFORK | SIGCHLD), 0),
        1);
  judge(HOW("clone() no signal"), clone(child, stack + sizeof stack, (int)hidden, 0), 1);
  int pid = (int)syscall(SYS_clone, hidden | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) child(0);
  judge(HOW("syscall()"), pid, 1);
  pid = inline_clone(hidden | SIGCHLD, &after);
  if (pid == 0) after == (hidden | SIGCHLD) ? child(0) : _exit(2);
  judge(HOW("inline"), pid, after == (hidden | SIGCHLD));

  struct clone_args arguments = {.flags = hidden, .exit_signal = SIGCHLD};
  by_clone3(HOW("clone3"), &arguments, hidden);
  struct clone_args* fixed = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct clone_args* shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  *fixed = *shared = arguments;
  mprotect(fixed, 4096, PROT_READ);
  mprotect(shared, 4096, PROT_READ);
  by_clone3(HOW("clone3 read-only"), fixed, hidden);
  by_clone3(HOW("clone3 shared"), shared, hidden);
  arguments.exit_signal = 1000;
  judge(HOW("clone3 refused"), (int)syscall(SYS_clone3, &arguments, sizeof arguments), arguments.flags == hidden);
}

/// Children that nobody expects: the number of the call is not in the code. The first calls work() at once, the second
/// when its standard input has ended.
static void make_unexpected(void) {
  static volatile long number = SYS_clone;
  for (int waits = 0; waits < 2; waits++) {
    char byte;
    const int pid = (int)syscall(number, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0 && waits) {
      printf("waits\n");
      fflush(stdout);
      while (read(0, &byte, 1) > 0) continue;
    }
    if (pid == 0) child(0);
    judge(waits ? "waiting" : "unexpected", pid, 1);
  }
}

/// With an argument it begins when a byte comes on standard input.
int main(int argc, char** argv) {
  char byte;
  if (argc > 1 && read(0, &byte, 1) < 0) return 1;
  if (argc > 1 && strcmp(argv[1], "unexpected") == 0) {
    make_unexpected();
    return 0;
  }
  make_all("hidden", CLONE_UNTRACED);
  make_all("plain", 0);
  return work(-1);
}
