// SPDX-License-Identifier: GPL-3.0-or-later
// The screen of a prompt: traced output above, the line that is typed below
//
//   traced output --> flood --> above the line
//   answers, messages ---------> above the line, always
//   a watched aggregation -----> a block of lines between the two, drawn again in its place,
//   open lines of targets -----> and above it (target_output.h)
//
// An answer would be scrolled away by a flood before anybody has read it. So traced output then waits for the next line
// that is typed, and is counted.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/output.h"
#include "cli/prompt/flood.h"
#include "cli/prompt/line_reader.h"
#include "runtime/session/event_loop.h"

namespace sonde {

/// Context: the session's thread.
class Screen {
 public:
  /// All must outlive it.
  Screen(FileOutput& output, EventLoop& loop, LineReader& reader);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  Flood& flood() { return flood_; }
  /// What a command answers.
  void answer(std::string_view text);
  /// A line was typed: what is on the screen has been read.
  void note_line();
  /// Traced output is shown (or held back) from here on; what was held back is told.
  void set_gate(Flood::Gate gate);
  /// From now on what is traced and answered is also appended to a file, whatever reaches the screen; without a file no
  /// more. Errors: those of open(2).
  Result<void> log_to(const std::string& path);
  /// The file of log_to(); empty: none.
  std::string log_path() const { return log_.get() < 0 ? "" : log_path_; }
  /// The block that stands between output and the line, in place of the one before; empty: none. On a terminal that
  /// cannot move its cursor, or from a pipe, it is shown like an answer.
  void set_block(std::string text);
  /// Lines of targets that have not ended, above the block. False: this terminal cannot draw them again.
  bool set_open_lines(const std::string& text);

 private:
  std::string pass(const std::string& text);
  void log(std::string_view text);
  void change_block(std::string& part, std::string text);
  void remove_block();
  void draw_block();

  FileOutput& output_;
  LineReader& reader_;
  Flood flood_;
  UniqueFd log_;
  std::string log_path_;
  bool moves_cursor_;  ///< the terminal can redraw
  std::string open_, block_;
  size_t drawn_ = 0;  ///< lines of the block that are on the screen
};

}  // namespace sonde
