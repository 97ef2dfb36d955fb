// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <unistd.h>

#include <functional>
#include <string>
#include <string_view>

#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"
#include "runtime/consumer/consumer.h"

namespace sonde {

/// Name by which the command was called: in front of every message.
void set_program_name(std::string_view argv0);
const std::string& program_name();

/// Traced output to a descriptor, messages to stderr as "sonde: ...".
class FileOutput : public Output {
 public:
  /// To stdout.
  FileOutput() = default;
  /// Appends to a file (-o).
  static Result<UniqueFd> open_file(const std::string& path);
  void redirect(UniqueFd file) { first_ = std::move(file); }
  /// Called around everything that reaches the terminal: the prompt takes its line away and puts it back.
  void set_frame(std::function<void()> before, std::function<void()> after);

  void write(std::string_view text) override;
  void message(std::string_view text) override;
  void flush() override;
  Result<void> reopen(const std::string& path) override;
  void truncate() override;
  /// The reader of our output has gone (EPIPE and the like): tracing may end.
  bool broken() const { return broken_; }

 private:
  int target() const { return file_ ? file_.get() : first_ ? first_.get() : STDOUT_FILENO; }
  void write_pending();

  std::function<void()> before_ = [] {};
  std::function<void()> after_ = [] {};
  bool line_open_ = false;  ///< what was written last did not end in a newline
  UniqueFd first_;          ///< -o; none: stdout
  UniqueFd file_;           ///< of freopen(); none: the first
  std::string pending_;
  bool broken_ = false;
};

}  // namespace sonde
