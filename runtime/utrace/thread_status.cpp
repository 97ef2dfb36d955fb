// SPDX-License-Identifier: GPL-3.0-or-later
// What /proc knows about a thread and ptrace does not, or only at a stop. The thread may end, or sleep and wake, while
// it is read: an answer is about a past moment, and callers that rely on it must ask again.
#include "runtime/utrace/thread_status.h"

#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "runtime/base/procfs.h"
#include "runtime/base/signal_bit.h"

namespace sonde {

bool read_status(pid_t tid, ThreadStatus* to) {
  char path[64], line[256];
  std::snprintf(path, sizeof path, "/proc/%d/status", tid);
  FILE* file = std::fopen(path, "re");
  if (!file) return false;
  while (std::fgets(line, sizeof line, file)) {
    switch (line[0]) {
      case 'P': std::sscanf(line, "PPid: %d", &to->parent); break;
      case 'T':
        std::sscanf(line, "Tgid: %d", &to->process);
        std::sscanf(line, "TracerPid: %d", &to->tracer);
        std::sscanf(line, "Threads: %d", &to->threads);
        break;
      case 'U': std::sscanf(line, "Uid: %u", &to->uid); break;
      case 'V':
        if (std::sscanf(line, "VmPTE: %" SCNu64 " kB", &to->page_tables) == 1) to->page_tables *= 1024;
        break;
      case 'S':
        std::sscanf(line, "State: %c", &to->state);
        std::sscanf(line, "SigBlk: %" SCNx64, &to->blocked);
        std::sscanf(line, "SigIgn: %" SCNx64, &to->ignored);
        std::sscanf(line, "SigCgt: %" SCNx64, &to->caught);
        std::sscanf(line, "Seccomp: %d", &to->seccomp);
        std::sscanf(line, "Seccomp_filters: %d", &to->seccomp_filters);
        break;
      default: break;
    }
  }
  std::fclose(file);
  return true;
}

bool read_sleep(pid_t tid, Sleep* to) {
  char path[64], line[256];
  std::snprintf(path, sizeof path, "/proc/%d/syscall", tid);
  if (read_proc(path, line, sizeof line) <= 0) return false;
  *to = {};
  if (std::sscanf(line, "%" SCNd64 " %*s %*s %*s %*s %*s %*s %" SCNx64 " %" SCNx64, &to->call, &to->sp, &to->pc) == 3)
    return true;
  return std::sscanf(line, "%" SCNd64 " %" SCNx64 " %" SCNx64, &to->call, &to->sp, &to->pc) == 3 && to->call == -1;
}

bool is_namespace_init(pid_t pid) {
  char path[64], text[4096];
  std::snprintf(path, sizeof path, "/proc/%d/status", pid);
  if (read_proc(path, text, sizeof text) <= 0) return false;
  const char* line = std::strstr(text, "\nNSpid:");
  const char* end = line != nullptr ? std::strchr(line + 1, '\n') : nullptr;
  return end != nullptr && end - line > 2 && end[-1] == '1' && end[-2] == '\t';
}

Disposition read_disposition(pid_t tid, int signal) {
  ThreadStatus status;
  if (!read_status(tid, &status)) return {};
  const uint64_t bit = signal_bit(signal);
  return {(status.ignored & bit) != 0, (status.caught & bit) != 0};
}

bool traces_us(pid_t pid) {
  constexpr int kMostTracers = 64;  // one above the other: a circle has no end
  for (pid_t at : {getpid(), getppid()}) {
    for (int above = 0; above < kMostTracers; above++) {
      ThreadStatus traced, tracer;
      if (!read_status(at, &traced) || traced.tracer == 0 || !read_status(traced.tracer, &tracer)) break;
      if (tracer.process == pid) return true;
      at = traced.tracer;
    }
  }
  return false;
}

bool is_frozen(pid_t tid) {
  ThreadStatus status;
  if (!read_status(tid, &status) || status.state == 'T' || status.state == 't') return false;
  // The last: where a compiler has inlined the second.
  constexpr std::string_view kFreezers[] = {"__refrigerator", "do_freezer_trap", "get_signal"};
  char path[32], text[64];
  std::snprintf(path, sizeof path, "/proc/%d/wchan", tid);
  const ssize_t length = read_proc(path, text, sizeof text);
  return length > 0 &&
         std::ranges::find(kFreezers, std::string_view(text, static_cast<size_t>(length))) != std::end(kFreezers);
}

static bool is_kernel_thread(pid_t pid) {
  constexpr unsigned kKernelThread = 0x00200000;  // PF_KTHREAD
  char path[32], text[1024];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  const char* flags = read_proc(path, text, sizeof text) > 0 ? stat_field(text, 9) : nullptr;
  return flags != nullptr && (std::strtoul(flags, nullptr, 10) & kKernelThread) != 0;
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
  if (is_kernel_thread(pid))
    return Error(what + ": a thread of the kernel runs no program that could be traced", EPERM);
  return Error(what + ": operation not permitted: the program has privileges of its own or may not be dumped; " +
                   (geteuid() == 0 ? "this root lacks the capability to trace it" : "run as root"),
               EPERM);
}

}  // namespace sonde
