// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/interrupt.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <ctime>

namespace sonde {

namespace {

std::atomic<int> g_signal{0};
std::atomic<int64_t> g_first{0};   ///< when the first one came, in ns; 0: none has
std::atomic<uint32_t> g_asked{0};  ///< bit n: Asked n
int g_wake = -1;
void (*g_handlers[NSIG])(int) = {};  ///< those that we have installed

constexpr uint32_t bit(Asked what) { return 1u << static_cast<uint32_t>(what); }

void wake() {
  const uint64_t one = 1;
  [[maybe_unused]] ssize_t n = ::write(g_wake, &one, sizeof one);
}

/// timeout(1) sends its signal twice at once: to its child, and to the group that its child is in.
constexpr int64_t kSameWish = 300'000'000;

void on_interrupt(int signal) {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t time = int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  int64_t first = 0;
  if (!g_first.compare_exchange_strong(first, time) && time - first >= kSameWish) _exit(128 + signal);
  g_signal = signal;
  wake();
}

template <Asked what>
void on_asked(int) {
  g_asked |= bit(what);
  wake();
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = g_handlers[signal] = handler;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void catch_interrupts() {
  if (g_wake >= 0) return;
  g_wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, on_interrupt);
  handle(SIGUSR1, on_asked<Asked::Snapshot>);
  ::signal(SIGPIPE, SIG_IGN);
}

int interrupting_signal() { return g_signal.load(std::memory_order_relaxed); }

bool interrupted() { return interrupting_signal() != 0; }

void reopen_at_sighup() { handle(SIGHUP, on_asked<Asked::Reopen>); }

void drop_line_at_sigint() { handle(SIGINT, on_asked<Asked::DropLine>); }

void redraw_at_sigcont() { handle(SIGCONT, on_asked<Asked::Redraw>); }

void resize_at_sigwinch() { handle(SIGWINCH, on_asked<Asked::Resize>); }

bool take_asked(Asked what) { return (g_asked.fetch_and(~bit(what)) & bit(what)) != 0; }

bool put_back_handlers() {
  bool replaced = false;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (g_handlers[signal] == nullptr || ::sigaction(signal, nullptr, &now) != 0) continue;
    if (now.sa_handler == g_handlers[signal]) continue;
    handle(signal, g_handlers[signal]);
    replaced = true;
  }
  return replaced;
}

void forget_handlers() {
  for (auto& handler : g_handlers) handler = nullptr;
}

int interrupt_fd() { return g_wake; }

void clear_interrupt_fd() {
  uint64_t count = 0;
  [[maybe_unused]] ssize_t n = ::read(g_wake, &count, sizeof count);
}

}  // namespace sonde
