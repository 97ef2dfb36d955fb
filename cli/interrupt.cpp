// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/interrupt.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>

namespace sonde {

namespace {

std::atomic<int> g_signal{0};
int g_wake = -1;

void on_interrupt(int signal) {
  if (g_signal.exchange(signal) != 0) _exit(128 + signal);
  uint64_t one = 1;
  [[maybe_unused]] ssize_t n = ::write(g_wake, &one, sizeof one);
}

}  // namespace

void catch_interrupts() {
  if (g_wake >= 0) return;
  g_wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigemptyset(&action.sa_mask);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

int interrupting_signal() { return g_signal.load(std::memory_order_relaxed); }

bool interrupted() { return interrupting_signal() != 0; }

int interrupt_fd() { return g_wake; }

}  // namespace sonde
