// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "runtime/base/result.h"
#include "runtime/utrace/utrace.h"

namespace sonde {

struct ThreadStatus {
  char state = 0;
  pid_t process = 0, parent = 0;
  pid_t tracer = 0;
  uid_t uid = 0;
  int threads = 0;                                ///< of its process
  int seccomp = 0;                                ///< 1: SECCOMP_MODE_STRICT, 2: it has filters
  int seccomp_filters = 0;                        ///< how many
  uint64_t page_tables = 0;                       ///< size, bytes
  uint64_t blocked = 0, ignored = 0, caught = 0;  ///< signals, by bit (signal - 1)
};

/// Reads /proc. False: there is no such thread.
bool read_status(pid_t tid, ThreadStatus* to);

/// Where a thread sleeps, by /proc/TID/syscall. False: it is running, or the file cannot be read.
bool read_sleep(pid_t tid, Sleep* to);
struct Disposition {
  bool ignored = false;
  bool caught = false;
};

/// Whether the process is the first of a pid namespace: the kernel discards signals that would end it, if processes of
/// that namespace sent them.
bool is_namespace_init(pid_t pid);

/// The disposition of a signal in the thread's process, from /proc.
Disposition read_disposition(pid_t tid, int signal);

/// Whether the process traces this one or its parent, or a tracer of theirs, and so on. Two processes that trace each
/// other wait for each other when they end, where not even SIGKILL gets them out.
bool traces_us(pid_t pid);

/// Whether a cgroup's freezer holds the thread, of either version: it stops for nobody until it is thawed. False as well
/// where we may not see what it sleeps in, and of a thread that a signal has stopped, which may sleep in the same function.
bool is_frozen(pid_t tid);

/// The reason why the kernel does not let us trace a process, and what the user can do about it. `code`: the errno.
Error attach_refused(pid_t pid, int code);

}  // namespace sonde
