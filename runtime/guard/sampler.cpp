// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/sampler.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/guard/dif_env.h"

namespace sonde::guard {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kMostOwed = 20'000'000;  // ns; the rest is forgotten, to avoid a burst

UniqueFd periodic_timer(uint64_t period) {
  UniqueFd fd(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  const timespec every{static_cast<time_t>(period / kSecond), static_cast<long>(period % kSecond)};
  const itimerspec when{every, every};
  if (fd) timerfd_settime(fd.get(), 0, &when, nullptr);
  return fd;
}

}  // namespace

void Sampler::taps_changed() {
  const std::vector<ArmedTap*>& armed = taps_.of(SONDE_TAP_PROFILE);
  auto is_armed = [&](const Timer& timer) {
    return std::ranges::any_of(armed, [&](const ArmedTap* tap) { return tap->id == timer.tap; });
  };
  std::erase_if(timers_, [&](const Timer& timer) { return !is_armed(timer); });
  for (const ArmedTap* tap : armed) {
    const uint32_t id = tap->id;
    if (std::ranges::find(timers_, id, &Timer::tap) != timers_.end()) continue;
    timers_.push_back({id, tap->offset, periodic_timer(tap->offset), {}});
  }
  fds_.clear();
  for (const Timer& timer : timers_) fds_.push_back(timer.fd.get());
}

/// Updates the account. True: a sample was due, and the thread runs now; the account is debited.
bool Sampler::owes_sample(Timer& timer, Thread& thread) {
  Account& account = timer.accounts[thread.tid];
  const uint64_t run = run_time_of(thread);
  const bool newborn = !account.known && !thread.process->attached;
  if (!account.known && !newborn) account.seen = run;  // its run time before we attached does not count
  account.known = true;
  account.owed = std::min(account.owed + run - std::min(account.seen, run), std::max(kMostOwed, 2 * timer.period));
  account.seen = run;
  if (account.owed < timer.period || !is_running(thread)) return false;
  account.owed -= timer.period;
  return true;
}

void Sampler::due(int fd, const std::function<void(Thread& thread, uint32_t tap)>& sample) {
  auto timer = std::ranges::find(timers_, fd, [](const Timer& one) { return one.fd.get(); });
  if (timer == timers_.end()) return;
  uint64_t periods = 0;
  if (read(fd, &periods, sizeof periods) != sizeof periods) return;
  for (auto& [tid, thread] : targets_.threads()) {
    if (thread->exited || must_stop(*thread)) continue;
    if (owes_sample(*timer, *thread)) sample(*thread, timer->tap);
  }
  if (timer->accounts.size() > 2 * targets_.threads().size() + 16)
    std::erase_if(timer->accounts, [&](const auto& entry) { return targets_.thread(entry.first) == nullptr; });
}

}  // namespace sonde::guard
