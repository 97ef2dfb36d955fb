// SPDX-License-Identifier: GPL-3.0-or-later
// Calls that a signal interrupts, with handlers of each kind. Prints the result of each.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static int ends[2];

static void plain(int signal) { (void)signal; }
/// Ends the read that is restarted.
static void feeding(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)info, (void)context;
  if (write(ends[1], "x", 1) < 0) _exit(1);
}

static void alarm_soon(void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  struct itimerval soon = {{0, 0}, {0, 10000}};
  sigaction(SIGALRM, &action, 0);
  setitimer(ITIMER_REAL, &soon, 0);
}

int main(void) {
  char byte;
  int interrupted = 0, again = 0, slept = 0, undisturbed = 0;
  if (pipe(ends) != 0) return 1;
  for (int i = 0; i < 6; i++) {
    alarm_soon(i % 2 ? (void (*)(int))feeding : plain, i % 2 ? SA_SIGINFO : 0);
    interrupted += read(ends[0], &byte, 1) < 0 && errno == EINTR;
    if (i % 2 && read(ends[0], &byte, 1) != 1) return 1;
  }
  for (int i = 0; i < 4; i++) {
    alarm_soon((void (*)(int))feeding, SA_SIGINFO | SA_RESTART);
    again += read(ends[0], &byte, 1) == 1;
  }
  for (int i = 0; i < 3; i++) {
    struct timespec time = {1, 0};
    alarm_soon(plain, SA_RESTART);
    slept += nanosleep(&time, 0) < 0 && errno == EINTR;
  }
  for (int i = 0; i < 2; i++) {
    struct timespec time = {0, 30000000};
    alarm_soon(SIG_IGN, 0);
    undisturbed += nanosleep(&time, 0) == 0;
  }
  printf("expect read-EINTR %d\nexpect read-ERESTARTSYS %d\nexpect sleep-EINTR %d\nexpect sleep-0 %d\n", interrupted,
         again, slept, undisturbed);
  return 0;
}
