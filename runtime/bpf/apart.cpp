// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/apart.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/base/unique_fd.h"
#include "runtime/bpf/signals_wait.h"

namespace sonde::bpf {
namespace {

constexpr size_t kStackOfIt = 1u << 18;
constexpr int kPatienceMs = 1000;

struct Act {
  void (*act)(void*);
  void* argument;
};

int begin_apart(void* argument) {
  const auto* one = static_cast<const Act*>(argument);
  one->act(one->argument);
  return 0;
}

}  // namespace

int run_apart(void (*act)(void*), void* argument) {
  void* stack = mmap(nullptr, kStackOfIt, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return -1;
  const SignalsWait wait;  // a handler would run on a stack that the act has put elsewhere
  Act one{act, argument};
  int pidfd = -1;
  const pid_t pid = clone(begin_apart, static_cast<char*>(stack) + kStackOfIt, CLONE_VM | CLONE_PIDFD, &one, &pidfd);
  int status = -1, code = errno;
  if (pid > 0) {
    const UniqueFd ended(pidfd);
    pollfd poll_for{pidfd, POLLIN, 0};
    int ready;
    do ready = poll(&poll_for, 1, kPatienceMs);
    while (ready < 0 && errno == EINTR);
    if (ready <= 0) kill(pid, SIGKILL);
    while (waitpid(pid, &status, __WCLONE) < 0 && errno == EINTR) continue;
  }
  munmap(stack, kStackOfIt);
  errno = code;
  return status;
}

}  // namespace sonde::bpf
