// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/source/bpf_targets.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace sonde {
namespace {

constexpr long kLookForDescendants = 20'000'000;  ///< ns

bool is_readable(int fd) {
  pollfd one{fd, POLLIN, 0};
  return poll(&one, 1, 0) > 0;
}

/// The wait status of a child that has ended and is not reaped; 0: it is another's child.
int wait_status_of(int pidfd) {
  siginfo_t info{};
  if (waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return 0;
  if (info.si_code == CLD_EXITED) return info.si_status << 8;
  return info.si_status | (info.si_code == CLD_DUMPED ? 0x80 : 0);
}

Result<void> add_to(int epoll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0) return {};
  return Error::from_errno("wait for a process");
}

}  // namespace

Result<void> BpfTargets::begin() {
  if (family_) return {};
  auto layout = bpf::KernelLayout::read();
  if (!layout) return std::move(layout).error();
  layout_ = std::move(*layout);
  auto family = bpf::Family::begin(*layout_);
  if (!family) return std::move(family).error();
  family_ = std::move(*family);
  return {};
}

Result<void> BpfTargets::begin_spawn(const SpawnRequest& request) {
  auto pid = programs_.spawn(request, [this](uint32_t pid) { return attach(pid); });
  if (!pid) return std::move(pid).error();
  spawned_.push_back(*pid);
  return {};
}

Result<uint32_t> BpfTargets::spawned() {
  const uint32_t pid = spawned_.front();
  spawned_.pop_front();
  return pid;
}

Result<void> BpfTargets::watch(uint32_t pid) {
  UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd) return Error::from_errno("attach to pid " + std::to_string(pid));
  if (epoll_ >= 0)
    if (auto added = add_to(epoll_, pidfd.get()); !added) return added;
  living_[pid] = std::move(pidfd);
  told_all_gone_ = false;
  return {};
}

Result<void> BpfTargets::report_to(int epoll) {
  epoll_ = epoll;
  for (const auto& [pid, pidfd] : living_)
    if (auto added = add_to(epoll_, pidfd.get()); !added) return added;
  return {};
}

Result<void> BpfTargets::attach(uint32_t pid) {
  if (auto begun = begin(); !begun) return begun;
  if (living_.contains(pid)) return Error("process " + std::to_string(pid) + " is traced already", EEXIST);
  if (auto watched = watch(pid); !watched) return watched;
  return going_ ? family_->add(pid) : Result<void>();
}

Result<void> BpfTargets::go() {
  going_ = true;
  for (const auto& [pid, pidfd] : living_)
    if (auto added = family_->add(pid); !added) return added;
  programs_.let_all_go();
  return {};
}

Result<void> BpfTargets::detach(uint32_t pid) {
  programs_.let_go(pid);
  if (family_) family_->remove(pid);
  living_.erase(pid);
  return {};
}

Result<uint64_t> BpfTargets::detach_all() {
  const uint64_t count = living_.size();
  while (!living_.empty()) (void)detach(living_.begin()->first);
  family_.reset();
  return count;
}

std::optional<SourceEvent> BpfTargets::note_end(uint32_t pid) {
  const int status = wait_status_of(living_[pid].get());
  living_.erase(pid);
  programs_.reap(pid);
  if (!living_.empty()) return TargetGone{pid, status};
  descendants_.reset(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  const itimerspec often{{0, kLookForDescendants}, {0, 1}};
  if (descendants_ && timerfd_settime(descendants_.get(), 0, &often, nullptr) == 0 && epoll_ >= 0)
    (void)add_to(epoll_, descendants_.get());
  return TargetGone{pid, status};
}

std::optional<SourceEvent> BpfTargets::next_event() {
  for (const auto& [pid, pidfd] : living_)
    if (is_readable(pidfd.get())) return note_end(pid);
  if (!descendants_) return std::nullopt;
  uint64_t times = 0;
  (void)!read(descendants_.get(), &times, sizeof times);
  if (!living_.empty() || told_all_gone_ || (family_ && !family_->empty())) return std::nullopt;
  told_all_gone_ = true;
  descendants_.reset();
  return AllGone{};
}

}  // namespace sonde
