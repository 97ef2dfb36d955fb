// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/utrace/arch/x86_64/machine.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include <cstring>

#include "runtime/utrace/utrace.h"

namespace sonde::machine {

int read_registers(pid_t tid, Registers* to) { return ptrace(PTRACE_GETREGS, tid, nullptr, to) == 0 ? 0 : -errno; }

int read_vector(pid_t tid, uint32_t number, void* to) {
  user_fpregs_struct all;
  if (ptrace(PTRACE_GETFPREGS, tid, nullptr, &all) != 0) return -errno;
  constexpr size_t kBytes = 16;
  std::memcpy(to, reinterpret_cast<const uint8_t*>(all.xmm_space) + kBytes * number, kBytes);
  return 0;
}
int write_registers(pid_t tid, const Registers& from) {
  return ptrace(PTRACE_SETREGS, tid, nullptr, &from) == 0 ? 0 : -errno;
}

void set_call(Registers& registers, uint64_t instruction, long number, const uint64_t (&arguments)[6]) {
  registers.rip = instruction;
  registers.rax = static_cast<uint64_t>(number);
  registers.orig_rax = ~uint64_t{0};
  registers.rdi = arguments[0];
  registers.rsi = arguments[1];
  registers.rdx = arguments[2];
  registers.r10 = arguments[3];
  registers.r8 = arguments[4];
  registers.r9 = arguments[5];
}

bool result_behind_handler(utrace_task& task, const Registers& registers, int64_t* result) {
  if (is_native(registers)) {
    constexpr uint64_t kRax =
        8 + 40 + 13 * 8;  // behind the return address: ucontext up to its registers, then r8 to rdx
    return utrace_read_memory(&task, registers.rsp + kRax, result, sizeof *result) == 0;
  }
  // Return address and signal number; then the registers or, with SA_SIGINFO, pointers to what follows.
  constexpr uint64_t kSiginfoFrame = 16 + 128, kContextEax = 20 + 11 * 4, kPlainEax = 8 + 11 * 4;
  uint32_t context = 0;
  int32_t eax = 0;
  if (utrace_read_memory(&task, registers.rsp + 12, &context, sizeof context) != 0) return false;
  const bool siginfo = context == registers.rsp + kSiginfoFrame;
  if (utrace_read_memory(&task, registers.rsp + (siginfo ? kSiginfoFrame + kContextEax : kPlainEax), &eax,
                         sizeof eax) != 0)
    return false;
  *result = eax;
  return true;
}

}  // namespace sonde::machine
