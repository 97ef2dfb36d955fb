// SPDX-License-Identifier: GPL-3.0-or-later
// A thread's CPU clock, which samples the thread where it is
//
//   the thread has run for a period --> the kernel's timer interrupts it --> registers, some stack --> our ring
//
// PTRACE_INTERRUPT finds a thread where it gets to: the request becomes visible before the interrupt arrives, so a
// thread that enters a system call meanwhile stops at the end of that call, and calls look several times as expensive
// as they are. perf_event_open(2) takes its sample in the interrupt itself, in the thread, after exactly a period of
// its run time. The thread is not stopped. Its stack is copied, because it has run on when we look.
//
// A clock with one period would tick in step with a program that repeats itself in about that time, and see always the
// same part of it. So there are two, whose periods are as the golden ratio and its square: together they tick once in
// `period`, and each moves on by the golden part of it. We refused random periods: to change a period restarts it, so
// the time since the last tick is lost.
//
// The kernel permits this by /proc/sys/kernel/perf_event_paranoid: to root and CAP_PERFMON everywhere; to others up to
// 2, in user code only. In containers a seccomp filter often forbids it. Then there is no clock, and the sampler asks
// the thread by an interrupt.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/guard/arch.h"

namespace sonde::guard {

/// The upper end of a thread's stack, as it was when a sample was taken.
struct StackCopy {
  uint64_t start = 0;
  std::vector<uint8_t> bytes;

  /// False: not all of it is in the copy.
  bool read(uint64_t address, void* to, size_t length) const;
  /// Of memory that has been read since: puts in place what the copy has of it.
  void put_over(uint64_t address, void* to, size_t length) const;
};

struct Sample {
  machine::Registers registers{};  ///< of user code, also if the thread was in the kernel
  StackCopy stack;                 ///< empty unless the clock copies stacks: 16 KiB
};

class PerfClock {
 public:
  /// Starts a clock that ticks each `period` ns of the thread's run time, with copies of its stack or without. None: the kernel does not permit it, or there
  /// is no descriptor or memory left. Source: perf_event_open(2), PERF_COUNT_SW_TASK_CLOCK.
  static std::optional<PerfClock> start(pid_t tid, uint64_t period, bool stack);

  /// Readable when there is a sample.
  int fd() const { return fd_.get(); }
  /// Whether time in the kernel is sampled, too. If not, its samples are missing.
  bool sees_kernel() const { return sees_kernel_; }
  /// Calls `visit` for each new sample. Returns how many the kernel could not store since the last call.
  uint64_t drain(const std::function<void(const Sample& sample)>& visit);

 private:
  struct Unmap {
    void operator()(void* ring) const;
  };
  PerfClock(UniqueFd fd, UniqueFd slow, void* ring, bool sees_kernel)
      : fd_(std::move(fd)), slow_(std::move(slow)), ring_(ring), sees_kernel_(sees_kernel) {}
  void copy(uint64_t from, void* to, size_t length) const;

  UniqueFd fd_, slow_;  ///< both write to the first one's ring
  std::unique_ptr<void, Unmap> ring_;
  bool sees_kernel_;
};

}  // namespace sonde::guard
