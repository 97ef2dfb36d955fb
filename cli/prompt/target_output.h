// SPDX-License-Identifier: GPL-3.0-or-later
// What the programs of a prompt write: above the line that is being typed
//
//   Relay --> whole lines ------> flood --> above the line, as traced output
//         `-> the last, open one -----------> between the two, drawn again in its place as it grows
//   :fg    --> all of it, at once: the program has screen and keyboard until Ctrl-]
//
// Lines are the bytes that the program wrote, without what reaches beyond a line (screen_sequences.h). With several programs each line begins with "[NAME] ". Where the cursor cannot
// move, an open line is shown once nothing has followed it for a moment. From a pipe nothing is drawn, so all is passed
// on as it comes.
#pragma once

#include <termios.h>

#include <map>
#include <string>
#include <string_view>

#include "cli/output.h"
#include "cli/prompt/line_reader.h"
#include "cli/prompt/screen.h"
#include "cli/prompt/screen_sequences.h"
#include "cli/relay.h"
#include "runtime/session/event_loop.h"

namespace sonde {

/// Context: the session's thread.
class TargetOutput {
 public:
  /// All must outlive it.
  TargetOutput(Relay& relay, FileOutput& output, Screen& screen, LineReader& reader, EventLoop& loop);
  ~TargetOutput();
  TargetOutput(const TargetOutput&) = delete;
  TargetOutput& operator=(const TargetOutput&) = delete;

  /// Shows all that has been written by now: a program has ended.
  void settle();
  /// Types a text into a program's terminal. Errors: ENOENT, none of that name has a terminal of its own; EAGAIN, it
  /// does not read.
  Result<void> type(std::string_view name, std::string_view text);

  /// Gives screen and keyboard to a program. Errors: as type(); ENOTTY, our input is no terminal.
  Result<void> bring_to_front(std::string_view name);
  bool has_front() const { return front_ != nullptr; }
  /// Passes typed bytes on to it.
  void read_keyboard();
  /// The terminal is ours again after a stop of this process: it is given to the program once more.
  void take_keyboard();

 private:
  void take(Relay::Terminal& terminal, std::string_view text);
  void end(Relay::Terminal& terminal);
  void show_lines(Relay::Terminal& terminal, size_t length);
  void show_open_lines();
  Result<Relay::Terminal*> controlling(std::string_view name);
  void leave_front();

  Relay& relay_;
  FileOutput& output_;
  Screen& screen_;
  LineReader& reader_;
  Nanoseconds due_ = EventLoop::kNever;  ///< when open lines are shown, where the cursor cannot move
  std::map<const Relay::Terminal*, ScreenSequences> sequences_;  ///< of each program
  Relay::Terminal* front_ = nullptr;
  termios ours_{};  ///< the terminal's settings when the keyboard was given away
  Flood::Gate gate_ = Flood::Gate::Open;
};

}  // namespace sonde
