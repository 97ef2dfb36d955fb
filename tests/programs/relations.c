// SPDX-License-Identifier: GPL-3.0-or-later
// PDEATHSIG, subreaper, getppid, session: what the program sees of its parents under -c. Prints relations only.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  setbuf(stdout, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int p[2];
  pipe(p);
  int a = fork();
  if (!a) {
    int b = fork();
    if (!b) {
      usleep(50000);
      int pp = getppid();
      write(p[1], &pp, 4);
      _exit(5);
    }
    _exit(4);
  }
  int st, pp = 0;
  waitpid(a, &st, 0);
  printf("child %d; ", WEXITSTATUS(st));
  read(p[0], &pp, 4);
  printf("orphan's parent is me: %d; ", pp == getpid());
  int r = waitpid(-1, &st, 0);
  printf("reaped %d\n", WEXITSTATUS(st));
  a = fork();
  if (!a) {
    int b = fork();
    if (!b) {
      prctl(PR_SET_PDEATHSIG, SIGUSR1);
      pause();
      _exit(0);
    }
    usleep(50000);
    _exit(0);
  }
  waitpid(a, &st, 0);
  r = waitpid(-1, &st, 0);
  printf("pdeathsig: killed by %d\n", WTERMSIG(st));
  printf("sid same as parent's: %d, pgid same: %d\n", getsid(0) == getsid(getppid()), getpgid(0) == getpgid(getppid()));
  return 0;
}
