// SPDX-License-Identifier: GPL-3.0-or-later
// SIGTRAP has a handler and is blocked while probed functions run: alone, with another signal, or with all. With "dispatch" the calls
// of foreign code become SIGSYS (syscall user dispatch) meanwhile, with "thread" another thread runs probed functions, too.
// Prints the sum of what the functions return, how many calls were dispatched, and whether SIGTRAP is still blocked, and handled.
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

static volatile char selector;
static volatile int dispatched, handled, over;
static uint64_t low, high;

static void on_sys(int signal, siginfo_t* info, void* context) {
  (void)signal;
  dispatched++;
  ((ucontext_t*)context)->uc_mcontext.gregs[REG_RAX] = info->si_syscall;
}

static void on_trap(int signal) {
  (void)signal;
  handled++;
}

static int find_text(struct dl_phdr_info* object, size_t size, void* unused) {
  (void)size, (void)unused;
  if (!strstr(object->dlpi_name, "libc.so")) return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr)* part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    low = object->dlpi_addr + part->p_vaddr;
    high = low + part->p_memsz;
  }
  return 1;
}

__attribute__((noinline)) long work(long n) {
  __asm__ volatile("");
  return n * 3 + 1;
}

static void* beside(void* unused) {
  while (!over) work(1);
  return unused;
}

int main(int argc, char** argv) {
  const int dispatches = argc > 2 && strcmp(argv[2], "dispatch") == 0,
            threads = argc > 2 && strcmp(argv[2], "thread") == 0;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_sys;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSYS, &action, 0);
  signal(SIGTRAP, on_trap);
  pthread_t thread;
  if (threads) pthread_create(&thread, 0, beside, 0);
  for (int n = 0; n < 300; n++) work(n);  // not blocked yet

  sigset_t mask, before, now;
  sigemptyset(&mask);
  if (argc > 1 && strcmp(argv[1], "all") == 0) sigfillset(&mask);
  if (argc > 1 && strcmp(argv[1], "two") == 0) sigaddset(&mask, SIGUSR1);
  sigaddset(&mask, SIGTRAP);
  if (dispatches) sigdelset(&mask, SIGSYS);
  pthread_sigmask(SIG_BLOCK, &mask, &before);
  unsigned char* page = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(page, "\xb8\x27\x05\x00\x00\x0f\x05\xc3", 8);  // mov $1319,%eax; syscall; ret
  long (*foreign)(void) = (long (*)(void))(uintptr_t)page;
  if (dispatches) {
    dl_iterate_phdr(find_text, 0);
    if (prctl(59 /* PR_SET_SYSCALL_USER_DISPATCH */, 1, low, high - low, &selector) != 0) return 77;
    selector = 1;
  }
  long sum = 0;
  for (int n = 0; n < 200; n++) sum += work(n) + (dispatches ? foreign() : 0);
  selector = 0;
  pthread_sigmask(SIG_BLOCK, 0, &now);
  over = 1;
  if (threads) pthread_join(thread, 0);
  pthread_sigmask(SIG_SETMASK, &before, 0);
  raise(SIGTRAP);
  printf("%ld dispatched %d, blocked %d, handled %d\n", sum, dispatched, threads || sigismember(&now, SIGTRAP),
         handled);
  return 0;
}
