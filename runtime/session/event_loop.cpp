// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/session/event_loop.h"

#include <poll.h>
#include <time.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "runtime/base/clock.h"

namespace sonde {

void EventLoop::watch(std::function<int()> descriptor, short events, std::function<void()> ready) {
  watched_.push_back({std::move(descriptor), events, std::move(ready)});
}

void EventLoop::at(std::function<Nanoseconds()> due, std::function<void()> act) {
  timed_.push_back({std::move(due), std::move(act)});
}

void EventLoop::every(std::function<Nanoseconds()> period, std::function<void()> act) {
  auto last = std::make_shared<Nanoseconds>(monotonic_now());
  at([last, period = std::move(period)] { return *last + std::min(period(), kNever - *last); },
     [last, act = std::move(act)] {
       *last = monotonic_now();
       act();
     });
}

void EventLoop::turn() {
  constexpr Nanoseconds kSecond = 1'000'000'000;
  std::vector<pollfd> descriptors;
  for (const Watched& one : watched_) descriptors.push_back({one.descriptor(), one.events, 0});
  Nanoseconds due = kNever;
  for (const Timed& one : timed_) due = std::min(due, one.due());
  const Nanoseconds now = monotonic_now();
  const Nanoseconds wait = due - std::min(due, now);
  const timespec limit{static_cast<time_t>(wait / kSecond), static_cast<long>(wait % kSecond)};
  if (::ppoll(descriptors.data(), descriptors.size(), due == kNever ? nullptr : &limit, nullptr) > 0) {
    for (size_t i = 0; i < descriptors.size(); ++i)
      if (descriptors[i].revents != 0) watched_[i].ready();
  }
  for (const Timed& one : timed_)
    if (one.due() <= monotonic_now()) one.act();
}

}  // namespace sonde
