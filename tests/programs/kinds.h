/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rest of what kinds.py prints: it runs the functions, counts, and interrupts itself. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define PAGE 4096

extern char helper[], helper_end[], detour[];
enum mode { QUIET, RETURN, FULL, LONGJMP, SWAP, MOVED } mode;
static const char* const modes[] = {"quiet", "return", "full", "longjmp", "swap", "moved"};

#define LOCAL __thread __attribute__((tls_model("initial-exec")))
LOCAL volatile long entered[KINDS], left[KINDS];
LOCAL char* volatile forbidden; /* a page that may not be touched, until it is */
static LOCAL volatile int current = -1, faulted, ready;
static LOCAL sigjmp_buf interrupted, divided;
static LOCAL ucontext_t self, other;
static LOCAL unsigned turns;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum, all_entered[KINDS], all_left[KINDS];
static volatile long signals;
static int rounds, threads;

/* Each call comes with registers that no other one has. */
static long enter(int way, long x) {
  static LOCAL volatile long calls;
  return ((long (*)(long, long, long, long, long, long))ways[way].enter)(x, 0, 0, 0, 0, ++calls);
}

/* Entered from a handler: any kind that does not fault. */
__attribute__((used)) static void from_handler(void) {
  int way;
  do way = turns++ % COUNT(ways);
  while (ways[way].faults);
  const int kept = current;
  current = -1;
  enter(way, 7);
  current = kept;
}

static void* other_stack(void) {
  return mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void other_context(void) {
  for (;;) {
    from_handler();
    swapcontext(&other, &self);
  }
}

/* The thread is about to leave what it does. Has it been counted without having entered; has it entered without having returned? */
static void correct(const char* pc, long rcx, int way) {
  const int kind = ways[way].kind;
  const int begun = faulted || (ways[way].repeats != 0 && rcx != ways[way].repeats);
  const int at_start = pc == kinds[kind].begin && !begun;
  if ((pc >= ways[way].begin && pc < ways[way].end) || at_start)
    entered[kind]--;
  else if ((pc >= kinds[kind].begin && pc < kinds[kind].end) || (pc >= helper && pc < helper_end))
    left[kind]++;
}

static void on_alarm(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)info;
  greg_t* registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  if (!ready) return;
  __atomic_fetch_add(&signals, 1, __ATOMIC_RELAXED);
  if (mode != MOVED && mode != SWAP) from_handler();
  if (mode == SWAP) swapcontext(&self, &other);
  if (mode == MOVED) {
    registers[REG_RSP] -= 136; /* past the red zone; the detour comes back over it */
    *(long*)registers[REG_RSP] = registers[REG_RIP];
    registers[REG_RIP] = (long)detour;
  }
  if (mode == LONGJMP && current >= 0) {
    correct((char*)registers[REG_RIP], registers[REG_RCX], current);
    siglongjmp(interrupted, 1);
  }
}

static void on_fault(int signal, siginfo_t* info, void* context) {
  greg_t* registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  const char* pc = (char*)registers[REG_RIP];
  const int kind = current >= 0 ? ways[current].kind : -1;
  const int at_home = kind >= 0 && pc == kinds[kind].begin;
  faulted = 1;
  if (!at_home || (signal != SIGSEGV && info->si_addr != pc)) {
    dprintf(2, "signal %d at %p, address %p, in %s\n", signal, (void*)pc, info->si_addr,
            kind >= 0 ? kinds[kind].name : "nothing");
    _exit(3);
  }
  if (signal == SIGSEGV) mprotect(forbidden, PAGE, PROT_READ | PROT_WRITE);
  if (signal == SIGILL) registers[REG_RIP] += 2;
  if (signal == SIGFPE) {
    left[kind]++;
    current = -1; /* done with: no longer to be corrected */
    siglongjmp(divided, 1);
  }
}

/* One call, again until no handler leaves it. */
static long once(int way, long x) {
  volatile long result = 0;
  if (sigsetjmp(interrupted, 1)) current = -1;
  if (ways[way].faults) {
    mprotect(forbidden, PAGE, PROT_READ | PROT_WRITE);
    memset(forbidden, 0, 64);
    mprotect(forbidden, PAGE, PROT_NONE);
  }
  faulted = 0;
  if (sigsetjmp(divided, 1)) return -1;
  current = way;
  result = enter(way, x);
  current = -1;
  return result;
}

static timer_t start_timer(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  const long ns = 500000L * threads; /* 2 kHz, of all threads */
  struct itimerspec when = {{0, ns}, {0, ns}};
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &when, NULL);
  return timer;
}

static void* work(void* unused) {
  stack_t stack = {.ss_sp = other_stack(), .ss_size = 16 * PAGE};
  char* pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  forbidden = pages + PAGE;
  sigaltstack(&stack, NULL);
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarm, NULL);
  getcontext(&other);
  other.uc_stack.ss_sp = other_stack();
  other.uc_stack.ss_size = 16 * PAGE;
  makecontext(&other, other_context, 0);
  ready = 1;
  pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
  timer_t timer = 0;
  if (mode != QUIET) timer = start_timer();
  volatile long mine = 0;
  for (volatile int round = 0; round < rounds; round++) {
    for (volatile unsigned way = 0; way < COUNT(ways); way++)
      mine = mine * 31 + once((int)way, 37 * round + (long)way * 5 % 499);
  }
  pthread_sigmask(SIG_BLOCK, &alarm, NULL);
  if (mode != QUIET) timer_delete(timer);
  pthread_mutex_lock(&lock);
  sum += mine;
  for (int kind = 0; kind < KINDS; kind++) {
    all_entered[kind] += entered[kind];
    all_left[kind] += left[kind];
  }
  pthread_mutex_unlock(&lock);
  munmap(other.uc_stack.ss_sp, 16 * PAGE);
  munmap(pages, 2 * PAGE);
  return unused;
}

static void catch (int signal, void (*handler)(int, siginfo_t*, void*), int flags, int full) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | flags};
  if (full) sigfillset(&action.sa_mask);
  sigaction(signal, &action, NULL);
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  while (strcmp(argv[1], modes[mode])) mode++;
  threads = atoi(argv[2]);
  rounds = atoi(argv[3]);
  const int generations = atoi(argv[4]);
  catch (SIGALRM, on_alarm, mode == FULL ? SA_ONSTACK : 0, mode == FULL || mode == MOVED);
  catch (SIGSEGV, on_fault, 0, 1);
  catch (SIGFPE, on_fault, 0, 1);
  catch (SIGILL, on_fault, 0, 1);
  for (int generation = 0; generation < generations; generation++) {
    pthread_t ids[64];
    for (int i = 0; i < threads; i++) pthread_create(&ids[i], NULL, work, NULL);
    for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  }
  printf("%ld\n", sum);
  for (int kind = 0; kind < KINDS; kind++)
    fprintf(stderr, "%s %ld %ld\n", kinds[kind].name, all_entered[kind], all_left[kind]);
  fprintf(stderr, "signals %ld\n", signals);
  return 0;
}
