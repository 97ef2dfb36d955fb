// SPDX-License-Identifier: GPL-3.0-or-later
// How much of what is traced reaches the screen
//
//   text --> pass(): lines that are shown; the others are counted --> notice(): "... 2,914 more lines"
//
// At most `rate` lines are shown in any second. The line that would be one more closes the gate for a second, and what
// comes meanwhile is counted. So a person sees a piece of the flood, then how much was left out, then the next piece. We
// refused to show lines evenly: with a notice between any two of them nothing could be read.
// pause(), hide() and hold() close the gate by request: until open(), everything is counted.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "runtime/base/ids.h"

namespace sonde {

/// Context: one thread. Times are CLOCK_MONOTONIC.
class Flood {
 public:
  static constexpr uint64_t kUsualRate = 200;
  static constexpr Nanoseconds kNever = UINT64_MAX;

  enum class Gate : uint8_t {
    Open,
    Paused,   ///< :pause
    Quiet,    ///< :quiet
    Reading,  ///< the answer to a command is on the screen, and output would scroll it away
  };

  /// Lines a second; 0: all.
  void set_rate(uint64_t rate) { rate_ = rate; }
  uint64_t rate() const { return rate_; }
  void set_gate(Gate gate) { gate_ = gate; }
  Gate gate() const { return gate_; }

  /// The part of `text` that is shown. A line that was begun is shown to its end.
  std::string pass(std::string_view text, Nanoseconds now);
  /// "... 2,914 more lines; ..." with a newline, if lines were held back and not told yet; then they are told.
  std::string notice();
  /// When notice() should be shown although no line is.
  Nanoseconds due() const { return held_ > 0 && gate_ == Gate::Open ? closed_until_ : kNever; }

  /// Lines were held back within the last seconds because there were too many.
  bool is_flood(Nanoseconds now) const { return now < closed_until_ + kMoment; }
  /// So many lines are shown that what stands on the screen will soon be gone.
  bool scrolls_away(Nanoseconds now);
  uint64_t held() const { return held_; }

 private:
  static constexpr Nanoseconds kMoment = 1'000'000'000;
  bool lets_line_pass(Nanoseconds now);
  void forget_before(Nanoseconds time);

  uint64_t rate_ = 0;
  Gate gate_ = Gate::Open;
  std::deque<Nanoseconds> shown_;  ///< when each line of the last second was shown
  Nanoseconds closed_until_ = 0;
  uint64_t held_ = 0;       ///< lines since the last notice
  bool is_inside_ = false;  ///< the last text ended within a line,
  bool is_shown_ = true;    ///< which is shown
};

/// "2,914"
std::string with_commas(uint64_t number);
/// The character where the terminal has it, else three points.
std::string_view ellipsis();

}  // namespace sonde
