// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/undumpable.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

namespace sonde::guard {
namespace {

long run_prctl(Thread& thread, uint64_t what, uint64_t value) {
  return utrace_run_syscall(thread.task, SYS_prctl, {what, value, 0, 0, 0, 0});
}

}  // namespace

bool while_dumpable(Thread& thread, const std::function<void()>& act) {
  // 2, which an administrator's fs.suid_dumpable sets, cannot be set again by prctl().
  if (run_prctl(thread, PR_GET_DUMPABLE, 0) != 0 || run_prctl(thread, PR_SET_DUMPABLE, 1) != 0) return true;
  act();
  return run_prctl(thread, PR_SET_DUMPABLE, 0) == 0 || thread.process->space->gone();
}

}  // namespace sonde::guard
