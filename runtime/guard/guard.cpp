// SPDX-License-Identifier: GPL-3.0-or-later
// The guard's life
//
//   forked; closes descriptors --> serves its consumer --> the consumer is gone, for whatever reason:
//   probes out, threads let go --> nothing is traced: ends
//                              --> programs with our filter: stays, and lets their calls pass, until the last has ended
//
// A program with our seccomp filter needs a tracer for life: without one its filtered calls fail with ENOSYS.
// docs/guard.md has the rest.
#include "runtime/guard/guard.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "runtime/guard/ptrace_switch.h"
#include "runtime/guard/session.h"
#include "runtime/process/served_files.h"
#include "runtime/utrace/pages.h"
#include "runtime/utrace/program_child.h"

namespace sonde {
namespace {

/// Closes the consumer's own descriptors. Those that a program started by it would have inherited are kept for that
/// program.
std::vector<UniqueFd> sort_descriptors(int socket) {
  std::vector<UniqueFd> inherited;
  std::vector<int> fds;
  DIR* list = opendir("/proc/self/fd");
  while (const dirent* entry = list != nullptr ? readdir(list) : nullptr) {
    const int fd = atoi(entry->d_name);
    if (fd > 2 && fd != socket && fd != dirfd(list)) fds.push_back(fd);
  }
  if (list != nullptr) closedir(list);
  for (int fd : fds) {
    if (fcntl(fd, F_GETFD) & FD_CLOEXEC)
      close(fd);
    else
      inherited.emplace_back(fd);
  }
  return inherited;
}

/// Signals from the terminal, or sent to everybody by kill(-1), are meant for the targets. A program that the host
/// starts gets the dispositions from before: the host has noted them.
void ignore_signals() {
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    constexpr std::array kOurs = {SIGCHLD, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
    if (std::ranges::find(kOurs, signal) == kOurs.end()) ::signal(signal, SIG_IGN);
  }
}

/// Closes them, so that the guard does not keep somebody's pipe or terminal open.
void close_standard_streams() {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd : {0, 1, 2}) dup2(null, fd);
  if (null > 2) close(null);
}

/// Takes care of the programs that cannot be let go.
void take_care(UtraceHost& host) {
  while (host.needed()) {
    std::set<pid_t> free;  // processes born while their parent was let go
    for (utrace_task* task : host.tasks())
      if (!host.filtered(utrace_task_pid(task))) free.insert(utrace_task_pid(task));
    for (pid_t pid : free) host.leave_process(pid);
    if (host.needed()) host.wait({}, -1);
  }
}

}  // namespace

void guard_main(int socket) {
  prctl(PR_SET_NAME, "sonde-guard");
  guard::arm_ptrace_switch();
  refuse_served_files();
  std::vector<UniqueFd> inherited = sort_descriptors(socket);
  UtraceHost host;
  ignore_signals();
  GivenLimit::raise();
  {
    guard::Session session(host, UniqueFd(socket));
    session.keep_for_child(std::move(inherited));
    session.serve();
    close_standard_streams();
  }
  end_page_helpers();
  take_care(host);
  // The kernel detaches threads that sleep without waking them. Exit at once: there is nothing to clean up.
  _exit(0);
}

}  // namespace sonde
