// SPDX-License-Identifier: GPL-3.0-or-later
// Calls the function of the C library that its argument names, behind sched_yield(), which marks the place
//
// For cli/calls_instead.h: a row there is right if the function makes the system call that the row says, or none.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

static void* nothing(void* unused) { return unused; }

static void do_accept(void) { accept(-1, NULL, NULL); }
static void do_access(void) { access("/", R_OK); }
static void do_chmod(void) { chmod("/nonexistent", 0); }
static void do_chown(void) { (void)!chown("/nonexistent", 0, 0); }
static void do_clock_gettime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
}
static void do_clone(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
}
static void do_dup2(void) { dup2(1, 9); }
static void do_epoll_create(void) { epoll_create(1); }
static void do_epoll_wait(void) {
  struct epoll_event event;
  epoll_wait(-1, &event, 1, 0);
}
static void do_eventfd(void) { eventfd(0, 0); }
static void do_execve(void) { execve("/nonexistent", NULL, NULL); }
static void do_exit(void) { exit(0); }
static void do_fork(void) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, NULL, 0);
}
static void do_fstat(void) {
  struct stat status;
  fstat(0, &status);
}
static void do_getcpu(void) {
  unsigned cpu;
  getcpu(&cpu, NULL);
}
static void do_getdents(void) {
  DIR* folder = opendir("/");
  if (folder != NULL) readdir(folder);
}
static void do_getrlimit(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_CORE, &limit);
}
static void do_gettimeofday(void) {
  struct timeval now;
  gettimeofday(&now, NULL);
}
static void do_inotify_init(void) { inotify_init(); }
static void do_lchown(void) { (void)!lchown("/nonexistent", 0, 0); }
static void do_link(void) { link("/nonexistent", "/nonexistent2"); }
static void do_lstat(void) {
  struct stat status;
  lstat("/", &status);
}
static void do_mkdir(void) { mkdir("/proc/x", 0); }
static void do_mknod(void) { mknod("/proc/x", 0, 0); }
static void do_nanosleep(void) {
  const struct timespec short_time = {0, 1};
  nanosleep(&short_time, NULL);
}
static void do_open(void) { open("/", O_RDONLY); }
static void do_pipe(void) {
  int ends[2];
  (void)!pipe(ends);
}
static void do_poll(void) { poll(NULL, 0, 0); }
static void do_read(void) {
  char byte;
  (void)!read(-1, &byte, 1);
}
static void do_readlink(void) {
  char text[9];
  (void)!readlink("/proc/self", text, sizeof text);
}
static void do_rename(void) { rename("/nonexistent", "/nonexistent2"); }
static void do_rmdir(void) { rmdir("/nonexistent"); }
static void do_select(void) {
  struct timeval short_time = {0, 1};
  select(0, NULL, NULL, NULL, &short_time);
}
static void do_setrlimit(void) {
  struct rlimit limit = {1, 1};
  setrlimit(RLIMIT_CORE, &limit);
}
static void do_signalfd(void) {
  sigset_t signals;
  sigemptyset(&signals);
  signalfd(-1, &signals, 0);
}
static void do_stat(void) {
  struct stat status;
  stat("/", &status);
}
static void do_symlink(void) { symlink("/nonexistent", "/proc/x"); }
static void do_time(void) { time(NULL); }
static void do_unlink(void) { unlink("/nonexistent"); }
static void do_utime(void) { utime("/nonexistent", NULL); }
static void do_utimes(void) { utimes("/nonexistent", NULL); }
static void do_vfork(void) {
  const pid_t child = vfork();
  if (child == 0) _exit(0);
  waitpid(child, NULL, 0);
}
static void do_write(void) { (void)!write(-1, "", 1); }
static void do_readdir(void) {
  DIR* folder = opendir("/");
  if (folder != NULL) readdir(folder);
}
static void do_sigaction(void) { sigaction(SIGUSR1, NULL, &(struct sigaction){}); }
static void do_signal(void) { signal(SIGUSR1, SIG_IGN); }
static void do_sigpending(void) {
  sigset_t signals;
  sigpending(&signals);
}
static void do_sigprocmask(void) {
  sigset_t signals;
  sigprocmask(SIG_BLOCK, NULL, &signals);
}
static void do_waitpid(void) { waitpid(-1, NULL, 0); }

static const struct {
  const char* name;
  void (*call)(void);
} kCalls[] = {
    {"accept", do_accept},
    {"access", do_access},
    {"chmod", do_chmod},
    {"chown", do_chown},
    {"clock_gettime", do_clock_gettime},
    {"clone", do_clone},
    {"dup2", do_dup2},
    {"epoll_create", do_epoll_create},
    {"epoll_wait", do_epoll_wait},
    {"eventfd", do_eventfd},
    {"execve", do_execve},
    {"exit", do_exit},
    {"fork", do_fork},
    {"fstat", do_fstat},
    {"getcpu", do_getcpu},
    {"getdents", do_getdents},
    {"getrlimit", do_getrlimit},
    {"gettimeofday", do_gettimeofday},
    {"inotify_init", do_inotify_init},
    {"lchown", do_lchown},
    {"link", do_link},
    {"lstat", do_lstat},
    {"mkdir", do_mkdir},
    {"mknod", do_mknod},
    {"nanosleep", do_nanosleep},
    {"open", do_open},
    {"pipe", do_pipe},
    {"poll", do_poll},
    {"read", do_read},
    {"readdir", do_readdir},
    {"readlink", do_readlink},
    {"rename", do_rename},
    {"rmdir", do_rmdir},
    {"select", do_select},
    {"setrlimit", do_setrlimit},
    {"sigaction", do_sigaction},
    {"signal", do_signal},
    {"signalfd", do_signalfd},
    {"sigpending", do_sigpending},
    {"sigprocmask", do_sigprocmask},
    {"stat", do_stat},
    {"symlink", do_symlink},
    {"time", do_time},
    {"unlink", do_unlink},
    {"utime", do_utime},
    {"utimes", do_utimes},
    {"vfork", do_vfork},
    {"waitpid", do_waitpid},
    {"write", do_write},
};

int main(int argc, char** argv) {
  for (size_t i = 0; argc > 1 && i < sizeof kCalls / sizeof *kCalls; i++) {
    if (strcmp(argv[1], kCalls[i].name) != 0) continue;
    sched_yield();
    kCalls[i].call();
    sched_yield();
    return 0;
  }
  return 2;
}
