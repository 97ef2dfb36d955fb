// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/trial_code.h"

#include <asm/ptrace.h>

namespace sonde::bpf {

// Offsets of TrialState: before 0, after 128, own_stack 256, vectors_before 272, vectors_after 528. Behind the
// instruction the flags are changed by nothing before they are stored. `fix`: how far the instruction moves the stack.
__asm__(
    ".pushsection .rodata\n"
    ".macro TRIAL_VECTORS insn, base, to_state\n"
    "  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    "    .if \\to_state\n movups %xmm\\n, \\base + 16 * \\n(%rdi)\n .else\n movups \\base + 16 * \\n(%rdi), %xmm\\n\n "
    ".endif\n"
    "  .endr\n"
    ".endm\n"
    ".macro TRIAL name, fix, insn:vararg\n"
    ".globl trial_\\name, trial_\\name\\()_site, trial_\\name\\()_behind, trial_\\name\\()_end\n"
    "trial_\\name:\n"
    "  push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
    "  mov %rsp, 256(%rdi)\n"
    "  TRIAL_VECTORS load, 272, 0\n"
    "  mov %rdi, %rsp\n"
    "  popfq\n pop %rax\n pop %rbx\n pop %rcx\n pop %rdx\n pop %rsi\n pop %rdi\n pop %rbp\n"
    "  pop %r8\n pop %r9\n pop %r10\n pop %r11\n pop %r12\n pop %r13\n pop %r14\n pop %r15\n"
    "trial_\\name\\()_site:\n"
    "  \\insn\n"
    "trial_\\name\\()_behind:\n"
    "  lea -(\\fix)(%rsp), %rsp\n"
    "  mov %rax, 8(%rsp)\n mov %rbx, 16(%rsp)\n mov %rcx, 24(%rsp)\n mov %rdx, 32(%rsp)\n"
    "  mov %rsi, 40(%rsp)\n mov %rdi, 48(%rsp)\n mov %rbp, 56(%rsp)\n mov %r8, 64(%rsp)\n"
    "  mov %r9, 72(%rsp)\n mov %r10, 80(%rsp)\n mov %r11, 88(%rsp)\n mov %r12, 96(%rsp)\n"
    "  mov %r13, 104(%rsp)\n mov %r14, 112(%rsp)\n mov %r15, 120(%rsp)\n"
    "  lea 8(%rsp), %rsp\n pushfq\n"
    "  lea -128(%rsp), %rdi\n"
    "  TRIAL_VECTORS store, 528, 1\n"
    "  cld\n"
    "  mov 256(%rdi), %rsp\n"
    "  pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
    "  ret\n"
    "trial_\\name\\()_end:\n"
    ".endm\n"
    "TRIAL push0, -8, push %rbp\n"
    "TRIAL push1, -8, push %r12\n"
    "TRIAL push2, -8, push %rbx\n"
    "TRIAL branch0, 0, .byte 0xeb, 3, 0x48, 0xff, 0xc0\n"                 // jmp over inc %rax
    "TRIAL branch1, 0, .byte 0x0f, 0x84, 3, 0, 0, 0, 0x48, 0xff, 0xc0\n"  // jz over it
    "TRIAL branch2, -8, .byte 0xe8, 3, 0, 0, 0, 0x48, 0xff, 0xc0\n"       // call over it
    "TRIAL nop0, 0, nop\n"
    "TRIAL nop1, 0, nop\n"
    "TRIAL nop2, 0, nop\n"
    "TRIAL long0, 0, .byte 0x0f, 0x1f, 0x44, 0, 0\n"
    "TRIAL long1, 0, .byte 0x0f, 0x1f, 0x44, 0, 0\n"
    "TRIAL long2, 0, .byte 0x0f, 0x1f, 0x44, 0, 0\n"
    "TRIAL ret0, 8, ret\n"
    "TRIAL ret1, 8, .byte 0xf3, 0xc3\n"
    "TRIAL ret2, 8, ret\n"
    "TRIAL step0, 0, sub $8, %rax\n"
    "TRIAL step1, 0, lea 64(%rip), %rax\n"
    "TRIAL step2, 0, endbr64\n"
    ".popsection\n");

#define TRIAL_NAMES(name) \
  extern "C" const uint8_t trial_##name[], trial_##name##_site[], trial_##name##_behind[], trial_##name##_end[];
#define TRIAL_CODE(name)                                                  \
  {                                                                       \
    trial_##name, static_cast<size_t>(trial_##name##_end - trial_##name), \
        static_cast<size_t>(trial_##name##_site - trial_##name),          \
        static_cast<size_t>(trial_##name##_behind - trial_##name)         \
  }
#define TRIAL_FORM(name) \
  { TRIAL_CODE(name##0), TRIAL_CODE(name##1), TRIAL_CODE(name##2) }
#define TRIAL_FORM_NAMES(name) TRIAL_NAMES(name##0) TRIAL_NAMES(name##1) TRIAL_NAMES(name##2)

TRIAL_FORM_NAMES(push)
TRIAL_FORM_NAMES(branch)
TRIAL_FORM_NAMES(nop)
TRIAL_FORM_NAMES(long)
TRIAL_FORM_NAMES(ret)
TRIAL_FORM_NAMES(step)

TrialCode trial_code(UprobeForm form, uint32_t variant) {
  const TrialCode codes[kUprobeForms][kTrialVariants] = {TRIAL_FORM(push), TRIAL_FORM(branch), TRIAL_FORM(nop),
                                                         TRIAL_FORM(long), TRIAL_FORM(ret),    TRIAL_FORM(step)};
  return codes[static_cast<size_t>(form)][variant];
}

const uint64_t kTrialFlags = 0xcd5;  // CF PF AF ZF SF DF OF

const size_t kTrialRegisters[kTrialWords] = {
    offsetof(pt_regs, eflags), offsetof(pt_regs, rax), offsetof(pt_regs, rbx), offsetof(pt_regs, rcx),
    offsetof(pt_regs, rdx),    offsetof(pt_regs, rsi), offsetof(pt_regs, rdi), offsetof(pt_regs, rbp),
    offsetof(pt_regs, r8),     offsetof(pt_regs, r9),  offsetof(pt_regs, r10), offsetof(pt_regs, r11),
    offsetof(pt_regs, r12),    offsetof(pt_regs, r13), offsetof(pt_regs, r14), offsetof(pt_regs, r15)};
const size_t kTrialPlace = offsetof(pt_regs, rip), kTrialStack = offsetof(pt_regs, rsp);

void call_trial_code(const void* code, TrialState* state) {
  reinterpret_cast<void (*)(TrialState*)>(reinterpret_cast<uintptr_t>(code))(state);
}

}  // namespace sonde::bpf
