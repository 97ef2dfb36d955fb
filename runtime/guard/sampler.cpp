// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/sampler.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "runtime/base/find.h"
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

Sampler::Sampler(Targets& targets, const TapTable& taps, Events events)
    : targets_(targets), taps_(taps), events_(std::move(events)) {}

void Sampler::taps_changed() {
  const std::vector<ArmedTap*>& armed = taps_.of(SONDE_TAP_PROFILE);
  auto is_armed = [&](const Timer& timer) {
    return std::ranges::any_of(
        armed, [&](const ArmedTap* tap) { return tap->id == timer.tap && events_.reads_memory(*tap) == timer.stacks; });
  };
  for (auto& [tid, thread] : targets_.threads()) settle(*thread);
  std::erase_if(timers_, [&](const Timer& timer) { return !is_armed(timer); });
  if (!armed.empty() && !ready_) ready_.reset(epoll_create1(EPOLL_CLOEXEC));
  for (const ArmedTap* tap : armed) {
    const uint32_t id = tap->id;
    if (std::ranges::find(timers_, id, &Timer::tap) != timers_.end()) continue;
    timers_.push_back({id, tap->offset, events_.reads_memory(*tap), periodic_timer(tap->offset), {}});
    for (auto& [tid, thread] : targets_.threads()) open_account(timers_.back(), *thread);
  }
  fds_.clear();
  for (const Timer& timer : timers_) fds_.push_back(timer.fd.get());
  if (!timers_.empty()) fds_.push_back(ready_.get());
}

void Sampler::adopt(Thread& thread) {
  for (Timer& timer : timers_) open_account(timer, thread);
}

/// What the thread has run until now does not count.
void Sampler::open_account(Timer& timer, Thread& thread) {
  Account& account = timer.accounts[thread.tid];
  account = {};
  account.seen = run_time_of(thread);
  account.clock = PerfClock::start(thread.tid, timer.period, timer.stacks);
  if (!account.clock) return;
  epoll_event event{};
  event.events = EPOLLIN;
  if (epoll_ctl(ready_.get(), EPOLL_CTL_ADD, account.clock->fd(), &event) != 0) account.clock.reset();
}

/// Updates the account. True: a sample was due, and the thread runs now; the account is debited.
bool Sampler::owes_sample(Timer& timer, Thread& thread) {
  Account& account = timer.accounts[thread.tid];
  if (account.clock && account.clock->sees_kernel()) return false;
  const uint64_t run = run_time_of(thread), most = std::max(kMostOwed, 2 * timer.period);
  account.owed =
      std::min(account.owed + static_cast<int64_t>(run - std::min(account.seen, run)), static_cast<int64_t>(most));
  account.seen = run;
  const auto period = static_cast<int64_t>(timer.period);
  if (account.owed < period || state_of(thread) != 'R') return false;
  account.owed -= period;
  if (!account.clock) tell_that_samples_lean();
  return true;
}

/// A thread that is asked to stop while it enters a system call stops at the end of that call.
void Sampler::tell_that_samples_lean() {
  if (std::exchange(leans_, true)) return;
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  std::string level = "unknown";
  file >> level;
  events_.notice(
      "profile: samples lean towards system calls, because perf_event_open(2) is forbidden here "
      "(kernel.perf_event_paranoid is " +
      level + ")");
}

bool Sampler::accepts(const Thread& thread, uint32_t tap, bool in_call) {
  const auto timer = std::ranges::find(timers_, tap, &Timer::tap);
  if (timer == timers_.end()) return false;
  Account* account = find_in(timer->accounts, thread.tid);
  if (account == nullptr || !account->clock || in_call) return true;
  account->owed += static_cast<int64_t>(timer->period);
  return false;
}

void Sampler::drain(Timer& timer, Thread& thread) {
  Account* account = find_in(timer.accounts, thread.tid);
  if (account == nullptr || !account->clock) return;
  const uint64_t lost = account->clock->drain([&](const Sample& sample) {
    account->owed -= static_cast<int64_t>(timer.period);
    events_.ticked(thread, timer.tap, sample);
  });
  if (lost > 0) events_.lost(timer.tap, lost);
}

void Sampler::settle(Thread& thread) {
  for (Timer& timer : timers_) drain(timer, thread);
}

void Sampler::forget(pid_t tid) {
  for (Timer& timer : timers_) timer.accounts.erase(tid);
}

void Sampler::due(int fd) {
  if (fd == ready_.get()) {
    // The poll that found it readable has cleared the mark of the clock that ticked, so each is looked at.
    for (auto& [tid, thread] : targets_.threads()) settle(*thread);
    return;
  }
  auto timer = std::ranges::find(timers_, fd, [](const Timer& one) { return one.fd.get(); });
  if (timer == timers_.end()) return;
  uint64_t periods = 0;
  if (read(fd, &periods, sizeof periods) != sizeof periods) return;
  for (auto& [tid, thread] : targets_.threads()) {
    if (thread->exited || must_stop(*thread)) continue;
    if (owes_sample(*timer, *thread)) events_.owes(*thread, timer->tap);
  }
}

}  // namespace sonde::guard
