// SPDX-License-Identifier: GPL-3.0-or-later
// Replaces the C library's ptrace(), in order to count the calls. Without the switch this costs one comparison.
#include "runtime/guard/ptrace_switch.h"

#include <linux/ptrace.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

unsigned long calls_left = 0;  // 0: not armed

}  // namespace

namespace sonde::guard {

void arm_ptrace_switch() {
  const char* text = getenv("SONDE_GUARD_DIE_AT");
  calls_left = text != nullptr ? strtoul(text, nullptr, 10) : 0;
}

}  // namespace sonde::guard

// The request is an enum in <sys/ptrace.h>, behind which va_start() is undefined: so this file does not include that.
extern "C" long ptrace(int request, ...) noexcept {
  va_list list;
  va_start(list, request);
  const pid_t pid = va_arg(list, pid_t);
  void* const address = va_arg(list, void*);
  void* data = va_arg(list, void*);
  va_end(list);
  if (calls_left != 0 && --calls_left == 0) kill(getpid(), SIGKILL);
  // The system call stores the result of PEEK*; the C library's function returns it.
  const bool peeks = request == PTRACE_PEEKTEXT || request == PTRACE_PEEKDATA || request == PTRACE_PEEKUSR;
  long word = 0;
  if (peeks) data = &word;
  const long result = syscall(SYS_ptrace, request, pid, address, data);
  return peeks && result >= 0 ? word : result;
}
