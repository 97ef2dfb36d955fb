/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * returns HOW: functions that are left, or not, in every way that C has. Prints a result that return probes must not
 * change.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, noclone))

/* Entered by a jump, with the address of data on top of the stack. */
long word[2] = {0x1122334455667788, 0};
extern int jump(void);
__asm__(
    ".text\n"
    ".type jumped,@function\n"
    "jumped: nop\n add $8,%rsp\n mov $7,%eax\n ret\n"
    ".size jumped,.-jumped\n"
    ".globl jump\n"
    ".type jump,@function\n"
    "jump: lea word(%rip),%rax\n push %rax\n jmp jumped\n"
    ".size jump,.-jump\n");

FUNCTION long deep(long n) {
  if (n == 0) return 0;
  long result = deep(n - 1);
  __asm__ volatile("" : "+r"(result));
  return result + 1;
}

extern int three(int x);
__asm__(
    ".text\n"
    ".globl three\n"
    ".type three,@function\n"
    "three: test %edi,%edi\n jne 1f\n mov $10,%eax\n ret\n" /* at 9 */
    "1: cmp $1,%edi\n jne 2f\n mov $20,%eax\n ret\n"        /* at 20 */
    "2: mov $30,%eax\n rep ret\n"                           /* at 26 */
    ".size three,.-three\n");

static jmp_buf out;

FUNCTION int inner(int n) {
  __asm__ volatile("");
  if (n >= 0) longjmp(out, n + 1);
  return n;
}

FUNCTION int outer(int n) {
  int result = inner(n);
  __asm__ volatile("");
  return result;
}

FUNCTION static int jumps(void) {
  volatile int sum = 0;
  for (volatile int i = 0; i < 10; i++) {
    int value = setjmp(out);
    if (value == 0) value = outer(i);
    sum += value;
  }
  return sum;
}

FUNCTION int callee(char* text, int x) {
  __asm__ volatile("" ::"r"(text) : "memory");
  return x + text[1];
}

FUNCTION int framed(int x) {
  char text[300];
  memset(text, x, sizeof text);
  int sum = callee(text, x);
  for (int i = 0; i < 3; i++) sum += text[i * 7];
  return sum;
}

FUNCTION int slow(int x) {
  char line[8];
  ssize_t got = read(0, line, sizeof line);
  return x + (got > 0);
}

static ucontext_t home, away[2];
static char stacks[2][65536];
static long sums[2];

FUNCTION int turn(int id, int i) {
  __asm__ volatile("");
  swapcontext(&away[id], &home);
  __asm__ volatile("");
  return id * 1000 + i;
}

static void coroutine(int id) {
  for (int i = 0; i < 50; i++) sums[id] += turn(id, i);
}

/* 50 calls of turn() in each of two coroutines; both end. */
static void coroutines(void) {
  for (int id = 0; id < 2; id++) {
    getcontext(&away[id]);
    away[id].uc_stack.ss_sp = stacks[id];
    away[id].uc_stack.ss_size = sizeof stacks[id];
    away[id].uc_link = &home;
    makecontext(&away[id], (void (*)(void))coroutine, 1, id);
  }
  for (int i = 0; i < 51; i++) {
    for (int id = 0; id < 2; id++) swapcontext(&home, &away[id]);
  }
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "jump")) printf("%d %lx\n", jump(), word[0]);
  if (!strcmp(how, "deep")) printf("%ld %ld\n", deep(20000), deep(100));
  if (!strcmp(how, "three")) printf("%d\n", three(0) + three(1) + three(2));
  if (!strcmp(how, "longjmp")) printf("%d\n", jumps());
  if (!strcmp(how, "framed")) printf("%d\n", framed(3));
  if (!strcmp(how, "slow")) printf("%d\n", slow(42));
  if (!strcmp(how, "coroutines")) coroutines(), printf("%ld %ld\n", sums[0], sums[1]);
  return 0;
}
