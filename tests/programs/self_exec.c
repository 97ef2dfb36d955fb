// SPDX-License-Identifier: GPL-3.0-or-later
// Execs itself N times, every second time from a thread that is not the leader, with other threads in the probed function.
// Each image makes 10 counted calls before its exec.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static char** av;
static int left;
static volatile long z;
__attribute__((noinline)) int f(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}
__attribute__((noinline)) int busy(int x) {
  __asm__ volatile("cmp $5,%0" : "+r"(x)::"cc");
  return x + 1;
}
static void* spin(void* p) {
  for (;;) z = busy(z);
}
static void go(void) {
  char n[20];
  int s = 0;
  for (int i = 0; i < 10; i++) s += f(i);
  if (s != 55) abort();
  if (!left) {
    puts("done");
    fflush(stdout);
    _exit(0);
  }
  sprintf(n, "%d", left - 1);
  execl("/proc/self/exe", av[0], n, (char*)0);
  perror("exec");
  _exit(1);
}
static void* w(void* p) {
  go();
  return 0;
}
int main(int c, char** v) {
  av = v;
  left = atoi(v[1]);
  pthread_t t;
  for (int i = 0; i < 2; i++) pthread_create(&t, 0, spin, 0);
  if (left % 2) {
    pthread_create(&t, 0, w, 0);
    pause();
  }
  go();
}
