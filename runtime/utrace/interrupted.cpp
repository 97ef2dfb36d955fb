// SPDX-License-Identifier: GPL-3.0-or-later
// Interrupted calls: finding out what the program gets
//
// At the exit stop the result only says how the kernel may repeat the call (-512 ...); the program never gets that
// number. Whether it gets EINTR depends on the handler that will run, which the kernel looks up only afterwards. So the
// report waits for the stop that shows it; task.h has the picture. PTRACE_SYSCALL ensures that such a stop comes before
// any instruction of the program: the entry of the repeated call.
#include <errno.h>
#include <time.h>

#include "runtime/base/clock.h"
#include "runtime/utrace/arch.h"
#include "runtime/utrace/core.h"
#include "runtime/utrace/thread_status.h"

namespace sonde {

bool Core::keep_return(utrace_task& task) {
  const int64_t result = utrace_get_call(&task).result;
  if (!machine::may_restart(result)) return false;
  task.kept = {task.registers, task.number, monotonic_now()};
  return true;
}

void Core::judge_kept(utrace_task& task, int status) {
  const int signal = WSTOPSIG(status), event = status >> 16;
  KeptReturn& kept = *task.kept;
  const int64_t result = machine::call_result(kept.registers);
  if (!load_registers(task)) return;
  // A stop by job control, an INTERRUPT, or a signal's delivery: the call's result is unchanged.
  const bool undecided =
      machine::pc(task.registers) == machine::pc(kept.registers) && machine::call_result(task.registers) == result;
  if (kept.handler_begins && !undecided) {
    int64_t behind = 0;
    const bool interrupted = machine::result_behind_handler(task, task.registers, &behind) && behind == -EINTR;
    return report_kept(task, interrupted ? -EINTR : result);
  }
  kept.handler_begins = false;
  if (!undecided || event == PTRACE_EVENT_EXIT) return report_kept(task, result);
  if (event != 0 || !read_disposition(task.tid, signal).caught) return;
  if (result == machine::kRestartSys) {  // decided by SA_RESTART, which only the handler's frame shows
    kept.handler_begins = true;
    request(PTRACE_INTERRUPT, task, nullptr, nullptr);
    return;
  }
  report_kept(task, result == machine::kRestartNoIntr ? result : -EINTR);
}

void Core::report_kept(utrace_task& task, int64_t result) {
  const KeptReturn kept = *task.kept;
  task.kept.reset();
  const auto registers = task.registers, read = task.registers_read;
  const bool valid = task.registers_valid;
  const Stop stop = task.stop;
  const int64_t number = task.number;
  task.registers = task.registers_read = kept.registers;
  machine::set_call_result(task.registers, result);
  task.registers_read = task.registers;
  task.registers_valid = true;
  task.stop = Stop::Exit;
  task.number = kept.number;
  task.returned_at = kept.when;
  report_exit_of_call(task);
  task.registers = registers;
  task.registers_read = read;
  task.registers_valid = valid;
  task.stop = stop;
  task.number = number;
  task.returned_at = 0;
}

}  // namespace sonde
