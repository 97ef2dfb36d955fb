// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/utrace/trial.h"

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace sonde {

int try_to_trace() {
  const pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0)
    for (;;) pause();
  const int error = ptrace(PTRACE_SEIZE, child, nullptr, nullptr) == 0 ? 0 : errno;
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  return error;
}

}  // namespace sonde
