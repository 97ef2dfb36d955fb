// SPDX-License-Identifier: GPL-3.0-or-later
// Each verdict of a program's own seccomp filter, reported by the program: verdicts HOW WHEN [VERDICT]
//
//   HOW      how the filter is installed: prctl, seccomp, tsync (by one thread for another), thread (in a second thread), parent (it is
//            inherited)
//   WHEN     after: reads a line, then makes a child for each verdict, which installs its filter. before: the children install their filters
//            first. Both write "ready" before they read
//   VERDICT  this one alone, in the process itself
//
// The filter judges getppid. Each child says what its three calls returned, how many SIGSYS came, what twenty calls of work() add up to and
// how often its handler of SIGTRAP has run; its parent says how it ended.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STRICT = 1, NOTIFY = 2, CONTINUE = 3 };
static const struct verdict {
  const char* name;
  unsigned action;
} verdicts[] = {{"allow", SECCOMP_RET_ALLOW},
                {"log", SECCOMP_RET_LOG},
                {"errno", SECCOMP_RET_ERRNO | 55},
                {"trace", SECCOMP_RET_TRACE},
                {"trace7", SECCOMP_RET_TRACE | 7},
                {"trace65535", SECCOMP_RET_TRACE | 65535},
                {"trap", SECCOMP_RET_TRAP | 9},
                {"kill_thread", SECCOMP_RET_KILL_THREAD},
                {"kill_process", SECCOMP_RET_KILL_PROCESS},
                {"notify", NOTIFY},
                {"continue", CONTINUE},
                {"strict", STRICT}};
enum { VERDICTS = sizeof verdicts / sizeof *verdicts, CALLS = 3 };

static const char* how;
static volatile int refusals, traps, listener = -1;
static long results[CALLS], errors[CALLS];
static volatile int called;
static pthread_barrier_t installed;

static void on_sys(int signal) { (void)signal, refusals++; }
static void on_trap(int signal) { (void)signal, traps++; }
static int is(const char* what) { return strcmp(how, what) == 0; }

__attribute__((noinline)) int work(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

static void* supervise(void* verdict) {
  struct seccomp_notif asked;
  for (;;) {
    memset(&asked, 0, sizeof asked);
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) continue;
    struct seccomp_notif_resp answer = {.id = asked.id, .val = 4242};
    if (((const struct verdict*)verdict)->action == CONTINUE)
      answer.val = 0, answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }
  return 0;
}

static int install(const struct verdict* verdict) {
  const int notifies = verdict->action == NOTIFY || verdict->action == CONTINUE;
  struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
                               BPF_STMT(BPF_RET | BPF_K, notifies ? SECCOMP_RET_USER_NOTIF : verdict->action),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  if (verdict->action == STRICT)
    return is("prctl") ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)
                       : (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (notifies) {
    pthread_t supervisor;
    listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    return listener < 0 || pthread_create(&supervisor, 0, supervise, (void*)verdict);
  }
  if (is("prctl")) return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, is("tsync") ? SECCOMP_FILTER_FLAG_TSYNC : 0, &program);
}

static void call(void) {
  for (int i = 0; i < CALLS; i++) {
    errno = 0;
    results[i] = syscall(SYS_getppid);
    errors[i] = errno;
    called++;
  }
}

static void* call_when_installed(void* unused) {
  pthread_barrier_wait(&installed);
  call();
  return unused;
}

static void* install_and_call(void* verdict) {
  if (install(verdict) != 0) return 0;
  call();
  syscall(SYS_exit, 0);
  return 0;
}

static void report(const struct verdict* verdict) {
  char text[256];
  int sum = 0, length = sprintf(text, "%s:", verdict->name);
  for (int i = 0; i < 20; i++) sum += work(i);
  if (verdict->action != STRICT || is("thread")) syscall(SYS_tgkill, getpid(), gettid(), SIGTRAP);
  for (int i = 0; i < called; i++)
    length += sprintf(text + length, " %s/%ld",
                      results[i] == -1     ? "-1"
                      : results[i] == 4242 ? "4242"
                                           : "worked",
                      errors[i]);
  length += sprintf(text + length, " refused %d work %d trapped %d\n", refusals, sum, traps);
  write(1, text, (size_t)length);
  if (listener >= 0) _exit(0);  // its supervisor has not ended
  syscall(SYS_exit, 0);
}

/// What is done with one verdict; reads a byte from `from` before the filter is installed, or after.
static void act(const struct verdict* verdict, int before, int ready, int from) {
  pthread_t other;
  char byte = 0;
  signal(SIGSYS, on_sys);
  signal(SIGTRAP, on_trap);
  pthread_barrier_init(&installed, 0, 2);
  const int by_another =
      is("tsync") && verdict->action != STRICT && verdict->action != NOTIFY && verdict->action != CONTINUE;
  if (by_another) pthread_create(&other, 0, call_when_installed, 0);
  if (before && !is("thread") && install(verdict) != 0) _exit(3);
  if (write(ready, "r", 1) != 1 || read(from, &byte, 1) != 1) syscall(SYS_exit, 4);
  if (!before && !is("thread") && install(verdict) != 0) _exit(3);
  if (is("thread")) {
    pthread_create(&other, 0, install_and_call, (void*)verdict);
    pthread_join(other, 0);
  } else if (by_another) {
    pthread_barrier_wait(&installed);
    pthread_join(other, 0);
  } else if (is("parent") && verdict->action != STRICT) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
      call();
      report(verdict);
    }
    waitpid(child, &status, 0);
    printf("%s: child %x\n", verdict->name, status);
    fflush(stdout);
    called = 0;
  } else if (verdict->action == STRICT) {
    char text[64];
    int sum = 0;
    for (int i = 0; i < 20; i++) sum += work(i);
    write(1, text, (size_t)sprintf(text, "strict: locked up, work %d trapped %d\n", sum, traps));
    call();
  } else {
    call();
  }
  report(verdict);
}

int main(int argc, char** argv) {
  int ready[2], release[VERDICTS][2], status = 0;
  pid_t children[VERDICTS];
  char line[16];
  how = argv[1];
  const int before = strcmp(argv[2], "before") == 0;
  for (int i = 0; argc > 3 && i < VERDICTS; i++)
    if (strcmp(argv[3], verdicts[i].name) == 0) act(&verdicts[i], before, 1, 0);
  if (pipe(ready) != 0) return 1;
  if (!before) {
    puts("ready");
    fflush(stdout);
    if (read(0, line, sizeof line) < 0) return 1;
  }
  for (int i = 0; i < VERDICTS; i++) {
    if (pipe(release[i]) != 0) return 1;
    children[i] = fork();
    if (children[i] == 0) act(&verdicts[i], before, ready[1], release[i][0]);
    if (read(ready[0], line, 1) != 1) return 1;
  }
  if (before) {
    puts("ready");
    fflush(stdout);
    if (read(0, line, sizeof line) < 0) return 1;
  }
  for (int i = 0; i < VERDICTS; i++) {
    write(release[i][1], "g", 1);
    waitpid(children[i], &status, 0);
    printf("%s: ended with %x\n", verdicts[i].name, status & ~0x80);
    fflush(stdout);
  }
  return 0;
}
