// SPDX-License-Identifier: GPL-3.0-or-later
// A process of which no two facts are equal: real, effective and saved ids, pid, parent, group and session, priority and nice value, and
// descriptors of each kind without a file. It prints them, one `NAME VALUE` per line, and then makes the call getpgid(-7).
//
// A leads the session, its child B a group, B's child C is the process. Only root can have other ids.
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

static void change(int failed) {
  if (failed) {
    perror("facts");
    exit(3);
  }
}

/// Returns in the child.
static void go_on_in_child(void) {
  pid_t child = fork();
  int status = 1;
  change(child < 0);
  if (child == 0) return;
  waitpid(child, &status, 0);
  exit(WEXITSTATUS(status));
}

static void print_descriptor(const char* name, int fd) {
  change(fd < 0);
  printf("%s %d\n", name, fd);
}

static void open_all(void) {
  int pair[2];
  sigset_t none;
  sigemptyset(&none);
  change(pipe(pair));
  print_descriptor("pipe", pair[1]);
  print_descriptor("socket", socket(AF_UNIX, SOCK_STREAM, 0));
  print_descriptor("eventpoll", epoll_create1(0));
  print_descriptor("eventfd", eventfd(0, 0));
  print_descriptor("timerfd", timerfd_create(CLOCK_MONOTONIC, 0));
  print_descriptor("signalfd", signalfd(-1, &none, 0));
  print_descriptor("inotify", inotify_init1(0));
  print_descriptor("memfd", memfd_create("some memory", 0));
  print_descriptor("null", open("/dev/null", O_WRONLY | O_APPEND));
}

static void become_unequal(void) {
  gid_t more[] = {2009};
  setsid();
  go_on_in_child();
  change(setpgid(0, 0));
  go_on_in_child();
  change(setpriority(PRIO_PROCESS, 0, 5));
  open_all();
  if (geteuid() != 0) return;
  change(setgroups(1, more) || setresgid(2001, 2002, 2003) || setresuid(1001, 1002, 1003));
  prctl(PR_SET_DUMPABLE, 1);
}

int main(void) {
  uid_t user[3];
  gid_t group[3];
  become_unequal();
  getresuid(&user[0], &user[1], &user[2]);
  getresgid(&group[0], &group[1], &group[2]);
  printf("uid %d\neuid %d\ngid %d\negid %d\n", user[0], user[1], group[0], group[1]);
  printf("pid %d\nppid %d\npgid %d\nsid %d\n", getpid(), getppid(), getpgrp(), getsid(0));
  printf("pri %d\nnice %d\n", 20 + getpriority(PRIO_PROCESS, 0), getpriority(PRIO_PROCESS, 0));
  fflush(stdout);
  syscall(SYS_getpgid, -7);
  return 0;
}
