// SPDX-License-Identifier: GPL-3.0-or-later
// N threads born one after another as fast as possible (R at once), each calls f() K times; counted by the program itself.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static long calls;
static int K;
__attribute__((noinline)) int f(int x) {
  __asm__ volatile("cmp $7,%0" : "+r"(x)::"cc");
  return x + 1;
}
static void* w(void* p) {
  for (int i = 0; i < K; i++) f(i);
  __atomic_add_fetch(&calls, K, 0);
  return 0;
}
int main(int c, char** v) {
  int N = atoi(v[1]), R = atoi(v[2]);
  K = atoi(v[3]);
  pthread_attr_t a;
  pthread_attr_init(&a);
  pthread_attr_setstacksize(&a, 65536);
  pthread_t* t = calloc(R, sizeof *t);
  for (int i = 0; i < N; i += R) {
    int n = 0;
    for (; n < R && i + n < N; n++)
      if (pthread_create(&t[n], &a, w, 0)) {
        perror("create");
        exit(1);
      }
    for (int k = 0; k < n; k++) pthread_join(t[k], 0);
  }
  printf("threads %d calls %ld\n", N, calls);
  return 0;
}
