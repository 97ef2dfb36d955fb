// SPDX-License-Identifier: GPL-3.0-or-later
// Calls malloc a known number of times: mallocs THREADS CALLS. Without stdio, which would allocate for itself.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int calls;
static void* volatile keep;  // so that no call is optimised away

static void* allocate(void* unused) {
  for (int i = 0; i < calls; ++i) {
    void* block = malloc(4242);
    keep = block;
    free(block);
  }
  return unused;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  int threads = atoi(argv[1]);
  calls = atoi(argv[2]);
  pthread_t others[64];
  for (int i = 1; i < threads; ++i)
    if (pthread_create(&others[i], NULL, allocate, NULL)) return 1;
  allocate(NULL);
  for (int i = 1; i < threads; ++i) pthread_join(others[i], NULL);
  return write(STDOUT_FILENO, "allocated\n", 10) == 10 ? 0 : 1;
}
