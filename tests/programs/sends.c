// SPDX-License-Identifier: GPL-3.0-or-later
// Sends a signal by each call that can, and prints each send: receiver's pid, thread, signal, si_code, value.
// argv[1] > 0: besides, that many SIGUSR1 and as many queued SIGRTMIN to itself. At the end one child kills itself by SIGKILL,
// and another its process group.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void handler(int number) { (void)number; }

static void tell(long result, int pid, int tid, int number, int code, int value) {
  if (result == 0) printf("%d %d %d %d %d\n", pid, tid, number, code, value);
}

static void* thread(void* other) {
  *(int*)other = gettid();
  for (;;) pause();
  return NULL;
}

static siginfo_t queued(int number, int value) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = number;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_int = value;
  return info;
}

int main(int argc, char** argv) {
  const int me = getpid(), times = argc > 1 ? atoi(argv[1]) : 0;
  volatile int other = 0;
  setvbuf(stdout, NULL, _IONBF, 0);
  setpgid(0, 0);
  signal(SIGUSR1, handler);
  signal(SIGUSR2, SIG_IGN);
  signal(SIGRTMIN, handler);
  pthread_t made;
  pthread_create(&made, NULL, thread, (void*)&other);
  while (other == 0) usleep(1000);
  const int child = fork();
  if (child == 0) {
    for (;;) pause();
  }

  tell(kill(me, SIGUSR1), me, me, SIGUSR1, SI_USER, 0);
  tell(kill(other, SIGUSR1), me, me, SIGUSR1, SI_USER, 0);  // the number of a thread addresses its process
  tell(kill(child, SIGUSR2), child, child, SIGUSR2, SI_USER, 0);
  tell(kill(0, SIGURG), -me, 0, SIGURG, SI_USER, 0);
  tell(kill(-me, SIGURG), -me, 0, SIGURG, SI_USER, 0);
  tell(syscall(SYS_tkill, other, SIGUSR1), me, other, SIGUSR1, SI_TKILL, 0);
  tell(syscall(SYS_tgkill, me, other, SIGUSR1), me, other, SIGUSR1, SI_TKILL, 0);
  siginfo_t info = queued(SIGRTMIN, 41);
  tell(syscall(SYS_rt_sigqueueinfo, child, SIGUSR2, &info), child, child, SIGUSR2, SI_QUEUE, 41);
  info = queued(SIGRTMIN, 42);
  tell(syscall(SYS_rt_tgsigqueueinfo, me, other, SIGRTMIN, &info), me, other, SIGRTMIN, SI_QUEUE, 42);
  const int fd = syscall(SYS_pidfd_open, child, 0);
  tell(syscall(SYS_pidfd_send_signal, fd, SIGUSR2, NULL, 0), child, child, SIGUSR2, SI_USER, 0);
  info = queued(SIGUSR2, 43);
  tell(syscall(SYS_pidfd_send_signal, fd, SIGUSR2, &info, 0), child, child, SIGUSR2, SI_QUEUE, 43);
  char path[32];
  snprintf(path, sizeof path, "/proc/%d", child);
  const int folder = open(path, O_RDONLY | O_DIRECTORY);
  tell(syscall(SYS_pidfd_send_signal, folder, SIGUSR2, NULL, 0), child, child, SIGUSR2, SI_USER, 0);
  const int of_thread = syscall(SYS_pidfd_open, other, O_EXCL);  // PIDFD_THREAD, Linux 6.9
  if (of_thread >= 0)
    tell(syscall(SYS_pidfd_send_signal, of_thread, SIGUSR1, NULL, 0), me, other, SIGUSR1, SI_TKILL, 0);
  if (of_thread >= 0)  // to the thread's process
    tell(syscall(SYS_pidfd_send_signal, of_thread, SIGUSR1, NULL, 2), me, me, SIGUSR1, SI_USER, 0);
  const int own = syscall(SYS_pidfd_open, me, 0);
  tell(syscall(SYS_pidfd_send_signal, own, SIGURG, NULL, 4), -me, 0, SIGURG, SI_USER, 0);       // the process group,
                                                                                                // Linux 6.9
  tell(syscall(SYS_pidfd_send_signal, -10001, SIGUSR1, NULL, 0), me, me, SIGUSR1, SI_USER, 0);  // itself, Linux 6.15

  kill(me, 0);  // none of the following sends a signal
  kill(me, 65);
  kill(0x7ffffff0, SIGUSR1);
  syscall(SYS_tgkill, 1, other, SIGUSR1);
  syscall(SYS_pidfd_send_signal, 77, SIGUSR1, NULL, 0);

  for (int i = 0; i < times; i++) {
    tell(kill(me, SIGUSR1), me, me, SIGUSR1, SI_USER, 0);
    union sigval value = {.sival_int = i};
    tell(sigqueue(me, SIGRTMIN, value), me, me, SIGRTMIN, SI_QUEUE, i);
  }
  tell(kill(child, SIGKILL), child, child, SIGKILL, SI_USER, 0);
  waitpid(child, NULL, 0);
  const int last = fork();
  if (last == 0) kill(getpid(), SIGKILL);
  waitpid(last, NULL, 0);
  printf("%d %d %d %d 0\n", last, last, SIGKILL, SI_USER);
  const int group = fork();  // it kills its group, which it is alone in
  if (group == 0) {
    setpgid(0, 0);
    kill(0, SIGKILL);
  }
  waitpid(group, NULL, 0);
  printf("%d 0 %d %d 0\n", -group, SIGKILL, SI_USER);
  return 0;
}
