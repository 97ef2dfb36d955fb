// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/prompt/completer.h"

namespace sonde {

/// Reads lines from standard input without blocking: call read() when it is readable.
class LineReader {
 public:
  using LineHandler = std::function<void(const std::string& line)>;
  /// What may follow the text before the cursor, for Tab.
  using Complete = std::function<Candidates(const std::string& before)>;
  /// Ctrl-D on an empty line. Returns whether the input ends by it.
  using EndHandler = std::function<bool()>;
  virtual ~LineReader() = default;
  virtual void read() = 0;
  virtual void set_prompt(const std::string& prompt) = 0;
  virtual void hide() = 0;                              ///< removes the half-typed line from the screen
  virtual void show() = 0;                              ///< and puts it back
  virtual void discard() = 0;                           ///< Ctrl-C: drops the half-typed line
  virtual void remember(const std::string& entry) = 0;  ///< into the history
  virtual void release() = 0;                           ///< gives the terminal to somebody else, until redraw()
  virtual void redraw() = 0;                            ///< takes the terminal back, also after a stop of this process
  virtual void put(const std::string& text) = 0;        ///< the next line begins with it, to be edited
  virtual size_t rows() const = 0;                      ///< of the screen that the last line took
  virtual void close() = 0;                             ///< shows no prompt any more
  virtual bool ended() const = 0;
  virtual void pass_lines() {}                       ///< passes on what has been read already
  virtual std::string unread() const { return ""; }  ///< lines that it has got and not passed on, after close()
  virtual bool interactive() const = 0;
};

/// readline on a terminal, else plain lines. Only one may exist in a process.
/// `first`: what comes before the rest of a pipe.
std::unique_ptr<LineReader> make_line_reader(
    LineReader::LineHandler handler, LineReader::Complete complete, LineReader::EndHandler end = [] { return true; },
    std::string first = {});

/// Reads nothing: for a screen without a prompt.
std::unique_ptr<LineReader> make_no_reader();

}  // namespace sonde
