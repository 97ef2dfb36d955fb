// SPDX-License-Identifier: GPL-3.0-or-later
// Each way in which a process ends, in a child each. Prints "PID exited STATUS" or "PID killed SIGNAL", as wait() says.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void await_leaders_end(void) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", getpid());
  for (;;) {
    FILE* file = fopen(path, "r");
    size_t length = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file != NULL) fclose(file);
    text[length] = '\0';
    if (strstr(text, ") Z ") != NULL || strstr(text, ") X ") != NULL) return;
    usleep(1000);
  }
}

static void* exits_all(void* unused) {
  exit(3);
  return unused;
}

static void* ends_last(void* code) {
  await_leaders_end();
  syscall(SYS_exit, (int)(long)code);
  return NULL;
}

static void* execs_last(void* unused) {
  await_leaders_end();
  execl("/bin/false", "false", (char*)NULL);
  return unused;
}

static void* exits_all_last(void* unused) {
  await_leaders_end();
  _exit(11);
  return unused;
}

static void* killed_last(void* unused) {
  await_leaders_end();
  raise(SIGTERM);
  return unused;
}

static void* faults(void* unused) {
  *(volatile int*)0 = 1;
  return unused;
}

static void start(void* (*body)(void*), long argument) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, (void*)argument);
}

static void leader_ends(void* (*body)(void*), long argument, int code) {
  start(body, argument);
  syscall(SYS_exit, code);
}

static void exhaust_processor_time(void) {
  const struct rlimit second = {1, 1};
  setrlimit(RLIMIT_CPU, &second);
  for (;;) continue;
}

static void await_alarm(void) {
  const struct itimerval soon = {{0, 0}, {0, 1000}};
  setitimer(ITIMER_REAL, &soon, NULL);
  for (;;) pause();
}

static void end(int way) {
  switch (way) {
    case 0: _exit(0x1ff);
    case 1: raise(SIGKILL); break;
    case 2: raise(SIGSEGV); break;
    case 3: start(exits_all, 0); break;
    case 4: leader_ends(ends_last, 7, 0); break;
    case 5: leader_ends(ends_last, 0, 9); break;
    case 6: raise(SIGRTMIN + 3); break;
    case 7: start(faults, 0); break;
    case 8: exhaust_processor_time(); break;
    case 9: await_alarm(); break;
    case 10:
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      raise(SIGTERM);
      break;
    case 11: execl("/bin/false", "false", (char*)NULL); break;
    case 12: abort();
    case 13: leader_ends(execs_last, 0, 4); break;
    case 14: leader_ends(exits_all_last, 0, 4); break;
    case 15: leader_ends(killed_last, 0, 4); break;
  }
  for (;;) pause();
}

int main(void) {
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  setvbuf(stdout, NULL, _IONBF, 0);
  for (int way = 0; way < 16; ++way) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) end(way);
    waitpid(child, &status, 0);
    printf("%d %s %d\n", child, WIFEXITED(status) ? "exited" : "killed",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
  }
  return 0;
}
