// SPDX-License-Identifier: GPL-3.0-or-later
// many_forks COUNT: children that are all alive at once; then each calls f() five times and executes a shell. Calls f()
// once itself. Prints how many were right, and how many were killed.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int f(int x) {
  __asm__ volatile("cmp $7,%0" : "+r"(x)::"cc");
  return x + 1;
}

static void child(int ready, int go) {
  char byte = 0;
  int sum = 0;
  if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 0) _exit(2);
  for (int i = 0; i < 5; i++) sum += f(i);
  execl("/bin/sh", "sh", "-c", sum == 15 ? "exit 0" : "exit 1", (char*)NULL);
  _exit(3);
}

int main(int argc, char** argv) {
  int go[2], ready[2], status, made = 0, right = 0, killed = 0;
  char byte;
  if (argc < 2 || pipe(go) != 0 || pipe(ready) != 0) return 2;
  f(1);
  for (int i = 0; i < atoi(argv[1]); i++) {
    const pid_t pid = fork();
    if (pid < 0) break;
    if (pid == 0) {
      close(go[1]);
      child(ready[1], go[0]);
    }
    made++;
  }
  for (int i = 0; i < made; i++)
    if (read(ready[0], &byte, 1) != 1) return 2;
  close(go[1]);
  while (wait(&status) > 0) {
    right += status == 0;
    killed += WIFSIGNALED(status);
  }
  printf("made %d right %d killed %d\n", made, right, killed);
  return 0;
}
