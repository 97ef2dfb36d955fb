// SPDX-License-Identifier: GPL-3.0-or-later
// The first thread ends, another goes on: it waits for a line, then calls work() 50 times. Exit status 7.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) int work(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

static void* run(void* unused) {
  char byte;
  if (read(STDIN_FILENO, &byte, 1) != 1) exit(1);
  for (int i = 0; i < 50; i++) work(i);
  exit(7);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_exit(NULL);
}
