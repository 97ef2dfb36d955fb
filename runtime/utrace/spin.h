// SPDX-License-Identifier: GPL-3.0-or-later
// When to look for the next stop before sleeping
//
// A thread that is let run often stops again within microseconds. Who sleeps meanwhile pays for a wake-up of an idle processor,
// which on a virtual machine is more than all else of a stop (docs/guard.md has the figures). So after a thread was let run
// the core looks on for kSpin. Where nothing came (the thread sleeps in a call, computes, or has no processor but ours), it
// looks less often: it leaves out 1, 3, 7 ... occasions, kMostLeftOut at most, until a look finds something again.
// A turn has kLooksATurn, so that the consumer's requests and timers do not wait long.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

namespace sonde {

class Spin {
 public:
  static constexpr std::chrono::microseconds kSpin{30};
  static constexpr int kLooksATurn = 8;
  static constexpr int kMostLeftOut = 63;

  void begin_turn() { looks_ = kLooksATurn; }
  /// A thread was let run.
  void expect() { expected_ = true; }
  /// Whether this is the moment for a look. It is asked for when there is no stop.
  bool due() {
    if (!std::exchange(expected_, false) || looks_ == 0) return false;
    if (to_leave_out_ > 0) {
      to_leave_out_--;
      return false;
    }
    looks_--;
    return true;
  }
  /// A look is over; a processor that others have used meanwhile has not cost us more than kSpin.
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
