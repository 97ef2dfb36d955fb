// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/utrace/thread_status.h"

#include <unistd.h>

#include <cstdio>

namespace sonde {

bool read_status(pid_t tid, ThreadStatus* to) {
  char path[64], line[256];
  std::snprintf(path, sizeof path, "/proc/%d/status", tid);
  FILE* file = std::fopen(path, "re");
  if (!file) return false;
  while (std::fgets(line, sizeof line, file)) {
    std::sscanf(line, "State: %c", &to->state);
    std::sscanf(line, "TracerPid: %d", &to->tracer);
    std::sscanf(line, "Uid: %u", &to->uid);
  }
  std::fclose(file);
  return true;
}

Disposition read_disposition(pid_t tid, int signal) {
  char path[64], line[256];
  std::snprintf(path, sizeof path, "/proc/%d/status", tid);
  unsigned long long ignored = 0, caught = 0;
  if (FILE* file = std::fopen(path, "re")) {
    while (std::fgets(line, sizeof line, file))
      if (std::sscanf(line, "SigIgn: %llx", &ignored) != 1 && std::sscanf(line, "SigCgt: %llx", &caught) == 1) break;
    std::fclose(file);
  }
  unsigned long long bit = 1ull << (signal - 1);
  return {(ignored & bit) != 0, (caught & bit) != 0};
}

Error attach_refused(pid_t pid, int code) {
  std::string what = "attach to pid " + std::to_string(pid);
  ThreadStatus status;
  if (code != EPERM || !read_status(pid, &status)) return Error::from_errno(what, code);
  if (status.tracer)
    return Error(what + ": pid " + std::to_string(status.tracer) + " traces it already; stop that tracer first", EPERM);
  if (geteuid() != 0 && status.uid != geteuid())
    return Error(what + ": it belongs to uid " + std::to_string(status.uid) + "; run sonde as that user or as root",
                 EPERM);
  int scope = 0;
  if (FILE* file = std::fopen("/proc/sys/kernel/yama/ptrace_scope", "re")) {
    if (std::fscanf(file, "%d", &scope) != 1) scope = 0;
    std::fclose(file);
  }
  if (geteuid() != 0 && scope == 1)
    return Error(what +
                     ": kernel.yama.ptrace_scope is 1, so only a parent may trace; start it with -c, run as root, or "
                     "set it to 0 with sysctl",
                 EPERM);
  if (scope >= 2)
    return Error(what + ": kernel.yama.ptrace_scope is " + std::to_string(scope) + ", which keeps tracing to " +
                     (scope == 2 ? "root" : "nobody"),
                 EPERM);
  return Error(
      what + ": operation not permitted: the program has privileges of its own or may not be dumped; run as root",
      EPERM);
}

}  // namespace sonde
