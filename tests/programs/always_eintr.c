/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A filter of its own ends every getppid() with EINTR. Prints how many of 50 returned so, between calls that return otherwise. With an
 * argument it waits, after a line, for the end of its input first. Prints nothing where it may install no filter. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char** words) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINTR),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  int interrupted = 0, right = 0, i;
  char byte;

  (void)words;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 0;
  if (count > 1) {
    puts("ready");
    fflush(stdout);
    while (read(0, &byte, 1) > 0)
      ;
  }
  for (i = 0; i < 50; i++) {
    errno = 0;
    interrupted += syscall(SYS_getppid) == -1 && errno == EINTR;
    right += syscall(SYS_geteuid) >= 0;
  }
  printf("%d interrupted, %d right\n", interrupted, right);
  return 0;
}
