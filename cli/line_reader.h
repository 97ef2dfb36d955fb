// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/completer.h"

namespace sonde {

/// Reads lines from standard input without blocking: call read() when it is readable.
class LineReader {
 public:
  using LineHandler = std::function<void(const std::string& line)>;
  /// What may follow the text before the cursor, for Tab.
  using Complete = std::function<Candidates(const std::string& before)>;
  virtual ~LineReader() = default;
  virtual void read() = 0;
  virtual void set_prompt(const std::string& prompt) = 0;
  virtual void hide() = 0;                              ///< removes the half-typed line from the screen
  virtual void show() = 0;                              ///< and puts it back
  virtual void discard() = 0;                           ///< Ctrl-C: drops the half-typed line
  virtual void remember(const std::string& entry) = 0;  ///< into the history
  virtual void close() = 0;                             ///< shows no prompt any more
  virtual bool ended() const = 0;
  virtual bool interactive() const = 0;
};

/// readline on a terminal, else plain lines. Only one may exist in a process.
std::unique_ptr<LineReader> make_line_reader(LineReader::LineHandler handler, LineReader::Complete complete);

}  // namespace sonde
