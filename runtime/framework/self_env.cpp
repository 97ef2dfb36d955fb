// SPDX-License-Identifier: GPL-3.0-or-later
// A local probe (BEGIN, END, tick) fires in sonde, so its fire part sees sonde's own pid, execname and arguments.
//
// A program may read one range of sonde's memory: from argc to the end of the environment, where the kernel has put
// them. The rest does not concern a script, and may be freed while it reads.
//
// Invariant: a firing takes no lock and allocates nothing (local_firing.h). So texts that do not change are read in
// advance into static memory, and files are read by plain system calls onto the stack.
#include "runtime/framework/self_env.h"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/base/clock.h"
#include "runtime/base/page.h"
#include "runtime/base/procfs.h"
#include "runtime/firing/texts.h"
#include "runtime/process/cgroups.h"
#include "runtime/process/namespaces.h"

namespace sonde {
namespace {

constexpr size_t kPsargsBytes = 81;

uint32_t g_pid = 0;
char g_psargs[kPsargsBytes] = "";
char g_execname[16] = "";
uint64_t g_start = 0, g_end = 0;  ///< of argc, argv, the environment, and their strings
thread_local uint32_t t_tid = 0;

uint64_t thread_count() {
  char text[2048];
  if (read_proc("/proc/self/status", text, sizeof text) <= 0) return 1;
  const char* line = std::strstr(text, "\nThreads:");
  return line == nullptr ? 1 : std::strtoull(line + 9, nullptr, 10);
}

int own_memory(void*, uint64_t address, void* to, uint32_t size) {
  if (address < g_start || address > g_end || size > g_end - address) return -1;
  std::memcpy(to, reinterpret_cast<const void*>(address), size);
  return 0;
}

int own_text(void*, uint64_t address, char* to, uint32_t max) {
  if (address < g_start || address >= g_end || max == 0) return -1;
  const char* from = reinterpret_cast<const char*>(address);
  const size_t length = strnlen(from, std::min<uint64_t>(max - 1, g_end - address));
  std::memcpy(to, from, length);
  to[length] = 0;
  return static_cast<int>(length);
}

uint64_t own_cgroup_id() {
  char text[4096 + 64];
  return read_proc("/proc/thread-self/cgroup", text, sizeof text) > 0 ? cgroup_id_of(text) : 0;
}

uint64_t variable(void* thread, uint32_t which) {
  const auto* self = static_cast<const SelfFiring*>(thread);
  switch (static_cast<sonde_dif_variable>(which)) {
    case SONDE_DIF_VAR_PID: return self_pid();
    case SONDE_DIF_VAR_TID: return self_tid();
    case SONDE_DIF_VAR_PPID: return static_cast<uint64_t>(getppid());
    case SONDE_DIF_VAR_UID: return getuid();
    case SONDE_DIF_VAR_GID: return getgid();
    case SONDE_DIF_VAR_CPU: return static_cast<uint64_t>(std::max(sched_getcpu(), 0));
    case SONDE_DIF_VAR_TIMESTAMP: return self->timestamp;
    case SONDE_DIF_VAR_VTIMESTAMP:
      if (self->cpu_time == 0) self->cpu_time = now_of(CLOCK_THREAD_CPUTIME_ID);
      return self->cpu_time;
    case SONDE_DIF_VAR_ERRNO: return 0;
    case SONDE_DIF_VAR_UCALLER: return 0;
    case SONDE_DIF_VAR_USTACKDEPTH: return 0;
    case SONDE_DIF_VAR_PROBE: return self->probe;
    case SONDE_DIF_VAR_EUID: return geteuid();
    case SONDE_DIF_VAR_EGID: return getegid();
    case SONDE_DIF_VAR_PGID: return static_cast<uint64_t>(getpgrp());
    case SONDE_DIF_VAR_SID: return static_cast<uint64_t>(getsid(0));
    case SONDE_DIF_VAR_NLWP: return thread_count();
    case SONDE_DIF_VAR_SYSCALL: return static_cast<uint64_t>(-1);
    case SONDE_DIF_VAR_STACK_START: return g_start;
    case SONDE_DIF_VAR_CURTHREAD:
      return 0xffff'8000'0000'0000 | uint64_t{self_tid()} << 6;  // any unique kernel address
    case SONDE_DIF_VAR_TTY:
    case SONDE_DIF_VAR_CALLER:
    case SONDE_DIF_VAR_STACKDEPTH: return 0;
    case SONDE_DIF_VAR_PRIORITY: return 20 + static_cast<uint64_t>(getpriority(PRIO_PROCESS, 0));
    case SONDE_DIF_VAR_POLICY: return static_cast<uint64_t>(sched_getscheduler(0));
    case SONDE_DIF_VAR_BOUND_CPU: return ~uint64_t{0};
    case SONDE_DIF_VAR_VPID: return self_pid();
    case SONDE_DIF_VAR_PIDNS: return inode_of("/proc/thread-self/ns/pid");
    case SONDE_DIF_VAR_CGROUPID: return own_cgroup_id();
    case SONDE_DIF_VAR_COUNT: break;
  }
  return 0;
}

uint64_t user_register(void*, uint32_t) { return 0; }

uint64_t descends(void*, uint64_t pid) {
  return self_pid() == pid || has_ancestor(static_cast<uint32_t>(getppid()), pid, SONDE_DIF_ANCESTORS) ? 1 : 0;
}

int put_fd_path(uint64_t fd, char* to, uint32_t max) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/fd/%llu", static_cast<unsigned long long>(fd));
  const int got = put_link(path, to, max);
  return got < 0 ? put_text("<none>", to, max) : got;
}

int put_argument(const SelfFiring& firing, uint64_t argument, char* to, uint32_t max) {
  const char* text = argument < firing.texts.size() ? firing.texts[argument] : nullptr;
  return text == nullptr ? -1 : put_text({text, strnlen(text, max)}, to, max);
}

int text(void* thread, uint32_t which, uint64_t operand, char* to, uint32_t max) {
  switch (static_cast<sonde_dif_text>(which)) {
    case SONDE_DIF_TEXT_EXECNAME: return put_text(g_execname, to, max);
    case SONDE_DIF_TEXT_PSARGS: return put_text(g_psargs, to, max);
    case SONDE_DIF_TEXT_CWD: return put_link("/proc/self/cwd", to, max);
    case SONDE_DIF_TEXT_ROOT: return put_link("/proc/self/root", to, max);
    case SONDE_DIF_TEXT_FDPATH: return put_fd_path(operand, to, max);
    case SONDE_DIF_TEXT_EXEPATH: return put_link("/proc/self/exe", to, max);
    case SONDE_DIF_TEXT_PROBE_TEXT: return put_argument(*static_cast<const SelfFiring*>(thread), operand, to, max);
    case SONDE_DIF_TEXT_COMM:  // BEGIN and the like have no argument that is a process
    case SONDE_DIF_TEXT_FDFS:
    case SONDE_DIF_TEXT_FDMOUNT:
    case SONDE_DIF_TEXT_SYSCALL_ARGS:
    case SONDE_DIF_TEXT_FDPOS:
    case SONDE_DIF_TEXT_FDFLAGS:
    case SONDE_DIF_TEXT_STRINGS:
    case SONDE_DIF_TEXT_POINTERS:
    case SONDE_DIF_TEXT_COUNT: break;
  }
  return -1;
}

int no_kernel_stack(void*, uint64_t*, uint32_t) { return 0; }

/// Sonde's own stack is never shown: it is refused where the provider reports user mode, else empty.
int stack(void* thread, uint64_t*, uint32_t) { return static_cast<const SelfFiring*>(thread)->user_mode ? -1 : 0; }

constexpr sonde_dif_env kEnv = {
    own_memory, own_text, variable, user_register, descends, text, stack, nullptr, nullptr, no_kernel_stack,
};

}  // namespace

const sonde_dif_env& self_env() { return kEnv; }

void prepare_self_env() {
  g_pid = static_cast<uint32_t>(getpid());
  const ssize_t got = read_proc("/proc/self/cmdline", g_psargs, kPsargsBytes);
  const size_t length = join_arguments(g_psargs, static_cast<size_t>(std::max<ssize_t>(got, 0)));
  g_psargs[length] = 0;
  const ssize_t named = read_proc("/proc/self/comm", g_execname, sizeof g_execname);
  g_execname[std::max<ssize_t>(named - 1, 0)] = 0;  // replaces the newline
  char stat[2048];
  (void)read_proc("/proc/self/stat", stat, sizeof stat);
  const char *start = stat_field(stat, 28), *end = stat_field(stat, 51);
  if (start != nullptr) g_start = std::strtoull(start, nullptr, 10);
  if (end != nullptr) g_end = std::strtoull(end, nullptr, 10);
  g_end = (g_end + kPage - 1) / kPage * kPage;  // the stack ends at the end of that page
}

const char* self_execname() { return g_execname; }

uint32_t self_pid() { return g_pid != 0 ? g_pid : static_cast<uint32_t>(getpid()); }

uint32_t self_tid() {
  if (t_tid == 0) t_tid = static_cast<uint32_t>(gettid());
  return t_tid;
}

}  // namespace sonde
