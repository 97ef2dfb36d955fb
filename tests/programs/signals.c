// SPDX-License-Identifier: GPL-3.0-or-later
// Prints what a program observes of signals; every line must be the same with and without a tracer.
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t seen[65], value_sum, last_code;
static void* volatile fault_address;
static char* guarded;

static void count(int number, siginfo_t* info, void* context) {
  (void)context;
  seen[number]++;
  value_sum += info->si_value.sival_int;
  last_code = info->si_code;
}

static void on_fault(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  fault_address = info->si_addr;
  seen[SIGSEGV]++;
  mprotect(guarded, 4096, PROT_READ | PROT_WRITE);
}

static void handle(int number, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
  sigaction(number, &action, NULL);
}

static void plain_signals(void) {
  handle(SIGUSR1, count, 0);
  handle(SIGUSR2, count, 0);
  for (int i = 0; i < 50; ++i) kill(getpid(), SIGUSR1), raise(SIGUSR2);
  printf("usr1 %d usr2 %d\n", (int)seen[SIGUSR1], (int)seen[SIGUSR2]);
}

static void queued_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 2);
  handle(SIGRTMIN + 2, count, 0);
  sigprocmask(SIG_BLOCK, &set, NULL);
  value_sum = 0;
  for (int i = 1; i <= 100; ++i) sigqueue(getpid(), SIGRTMIN + 2, (union sigval){.sival_int = i});
  printf("queued, blocked: %d\n", (int)seen[SIGRTMIN + 2]);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  printf("queued, released: %d, sum %d, code %d\n", (int)seen[SIGRTMIN + 2], (int)value_sum, (int)last_code);
}

static void waited_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  sigprocmask(SIG_BLOCK, &set, NULL);
  kill(getpid(), SIGHUP);
  siginfo_t info;
  int number = sigwaitinfo(&set, &info);
  printf("waited for %d, code %d, from myself %d\n", number, info.si_code, info.si_pid == getpid());
}

static void faults(void) {
  guarded = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  handle(SIGSEGV, on_fault, 0);
  guarded[123] = 1;
  printf("segv %d, at the address %d\n", (int)seen[SIGSEGV], fault_address == guarded + 123);
}

static void traps(void) {
  handle(SIGTRAP, count, 0);
  __asm__ volatile("int3");
  int from_int3 = last_code;
  raise(SIGTRAP);
  printf("trap %d, codes %d %d\n", (int)seen[SIGTRAP], from_int3, (int)last_code);
}

static void interrupted_sleep(void) {
  handle(SIGALRM, count, SA_RESTART);
  struct itimerval timer = {.it_value = {.tv_usec = 30000}};
  setitimer(ITIMER_REAL, &timer, NULL);
  struct timespec wish = {.tv_sec = 5}, left = {0, 0};
  int result = nanosleep(&wish, &left);
  printf("sleep %d, alarm %d, left %d\n", result, (int)seen[SIGALRM], (int)left.tv_sec);

  int ends[2];
  char byte = 0;
  if (pipe(ends)) exit(1);
  setitimer(ITIMER_REAL, &timer, NULL);
  if (fork() == 0) {
    usleep(80000);
    _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
  }
  long got = read(ends[0], &byte, 1);
  printf("restarted read %ld %c, alarm %d\n", got, byte, (int)seen[SIGALRM]);
  wait(NULL);
}

static void* kill_target(void* ready) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGURG);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  pthread_barrier_wait(ready);
  while (seen[SIGURG] < 1) usleep(1000);
  return NULL;
}

static void thread_signals(void) {
  handle(SIGURG, count, 0);
  pthread_barrier_t ready;
  pthread_barrier_init(&ready, NULL, 2);
  pthread_t thread;
  pthread_create(&thread, NULL, kill_target, &ready);
  pthread_barrier_wait(&ready);
  pthread_kill(thread, SIGURG);
  pthread_join(thread, NULL);
  printf("thread signal %d\n", (int)seen[SIGURG]);
}

static void job_control(void) {
  int go[2];
  if (pipe(go)) exit(1);
  pid_t child = fork();
  if (child == 0) {
    static const int kStops[] = {SIGSTOP, SIGTSTP};
    setpgid(0, 0);  // an orphaned group would not stop on SIGTSTP
    for (int i = 0; i < 2; ++i) {
      char byte;
      raise(kStops[i]);
      if (read(go[0], &byte, 1) != 1) _exit(1);
    }
    _exit(7);
  }
  int status;
  for (int round = 0; round < 2; ++round) {
    waitpid(child, &status, WUNTRACED);
    printf("child stopped %d by %d\n", WIFSTOPPED(status), WIFSTOPPED(status) ? WSTOPSIG(status) : -1);
    kill(child, SIGCONT);
    waitpid(child, &status, WCONTINUED);
    printf("child continued %d\n", WIFCONTINUED(status));
    if (write(go[1], "x", 1) != 1) exit(1);
  }
  waitpid(child, &status, 0);
  printf("child exited %d\n", WEXITSTATUS(status));
}

static void deaths(void) {
  static const int kNumbers[] = {SIGKILL, SIGTERM, SIGINT, SIGPIPE};
  for (unsigned i = 0; i < sizeof kNumbers / sizeof *kNumbers; ++i) {
    pid_t child = fork();
    if (child == 0) {
      sleep(5);
      _exit(3);  // the signal was ignored
    }
    kill(child, kNumbers[i]);
    int status;
    waitpid(child, &status, 0);
    printf("child died of %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : -1);
  }
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  signal(SIGCHLD, SIG_DFL);
  plain_signals();
  queued_signals();
  waited_signals();
  faults();
  traps();
  interrupted_sleep();
  thread_signals();
  job_control();
  deaths();
  return 0;
}
