// SPDX-License-Identifier: GPL-3.0-or-later
// Children of clone(CLONE_UNTRACED)
//
// The kernel attaches such a child to no tracer, and reports it to none. But it has a copy of our breakpoints, or shares
// them, and our filter; it would die of the first one it meets. So the flag is taken out of the call at its entry:
//
//   clone    in the register of the flags
//   clone3   in a copy of its structure, below the thread's stack: the program's own may be read-only, or shared with
//            others
//
// At the end of the call the register, and the memory below the stack, are as before, in the child too. The entry must
// stop: a filter of ours sees to that, and so does PTRACE_SYSCALL. Where neither is (-p with function probes only), who
// knows that a thread is about to make such a call says so (utrace_watch_clone).
//
// Who hides a child from tracers may want to be its tracer: LeakSanitizer stops all threads of its process from such a
// child. A process has one tracer, so that fails under us, and we say so.
//
// Two processes that trace each other never end: each stops at its end for the other, and SIGKILL does not get it out of
// that. So we attach to nobody who traces us, and a thread of ours that wants to trace this process is refused.
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "runtime/utrace/arch.h"
#include "runtime/utrace/core.h"
#include "runtime/utrace/thread_status.h"

namespace sonde {
namespace {

bool is_call(int64_t number, uint32_t native, uint32_t compat) {
  return number == native || number == kUtraceCompatCalls + compat;
}

/// Makes the thread's clone3 use a copy of its structure without the flag. False: its memory does not allow that.
bool use_copy(utrace_task& task, uint64_t size, ChangedClone& change) {
  constexpr uint64_t kMostBytes = 4096;  // larger ones are refused by the kernel
  if (size < sizeof(uint64_t) || size > kMostBytes) return false;
  std::vector<uint8_t> copy(size);
  change.kept.resize(size);
  change.place = (machine::unused_stack(task.registers) - size) & ~uint64_t{15};
  if (utrace_read_memory(&task, change.argument, copy.data(), size) != 0 ||
      utrace_read_memory(&task, change.place, change.kept.data(), size) != 0)
    return false;
  uint64_t flags = 0;
  std::memcpy(&flags, copy.data(), sizeof flags);
  flags &= ~uint64_t{CLONE_UNTRACED};
  std::memcpy(copy.data(), &flags, sizeof flags);
  return utrace_write_memory(&task, change.place, copy.data(), size) == 0;
}

/// Whether the thread means this process by that number, which is one of its own pid namespace.
bool is_this_process(const utrace_task& task, pid_t number) {
  ThreadStatus status;
  if (!read_status(number, &status) || status.process != getpid()) return false;
  struct stat ours {
  }, theirs{};
  const std::string space = "/proc/" + std::to_string(task.tid) + "/ns/pid";
  return stat("/proc/self/ns/pid", &ours) == 0 && stat(space.c_str(), &theirs) == 0 && ours.st_ino == theirs.st_ino;
}

}  // namespace

void utrace_watch_clone(utrace_task* task) {
  constexpr uint8_t kMostBefore = 64;  // calls of a signal handler that runs first
  task->watches_clone = kMostBefore;
}

void Core::show_child(utrace_task& task) {
  const bool clone = is_call(task.number, machine::kCloneCall, machine::kCompatCloneCall);
  const bool clone3 = is_call(task.number, machine::kClone3Call, machine::kCompatClone3Call);
  if (task.watches_clone > 0) task.watches_clone = clone || clone3 ? 0 : task.watches_clone - 1;
  if ((!clone && !clone3) || task.clone || !load_registers(task)) return;
  const utrace_call call = utrace_get_call(&task);
  ChangedClone change{call.arguments[0], 0, {}};
  uint64_t flags = call.arguments[0];
  if (clone3 && utrace_read_memory(&task, call.arguments[0], &flags, sizeof flags) != 0) return;
  if ((flags & CLONE_UNTRACED) == 0) return;
  if (clone3 && !use_copy(task, call.arguments[1], change)) {
    if (notice_hook && *notice_hook)
      (*notice_hook)(
          "process " + std::to_string(task.pid) +
          " makes a child with CLONE_UNTRACED, and its stack has no room to take that out of its clone3: the child "
          "may die of a probe");
    return;
  }
  machine::set_first_call_argument(task.registers, call.number >= kUtraceCompatCalls,
                                   clone3 ? change.place : flags & ~uint64_t{CLONE_UNTRACED});
  task.clone = std::move(change);
}

void Core::put_clone_back(utrace_task& task) {
  if (!task.clone || !load_registers(task)) return;
  const ChangedClone change = *std::exchange(task.clone, std::nullopt);
  if (change.place != 0) utrace_write_memory(&task, change.place, change.kept.data(), change.kept.size());
  // A call that a signal has interrupted is made again.
  if (machine::may_restart(machine::call_result(task.registers))) utrace_watch_clone(&task);
  machine::set_first_call_argument(task.registers, !machine::is_native(task.registers), change.argument);
}

void Core::see_hidden_child(utrace_task& task) {
  siginfo_t info{};
  if (request(PTRACE_GETSIGINFO, task, nullptr, &info) != 0) return;
  if ((info.si_code != CLD_KILLED && info.si_code != CLD_DUMPED) || info.si_status != SIGTRAP) return;
  if (trapped.erase(info.si_pid) == 0 && trapped_hook && *trapped_hook) (*trapped_hook)(&task, info.si_pid);
}

void Core::see_rival(utrace_task& task) {
  if (task.number != machine::kPtraceCall) return;
  const utrace_call call = utrace_get_call(&task);
  const uint64_t what = call.arguments[0];
  if (what != PTRACE_TRACEME && what != PTRACE_ATTACH && what != PTRACE_SEIZE) return;
  const pid_t whom = what == PTRACE_TRACEME ? task.tid : static_cast<pid_t>(call.arguments[1]);
  if (what != PTRACE_TRACEME && is_this_process(task, whom)) return refuse_circle(task);
  const utrace_task* wanted = find(whom);
  if (!wanted || !notice_hook || !*notice_hook) return;
  task.hides = false;
  if (std::exchange(told_of_rival_, true)) return;
  const std::string process = "process " + std::to_string(wanted->pid);
  const std::string who = what == PTRACE_TRACEME ? "the parent of " + process : "process " + std::to_string(task.pid);
  (*notice_hook)(
      who + " wants to trace " + process +
      ", which sonde traces, and a process has one tracer only: debuggers, strace and LeakSanitizer do not work "
      "under sonde (ASAN_OPTIONS=detect_leaks=0 makes a program do without the last)");
}

/// The call fails with EPERM, as where the process has a tracer already. Not where a filter of the program's own would
/// judge the call -1.
void Core::refuse_circle(utrace_task& task) {
  if (!may_run_calls(task)) return;
  skip_call(task);
  machine::set_call_result(task.registers, -EPERM);
  if (notice_hook && *notice_hook)
    (*notice_hook)(
        "process " + std::to_string(task.pid) +
        " wants to trace the guard of sonde, which traces it: refused, because two that trace each other can "
        "never end");
}

}  // namespace sonde
