// SPDX-License-Identifier: GPL-3.0-or-later
// Registers, and system calls run in a stopped thread
//
// Registers are read once a stop, at the first use, and written before the thread continues if they were changed.
//
// Some things ptrace cannot do, such as setting the action of SIGTRAP. Then the thread itself makes a system call, at
// the system call instruction of its vDSO:
//
//   stopped --> all signals blocked, our call's registers --> [exit of its own call] --> exit of ours --> both restored
//
// The exit of its own call overwrites our registers, so they are set again. We refused to write an instruction into the
// program's text, which other threads run. It does not work for a thread at the entry of a call, for one that is
// ending, for one without a vDSO, for 32-bit code, and for one whose seccomp filter is not ours alone: that filter might
// kill it for our call. Callers must do without. SIGKILL may end the thread at any moment.
#include <elf.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/utrace/arch.h"
#include "runtime/utrace/core.h"

namespace sonde {
namespace {

/// The address of a system call instruction: that of the call that the thread is in or returns from, as at its birth; else
/// one in its vDSO. 0: none. For the first nobody looks at the memory, which nobody may if the process is not dumpable.
uint64_t find_syscall_instruction(utrace_task& task) {
  constexpr auto& kCall = machine::kSyscallInstruction;
  if (machine::call_number(task.registers) >= 0 && machine::made_by_syscall(task.registers))
    return machine::pc(task.registers) - sizeof kCall;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/auxv", task.tid);
  FILE* file = std::fopen(path, "re");
  if (!file) return 0;
  uint64_t pair[2], vdso = 0;
  while (std::fread(pair, sizeof pair, 1, file) == 1 && pair[0] != AT_NULL)
    if (pair[0] == AT_SYSINFO_EHDR) vdso = pair[1];
  std::fclose(file);
  uint8_t page[4096];
  for (uint64_t at = vdso; vdso && at < vdso + 2 * sizeof page; at += sizeof page) {
    if (utrace_read_memory(&task, at, page, sizeof page) != 0) break;
    auto found = std::search(page, page + sizeof page, std::begin(kCall), std::end(kCall));
    if (found != page + sizeof page) return at + static_cast<uint64_t>(found - page);
  }
  return 0;
}

/// Syscall user dispatch, by which programs as Wine get the calls from some of their code as SIGSYS, would turn a call of
/// ours into one that kills, since all signals are blocked. While this lives it is off in the thread. Before Linux 6.4
/// ptrace does not show it.
class DirectCalls {
 public:
  explicit DirectCalls(utrace_task& task) : task_(task) {
    Config off;
    off_ = ask(kGet, was_) == 0 && was_.mode != 0 && ask(kSet, off) == 0;
  }
  DirectCalls(const DirectCalls&) = delete;
  DirectCalls& operator=(const DirectCalls&) = delete;
  ~DirectCalls() {
    if (off_ && task_.life == Life::Stopped) (void)ask(kSet, was_);
  }

 private:
  struct Config {  // struct ptrace_sud_config
    uint64_t mode = 0, selector = 0, offset = 0, length = 0;
  };
  static constexpr int kSet = 0x4210, kGet = 0x4211;  // PTRACE_..._SYSCALL_USER_DISPATCH_CONFIG

  long ask(int what, Config& config) {
    return task_.core->request(what, task_, reinterpret_cast<void*>(sizeof config), &config);
  }

  utrace_task& task_;
  Config was_;
  bool off_ = false;
};

}  // namespace

/// Outside of calls the register has -1, and at the end of rt_sigreturn, too. At an entry that is a number that the
/// program gave.
int64_t Core::identify_call(utrace_task& task) {
  if (!load_registers(task)) return -1;
  const int64_t number = machine::call_number(task.registers);
  const bool given = task.stop == Stop::Entry || (task.stop == Stop::Exit && number != -1);
  if (number < 0 && !given) return -1;
  bool compat = false;
  if (!machine::made_by_syscall(task.registers)) {
    struct __ptrace_syscall_info info {};
    const long got = ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), task.tid, sizeof info, &info);
    compat = got > 0 && info.arch == machine::kCompatAuditArch;
  }
  if (number < 0 || number >= kUtraceCompatCalls)
    return (compat ? kUtraceFarCompatCalls : kUtraceFarCalls) | static_cast<uint32_t>(number);
  return compat ? kUtraceCompatCalls + number : number;
}

utrace_call utrace_get_call(utrace_task* task) {
  utrace_call call{-1, {}, 0, task->returned_at};
  if (!task->core->load_registers(*task)) return call;
  const bool at_call = task->stop == Stop::Entry || task->stop == Stop::Exit;
  call.number = at_call ? task->number : task->core->identify_call(*task);
  const bool compat = utrace_is_compat(call.number);
  std::ranges::copy(machine::call_arguments(task->registers, compat), call.arguments);
  call.result = machine::call_result(task->registers, compat);
  return call;
}

bool Core::load_registers(utrace_task& task) {
  if (task.registers_valid) return true;
  if (task.life != Life::Stopped) return false;
  if (machine::read_registers(task.tid, &task.registers) != 0) return false;
  task.registers_read = task.registers;
  task.registers_valid = true;
  return true;
}

bool Core::write_registers(utrace_task& task) {
  if (!task.registers_valid) return true;
  if (std::memcmp(&task.registers, &task.registers_read, sizeof task.registers) == 0) return true;
  const int error = machine::write_registers(task.tid, task.registers);
  if (error == 0) {
    task.registers_read = task.registers;
    return true;
  }
  // Values that the kernel refuses (a bad segment) have no effect.
  return error != -ESRCH;
}

void Core::skip_call(utrace_task& task) {
  if (task.aborted || !load_registers(task)) return;
  task.hidden_number = machine::call_number(task.registers);
  machine::set_call_number(task.registers, -1);
  task.aborted = true;
}

int utrace_skip_call(utrace_task* task, int64_t result) {
  if (task->life != Life::Stopped || task->stop != Stop::Entry || !task->core->load_registers(*task)) return -EINVAL;
  if (!task->core->may_run_calls(*task)) return -EPERM;
  task->core->skip_call(*task);
  machine::set_call_result(task->registers, result);
  return 0;
}

long Core::run_call(utrace_task& task, long number, const uint64_t (&arguments)[6]) {
  if (task.life != Life::Stopped || !load_registers(task)) return -ESRCH;
  if (task.stop == Stop::Entry || task.stop == Stop::Death) return -EINVAL;
  if (!machine::is_native(task.registers)) return -ENOSYS;
  if (!may_run_calls(task)) return -EPERM;
  const uint64_t instruction = find_syscall_instruction(task);
  if (!instruction) return -ENOSYS;
  machine::Registers kept = task.registers;
  uint64_t mask = 0;
  if (utrace_signal_mask(&task, &mask) != 0) return -ESRCH;
  const DirectCalls direct(task);
  utrace_set_signal_mask(&task, ~uint64_t{0});
  machine::set_call(task.registers, instruction, number, arguments);
  long result = -ESRCH;
  bool alive = write_registers(task), entered = false;
  // Out of the call that the thread may be in, into ours, and to its exit.
  for (int turns = 0; alive && turns < 16; ++turns) {
    alive = request(PTRACE_SYSCALL, task, nullptr, nullptr) == 0;
    task.life = Life::Running;
    int status = 0;
    alive = alive && wait_for(task, &status, 2000);
    if (!alive) break;
    task.life = Life::Stopped;
    task.registers_valid = false;
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) continue;
    struct __ptrace_syscall_info info {};
    ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), task.tid, sizeof info, &info);
    entered |= info.op == PTRACE_SYSCALL_INFO_ENTRY;
    if (info.op != PTRACE_SYSCALL_INFO_EXIT || !load_registers(task)) continue;
    if (!entered) {
      // The exit of the thread's own call came first, and overwrote our registers.
      machine::set_call(task.registers, instruction, number, arguments);
      alive = write_registers(task);
      continue;
    }
    result = machine::call_result(task.registers);
    break;
  }
  if (task.life != Life::Stopped) return -ESRCH;
  task.registers = kept;
  task.registers_valid = true;
  machine::write_registers(task.tid, task.registers);
  task.registers_read = kept;
  utrace_set_signal_mask(&task, mask);
  task.stop = Stop::Other;
  task.in_syscall = false;
  task.syscall_known = false;
  task.running_full = false;
  return result;
}

int utrace_signal_mask(utrace_task* task, uint64_t* mask) {
  return static_cast<int>(task->core->request(PTRACE_GETSIGMASK, *task, reinterpret_cast<void*>(sizeof *mask), mask));
}

int utrace_set_signal_mask(utrace_task* task, uint64_t mask) {
  return static_cast<int>(task->core->request(PTRACE_SETSIGMASK, *task, reinterpret_cast<void*>(sizeof mask), &mask));
}

long utrace_run_syscall(utrace_task* task, long number, const uint64_t (&arguments)[6]) {
  return task->core->run_call(*task, number, arguments);
}

long Core::request(int what, utrace_task& task, void* address, void* data) {
  errno = 0;
  if (ptrace(static_cast<__ptrace_request>(what), task.tid, address, data) >= 0) return 0;
  return errno ? -errno : 0;
}

}  // namespace sonde
