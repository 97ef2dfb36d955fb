// SPDX-License-Identifier: GPL-3.0-or-later
// Polling for the next stop before sleeping
//
// A thread that is continued often stops again within microseconds. If the core sleeps meanwhile, an idle processor
// must be woken up, which on a virtual machine costs more than everything else of a stop (docs/guard.md has the
// figures). So after a thread was continued the core polls for kSpin. If no stop came (the thread sleeps in a call,
// computes, or has no processor but ours), it polls less often: it skips 1, 3, 7 ... occasions, at most kMostLeftOut,
// until a poll finds a stop again. There are kLooksATurn polls in a turn, so that the consumer's requests and timers wait
// about a millisecond at most.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

namespace sonde {

class Spin {
 public:
  static constexpr std::chrono::microseconds kSpin{30};
  static constexpr int kLooksATurn = 32;
  static constexpr int kMostLeftOut = 63;

  void begin_turn() { looks_ = kLooksATurn; }
  /// A thread was continued.
  void expect() { expected_ = true; }
  /// Whether to poll now. Called when there is no stop.
  bool due() {
    if (!std::exchange(expected_, false) || looks_ == 0) return false;
    if (to_leave_out_ > 0) {
      to_leave_out_--;
      return false;
    }
    looks_--;
    return true;
  }
  /// A poll has ended. Time in which others used the processor is not counted: the cost is at most kSpin.
  void ended(bool found, std::chrono::nanoseconds took) {
    spent_ += std::min<std::chrono::nanoseconds>(took, kSpin);
    left_out_ = found ? 0 : std::min(kMostLeftOut, 2 * left_out_ + 1);
    to_leave_out_ = left_out_;
  }
  std::chrono::nanoseconds spent() const { return spent_; }

 private:
  std::chrono::nanoseconds spent_{0};
  bool expected_ = false;
  int looks_ = 0, left_out_ = 0, to_leave_out_ = 0;
};

}  // namespace sonde
