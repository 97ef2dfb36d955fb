// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/session/interrupt.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>

namespace sonde {

namespace {

std::atomic<int> g_signal{0};
std::atomic<bool> g_drops_line{false};
int g_wake = -1;

void wake() {
  const uint64_t one = 1;
  [[maybe_unused]] ssize_t n = ::write(g_wake, &one, sizeof one);
}

void on_interrupt(int signal) {
  if (g_signal.exchange(signal) != 0) _exit(128 + signal);
  wake();
}

void on_line_interrupt(int) {
  g_drops_line = true;
  wake();
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void catch_interrupts() {
  if (g_wake >= 0) return;
  g_wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, on_interrupt);
  ::signal(SIGPIPE, SIG_IGN);
}

int interrupting_signal() { return g_signal.load(std::memory_order_relaxed); }

bool interrupted() { return interrupting_signal() != 0; }

int interrupt_fd() { return g_wake; }

void keep_going_at_sigint() { handle(SIGINT, on_line_interrupt); }

bool take_dropped_line() {
  if (!g_drops_line.exchange(false)) return false;
  uint64_t count = 0;
  [[maybe_unused]] ssize_t n = ::read(g_wake, &count, sizeof count);
  return true;
}

}  // namespace sonde
