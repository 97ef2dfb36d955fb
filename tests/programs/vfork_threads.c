// SPDX-License-Identifier: GPL-3.0-or-later
// Threads that vfork and exec without a pause: whoever lets go of the program in the middle may wait for a vfork's child for ever.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static time_t end;
static long made, bad;
static void* run(void* a) {
  (void)a;
  while (time(0) < end) {
    pid_t p = vfork();
    if (p == 0) {
      execl("/bin/true", "true", NULL);
      _exit(1);
    }
    int s = 0;
    if (waitpid(p, &s, 0) != p || s) __atomic_add_fetch(&bad, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
  }
  return 0;
}
int main(int argc, char** argv) {
  end = time(0) + (argc > 1 ? atoi(argv[1]) : 2);
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, run, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  printf("made %s, bad %ld\n", made > 0 ? "some" : "none", bad);
  return bad != 0;
}
