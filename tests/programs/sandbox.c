// SPDX-License-Identifier: GPL-3.0-or-later
// A program with a seccomp filter of its own, which refuses three calls in three ways. sandbox [wait]: with an argument it first waits
// for a line on standard input. One of two threads installs the filter for both.
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t filtered;

static void refused(int signal) { (void)signal; }

static void* call(void* unused) {
  pthread_barrier_wait(&filtered);
  for (int i = 0; i < 3; i++) syscall(SYS_getppid);
  return unused;
}

#define REFUSE(call, how) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, how)

int main(int argc, char** argv) {
  (void)argv;
  char line[16];
  pthread_t other;
  int status = 0;
  struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               REFUSE(SYS_getppid, SECCOMP_RET_ERRNO | 55), REFUSE(SYS_getuid, SECCOMP_RET_TRAP),
                               REFUSE(SYS_sethostname, SECCOMP_RET_KILL_PROCESS),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  if (argc > 1 && read(0, line, sizeof line) <= 0) return 1;
  signal(SIGSYS, refused);
  pthread_barrier_init(&filtered, 0, 2);
  pthread_create(&other, 0, call, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) != 0) return 1;
  pthread_barrier_wait(&filtered);
  pthread_join(other, 0);
  for (int i = 0; i < 2; i++) syscall(SYS_getuid);
  if (fork() == 0) {
    syscall(SYS_getppid);
    syscall(SYS_sethostname, "x", 1);
    _exit(1);
  }
  wait(&status);
  puts(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS ? "refused" : "not refused");
  return 0;
}
