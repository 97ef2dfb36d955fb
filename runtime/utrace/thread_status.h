// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include "runtime/base/result.h"

namespace sonde {

struct ThreadStatus {
  char state = 0;
  pid_t tracer = 0;
  uid_t uid = 0;
};

/// From /proc. False: there is no such thread.
bool read_status(pid_t tid, ThreadStatus* to);

struct Disposition {
  bool ignored = false;
  bool caught = false;
};

/// What the thread's process does about a signal, from /proc.
Disposition read_disposition(pid_t tid, int signal);

/// Why the kernel did not let us trace a process, and what to do about it. `code`: the errno.
Error attach_refused(pid_t pid, int code);

}  // namespace sonde
