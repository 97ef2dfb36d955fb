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
  /// From the start to `file` in place of stdout; `name` is for messages.
  void redirect(UniqueFd file, std::string name);
  /// Called around everything that reaches the terminal: the prompt takes its line away and puts it back.
  void set_frame(std::function<void()> before, std::function<void()> after);

  void write(std::string_view text) override;
  void message(std::string_view text) override;
  void flush() override;
  Result<void> reopen(const std::string& path) override;
  void truncate() override;
  /// What is written gets nowhere any more: a message has said why, but for a reader that has gone. The run shall end.
  bool failed() const { return reader_gone_ || refused_; }
  /// The reader of our pipe has gone. Who writes into such a pipe ends in silence, by SIGPIPE.
  bool reader_gone() const { return reader_gone_; }
  /// To be polled for POLLERR, so that a reader's end is known without a write: a pipe's or socket's descriptor, else -1.
  int watched_fd() const;
  /// watched_fd() had POLLERR.
  void note_reader_gone() { reader_gone_ = true; }

 private:
  int target() const { return file_ ? file_.get() : first_ ? first_.get() : STDOUT_FILENO; }
  void write_pending();
  void note_failure(int error);

  std::function<void()> before_ = [] {};
  std::function<void()> after_ = [] {};
  bool line_open_ = false;  ///< what was written last did not end in a newline
  UniqueFd first_;          ///< -o; none: stdout
  std::string first_name_ = "standard output";
  UniqueFd file_;  ///< of freopen(); none: the first
  std::string file_name_;
  std::string pending_;
  bool reader_gone_ = false;
  bool refused_ = false;  ///< a full disk and the like
};

}  // namespace sonde
