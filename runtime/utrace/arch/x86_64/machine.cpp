// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/utrace/arch/x86_64/machine.h"

#include <errno.h>
#include <sys/mman.h>
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

bool mapping_change(const Registers& registers, Mapping* change) {
  int64_t result = call_result(registers);
  if (!is_native(registers) || (result < 0 && result >= -4095)) return false;
  *change = {};
  switch (registers.orig_rax) {
    case SYS_mmap:
      change->mapped = registers.rax;
      change->mapped_length = registers.rsi;
      change->protection = static_cast<int>(registers.rdx);
      if (!(registers.r10 & MAP_ANONYMOUS)) {
        change->file = static_cast<int>(registers.r8);
        change->offset = registers.r9;
      }
      return true;
    case SYS_munmap:
      change->unmapped = registers.rdi;
      change->unmapped_length = registers.rsi;
      return true;
    case SYS_mprotect:
    case SYS_pkey_mprotect:
      change->protected_at = registers.rdi;
      change->protected_length = registers.rsi;
      change->protection = static_cast<int>(registers.rdx);
      return true;
    case SYS_mremap:
      change->unmapped = registers.rdi;
      change->unmapped_length = registers.rsi;
      change->mapped = registers.rax;
      change->mapped_length = registers.rdx;
      change->moved = true;
      return true;
    default: return false;
  }
}

std::vector<uint32_t> mapping_calls(bool maps, bool unmaps, bool protects) {
  std::vector<uint32_t> calls;
  if (maps) calls.push_back(SYS_mmap);
  if (unmaps) calls.push_back(SYS_munmap);
  if (maps || unmaps) calls.push_back(SYS_mremap);
  if (protects) calls.insert(calls.end(), {SYS_mprotect, SYS_pkey_mprotect});
  return calls;
}

}  // namespace sonde::machine
