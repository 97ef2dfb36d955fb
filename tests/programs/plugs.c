// SPDX-License-Identifier: GPL-3.0-or-later
// plugs LIBRARY ROUNDS THREADS: the threads open the library, call go() three times and close it, side by side.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static const char* library;
static int rounds;
static long calls;

static void* open_and_close(void* unused) {
  (void)unused;
  for (int i = 0; i < rounds; i++) {
    void* opened = dlopen(library, RTLD_NOW);
    if (!opened) exit(puts(dlerror()));
    void (*go)(void) = (void (*)(void))dlsym(opened, "go");
    for (int k = 0; k < 3; k++) go();
    __atomic_add_fetch(&calls, 3, __ATOMIC_RELAXED);
    dlclose(opened);
  }
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[16];
  if (argc != 4) return 2;
  library = argv[1];
  rounds = atoi(argv[2]);
  const int count = atoi(argv[3]);
  for (int i = 0; i < count; i++) pthread_create(&threads[i], 0, open_and_close, 0);
  for (int i = 0; i < count; i++) pthread_join(threads[i], 0);
  printf("calls %ld\n", calls);
  return 0;
}
