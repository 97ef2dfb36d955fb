// SPDX-License-Identifier: GPL-3.0-or-later
// shared_text [fault]: moves two functions to memory that it shares, where a tracer can write nothing. f() can be emulated; leap() faults,
// so a tracer would have to run it in its place. `fault`: waits for a line first, and calls leap() in the end.
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern int f(int);
extern void leap(void* to);
extern char page[];
__asm__(
    ".text\n.balign 4096\n.globl page\npage:\n"
    ".globl f\n.type f,@function\nf: lea 1(%rdi),%eax\n ret\n.size f,.-f\n"
    ".globl leap\n.type leap,@function\nleap: jmp *(%rdi)\n .skip 16,0x90\n ret\n.size leap,.-leap\n"
    ".balign 4096\n");

static void faulted(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  printf("fault at %p\n", info->si_addr);
  fflush(stdout);
  _exit(0);
}

int main(int argc, char** argv) {
  const struct sigaction action = {.sa_sigaction = faulted, .sa_flags = SA_SIGINFO};
  const int shared = memfd_create("text", 0);
  const bool faults = argc > 1 && strcmp(argv[1], "fault") == 0;
  char line[2];
  sigaction(SIGSEGV, &action, NULL);
  if (faults) {
    puts("ready");
    fflush(stdout);
    if (read(0, line, sizeof line) < 0) return 2;
  }
  int sum = f(0);
  if (write(shared, page, 4096) != 4096) return 2;
  if (mmap(page, 4096, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, shared, 0) != page) return 2;
  for (int i = 0; i < 9; i++) sum += f(0);
  if (faults) leap((void*)16);
  printf("%d ok\n", sum);
  return 0;
}
