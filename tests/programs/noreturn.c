// SPDX-License-Identifier: GPL-3.0-or-later
// leave() ends with a call that does not return: its return address is the first byte of the next function. A signal
// interrupts a function at its first instruction: the pc of that frame is exact, and one byte before it is another
// function.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))

static jmp_buf g_back;

KEEP __attribute__((noreturn)) void gone(void) {
  syscall(SYS_getppid);
  longjmp(g_back, 1);
}

// By hand, because compilers put alignment between functions.
__asm__(
    ".text\n.globl leave\n.type leave,@function\nleave:\n"
    ".cfi_startproc\nsub $8,%rsp\n.cfi_adjust_cfa_offset 8\ncall gone\n.cfi_endproc\n.size leave,.-leave\n"
    ".globl behind\n.type behind,@function\nbehind:\n"
    ".cfi_startproc\nint3\nret\n.cfi_endproc\n.size behind,.-behind\n"
    ".globl faulty\n.type faulty,@function\nfaulty:\n"
    ".cfi_startproc\nud2\nret\n.cfi_endproc\n.size faulty,.-faulty\n");
void leave(void);
void faulty(void);

static void handler(int number, siginfo_t* info, void* context) {
  syscall(SYS_getppid);
  ((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP] += 2;  // after the ud2
}

int main(void) {
  if (setjmp(g_back) == 0) leave();
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, NULL);
  faulty();
  return 0;
}
