// SPDX-License-Identifier: GPL-3.0-or-later
// Makes every system call once, each in a child whose filter lets only exit_group() take place.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  struct sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 38),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {4, filter};
  for (long n = 0; n < 451; n++) {
    if (n == 335) n = 424; /* there are none between */
    const pid_t pid = fork();
    if (pid == 0) {
      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
      if (n != SYS_exit_group) syscall(n, -1L, -1L, -1L, -1L, -1L, -1L);
      _exit(0);
    }
    waitpid(pid, NULL, 0);
  }
}
