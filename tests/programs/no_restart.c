// SPDX-License-Identifier: GPL-3.0-or-later
// Sleeps in calls that the kernel continues by restart_syscall if something wakes the thread up; a filter of its own kills it for that
// call. SIGTRAP is blocked, so a tracer that must stop it has to wake it up. Writes "asleep", sleeps until a line comes, and says how
// it went.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_restart_syscall, 0, 1),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  struct pollfd input = {0, POLLIN, 0};
  sigset_t trap;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  sigprocmask(SIG_BLOCK, &trap, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return 1;
  puts("asleep");
  fflush(stdout);
  const int ready = poll(&input, 1, 100000);
  printf("woke up, %d\n", ready);
  return 0;
}
