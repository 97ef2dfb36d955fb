// SPDX-License-Identifier: GPL-3.0-or-later
// Seccomp filters of the program's own: they decide what they decide untraced
//
//   its filter says                    under us
//   KILL, TRAP, ERRNO, USER_NOTIF      come before our filter's TRACE: nothing to do, except that our stop does not come;
//                                      so its threads are traced by PTRACE_SYSCALL, whose stop comes before any filter
//   TRACE                              without a tracer the call fails with ENOSYS. Without PTRACE_O_TRACESECCOMP, which
//                                      only our own filter needs, the kernel does that; with it, we do
//
// SECCOMP_MODE_STRICT cannot be set where a filter is, so not under ours. Then the thread gets a filter of the same effect.
// It installs that itself, so the filter outlives us. We refused to kill at the stop of a forbidden call: that ends with
// us. docs/guard.md says what still differs.
//
// Calls of ours (inject.cpp) would be judged by these filters, too, and one that forbids them may kill the thread. So no
// call is made in a thread that has a filter which neither we have installed nor inherited ourselves.
#include <errno.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "runtime/utrace/arch.h"
#include "runtime/utrace/core.h"
#include "runtime/utrace/seccomp.h"
#include "runtime/utrace/thread_status.h"

namespace sonde {

void Core::note_own_filter(utrace_task& task) {
  if (!task.filter) return;
  bool all_threads = false;
  if (!machine::installs_filter(utrace_get_call(&task), &all_threads)) return;
  const auto threads = tasks_of(task.pid);
  for (utrace_task* other : threads) {
    if (other != &task && !all_threads) continue;
    other->own_filter = true;
    recompute(*other);
  }
  // The filter takes effect when this thread continues. A thread that still runs without syscall stops would then make
  // calls unnoticed.
  while (std::ranges::any_of(threads, &utrace_task::wanted)) {
    watch_wanted();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

/// Our filter's verdicts are looked at only where another one may be the cause.
bool Core::is_own_verdict(utrace_task& task) {
  const bool expected = task.filter && task.number >= 0 && task.filter->has(task.number);
  if (expected && !task.own_filter) return false;
  unsigned long data = 0;
  return request(PTRACE_GETEVENTMSG, task, nullptr, &data) == 0 && data != filter_mark_;
}

bool Core::asks_for_strict_mode(utrace_task& task) {
  if (!task.filter || task.own_filter || our_filters_ != 0)
    return false;  // the call fails with EINVAL, as it does untraced
  return machine::asks_for_strict_mode(utrace_get_call(&task)) && machine::is_native(task.registers);
}

long Core::enter_strict_mode(utrace_task& task) {
  const std::vector<sock_filter> filter = make_strict_filter();
  const size_t length = filter.size() * sizeof filter[0];
  sock_fprog program{static_cast<unsigned short>(filter.size()), nullptr};
  std::vector<uint8_t> kept(sizeof program + length), placed(kept.size());
  long result = -EFAULT;
  machine::Registers registers = task.registers;
  const uint64_t place = machine::unused_stack(registers) - kept.size() / 16 * 16;
  program.filter = reinterpret_cast<sock_filter*>(place + sizeof program);
  std::memcpy(placed.data(), &program, sizeof program);
  std::memcpy(placed.data() + sizeof program, filter.data(), length);
  if (utrace_read_memory(&task, place, kept.data(), kept.size()) == 0 &&
      utrace_write_memory(&task, place, placed.data(), placed.size()) == 0) {
    const auto call = [&](long number, uint64_t first, uint64_t second, uint64_t third) {
      return run_call(task, number, {first, second, third, 0, 0, 0});
    };
    // The real mode takes the time stamp counter away, too. A program without privileges needs no_new_privs.
    call(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0);
    result = call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, place);
    if (result == -EACCES && call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0) == 0)
      result = call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, place);
    if (result != 0) call(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE, 0);
    utrace_write_memory(&task, place, kept.data(), kept.size());
  }
  if (result == -ESRCH || !load_registers(task)) return result;
  machine::set_call_result(task.registers, result);
  task.stop = Stop::Exit;
  return result;
}

bool Core::may_run_calls(const utrace_task& task) const {
  ThreadStatus status;
  if (!read_status(task.tid, &status)) return false;
  if (status.seccomp == 0) return true;
  return status.seccomp == SECCOMP_MODE_FILTER && task.filter && status.seccomp_filters == our_filters_ + 1;
}

void Core::avoid_restart_call(utrace_task& task) {
  ThreadStatus status;
  if (!machine::restarts_by_call(task.registers) || !read_status(task.tid, &status) || status.seccomp == 0) return;
  if (task.filter && status.seccomp_filters == 1) return;
  machine::restart_unless_handled(task.registers);
  if (task.kept) machine::set_call_result(task.kept->registers, machine::call_result(task.registers));
}

}  // namespace sonde
