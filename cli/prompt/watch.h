// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "cli/prompt/screen.h"
#include "cli/session.h"

namespace sonde {

/// What is watched, and how often.
struct Watched {
  std::string name;  ///< without @; empty: all
  Nanoseconds period;
};

/// Reads "[@NAME] [TIME]". Errors: EINVAL.
Result<Watched> parse_watch(const std::string& text);

/// An aggregation that the screen shows again and again, in its place (:watch, --watch).
/// Context: the session's thread.
class Watch {
 public:
  static constexpr Nanoseconds kUsualPeriod = 1'000'000'000;
  static constexpr Nanoseconds kLeastPeriod = 100'000'000;

  /// All must outlive the session's loop, to which it adds itself.
  Watch(Session& session, FileOutput& output, Screen& screen);

  /// Shows it now and after each period. It may come into being later.
  void begin(Watched watched);
  void end();
  bool is_on() const { return due_ != EventLoop::kNever; }

 private:
  void draw();

  Session& session_;
  FileOutput& output_;
  Screen& screen_;
  Watched watched_{};
  Nanoseconds due_ = EventLoop::kNever;
};

}  // namespace sonde
