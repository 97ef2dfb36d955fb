// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Where struct pt_regs has a thread's registers
#pragma once

#include <asm/ptrace.h>
#include <sys/syscall.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "kmod/shared/arch.h"
#include "kmod/shared/dif.h"

namespace sonde::bpf {

inline constexpr int16_t kNoRegister = -1;

/// The arguments of a system call.
inline constexpr std::array<int16_t, 6> kCallArguments = {offsetof(pt_regs, rdi), offsetof(pt_regs, rsi),
                                                          offsetof(pt_regs, rdx), offsetof(pt_regs, r10),
                                                          offsetof(pt_regs, r8),  offsetof(pt_regs, r9)};
/// The first two of a call of 32-bit code.
inline constexpr std::array<int16_t, 2> kCompatArguments = {offsetof(pt_regs, rbx), offsetof(pt_regs, rcx)};
/// The number of the system call.
inline constexpr int16_t kCallNumber = offsetof(pt_regs, orig_rax);

/// Where the processor was when it was interrupted.
inline constexpr int16_t kProgramCounter = offsetof(pt_regs, rip);
inline constexpr int16_t kCodeSegment = offsetof(pt_regs, cs);
inline constexpr int32_t kUserMode = 3;  ///< bits of the code segment; 0: in the kernel

/// The arguments of a function that are in registers, and what it returns.
inline constexpr std::array<int16_t, 6> kFunctionArguments = {offsetof(pt_regs, rdi), offsetof(pt_regs, rsi),
                                                              offsetof(pt_regs, rdx), offsetof(pt_regs, rcx),
                                                              offsetof(pt_regs, r8),  offsetof(pt_regs, r9)};
inline constexpr int16_t kFunctionResult = offsetof(pt_regs, rax);
inline constexpr int16_t kStackPointer = offsetof(pt_regs, rsp), kInstruction = offsetof(pt_regs, rip),
                         kFlags = offsetof(pt_regs, eflags);
inline constexpr int32_t kFirstOnStack = 8;  ///< at the entry: bytes from the stack pointer to the next argument

/// By the numbers that registers have in instructions.
inline constexpr std::array<int16_t, 16> kOperandRegisters = {
    offsetof(pt_regs, rax), offsetof(pt_regs, rcx), offsetof(pt_regs, rdx), offsetof(pt_regs, rbx),
    offsetof(pt_regs, rsp), offsetof(pt_regs, rbp), offsetof(pt_regs, rsi), offsetof(pt_regs, rdi),
    offsetof(pt_regs, r8),  offsetof(pt_regs, r9),  offsetof(pt_regs, r10), offsetof(pt_regs, r11),
    offsetof(pt_regs, r12), offsetof(pt_regs, r13), offsetof(pt_regs, r14), offsetof(pt_regs, r15)};
/// By DWARF's numbers.
inline constexpr std::array<int16_t, SONDE_CFI_REGISTERS> kFrameRegisters = {
    offsetof(pt_regs, rax), offsetof(pt_regs, rdx), offsetof(pt_regs, rcx), offsetof(pt_regs, rbx),
    offsetof(pt_regs, rsi), offsetof(pt_regs, rdi), offsetof(pt_regs, rbp), offsetof(pt_regs, rsp),
    offsetof(pt_regs, r8),  offsetof(pt_regs, r9),  offsetof(pt_regs, r10), offsetof(pt_regs, r11),
    offsetof(pt_regs, r12), offsetof(pt_regs, r13), offsetof(pt_regs, r14), offsetof(pt_regs, r15),
    offsetof(pt_regs, rip)};
/// Where flags are that conditions ask for.
inline constexpr int32_t kCarry = 0, kParity = 2, kZero = 6, kSign = 7, kOverflow = 11;

/// By D's R_* numbers; the segments of data, and what is no register, are not there.
inline constexpr std::array<int16_t, SONDE_DIF_UREGS> kUserRegisters = {offsetof(pt_regs, r15),
                                                                        offsetof(pt_regs, r14),
                                                                        offsetof(pt_regs, r13),
                                                                        offsetof(pt_regs, r12),
                                                                        offsetof(pt_regs, rbp),
                                                                        offsetof(pt_regs, rbx),
                                                                        offsetof(pt_regs, r11),
                                                                        offsetof(pt_regs, r10),
                                                                        offsetof(pt_regs, r9),
                                                                        offsetof(pt_regs, r8),
                                                                        offsetof(pt_regs, rax),
                                                                        offsetof(pt_regs, rcx),
                                                                        offsetof(pt_regs, rdx),
                                                                        offsetof(pt_regs, rsi),
                                                                        offsetof(pt_regs, rdi),
                                                                        kNoRegister,
                                                                        offsetof(pt_regs, rip),
                                                                        offsetof(pt_regs, cs),
                                                                        offsetof(pt_regs, eflags),
                                                                        offsetof(pt_regs, rsp),
                                                                        offsetof(pt_regs, ss),
                                                                        kNoRegister,
                                                                        kNoRegister,
                                                                        kNoRegister,
                                                                        kNoRegister,
                                                                        kNoRegister};

/// The bit of thread_info.status that marks a call of 32-bit code, whose numbers are others.
inline constexpr int32_t kCompatCall = 2;
inline constexpr char kCallStatus[] = "thread_info.status";

/// A call's number, and what it is in 32-bit code.
struct CallNumber {
  int32_t native, compat;
};
inline constexpr std::array<CallNumber, 2> kExecNumbers = {{{SYS_execve, 11}, {SYS_execveat, 358}}};
/// What makes a task; it returns 0 in the new one, and only there.
inline constexpr std::array<CallNumber, 4> kCloneNumbers = {
    {{SYS_clone, 120}, {SYS_clone3, 435}, {SYS_fork, 2}, {SYS_vfork, 190}}};

}  // namespace sonde::bpf
