// SPDX-License-Identifier: GPL-3.0-or-later
// Where programs make children that could hide from us
//
// A child of clone(CLONE_UNTRACED) or clone3 with that flag has our breakpoints and no tracer. The flag is taken out at
// the entry of the call (runtime/utrace/untraced.cpp), so that entry must stop. A filter does that in programs that we
// start. In those that we attach to, a breakpoint stands on each instruction that loads the number of such a call; a
// thread that hits it stops at its next clone. We refused PTRACE_SYSCALL, a stop at every call, and breakpoints on the
// system call instructions: the thread would have to be stepped over them, and the child would begin in the step.
//
// Not where a C library or Go's runtime makes threads and processes of its own: these do not hide, and there all signals
// are often blocked, SIGTRAP too, whose action a breakpoint then costs (sigtrap.h).
//
// The loads are found once in each file, which costs a read of its text: some 30 ms for 40 MB. A number that is not a constant, as
// in a program that takes it from a table, and code that is in no file, are not found.
#pragma once

#include <sys/types.h>

#include <map>
#include <tuple>
#include <vector>

#include "runtime/guard/arch.h"
#include "runtime/guard/mappings.h"

namespace sonde::guard {

class CloneLoads {
 public:
  /// Those in a mapping of a file, with the offsets in the file. Reads the file at the first call for it; a file that
  /// cannot be read, or that another process provides, has none.
  const std::vector<CloneLoad>& in(pid_t pid, const Mapping& text);

 private:
  using Text = std::tuple<uint32_t, uint32_t, uint64_t, uint64_t, uint64_t>;  // device, inode, offset, size
  std::map<Text, std::vector<CloneLoad>> known_;
};

}  // namespace sonde::guard
