// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"
#include "runtime/body/output.h"
#include "runtime/session/sink.h"

namespace sonde {

/// Name by which the command was called: in front of every message.
void set_program_name(std::string_view argv0);
const std::string& program_name();

/// Traced output to a descriptor, messages to stderr as "sonde: ...".
class FileOutput : public Output {
 public:
  /// To stdout.
  FileOutput();
  /// Appends to a file (-o).
  static Result<UniqueFd> open_file(const std::string& path);
  /// From the start to `file` in place of stdout; `name` is for messages, and what reopen_first() opens.
  void redirect(UniqueFd file, std::string name);
  /// From now on a thread writes, so that nobody waits for a reader: `room` bytes may be queued. Not where there is a frame.
  void write_behind(size_t room);
  /// The end: a reader that sleeps is waited for, as by any program that writes. A signal that comes meanwhile ends the command.
  void finish();
  /// Called around everything that reaches the terminal: the prompt takes its line away and puts it back.
  void set_frame(std::function<void()> before, std::function<void()> after);

  void write(std::string_view text) override;
  void message(std::string_view text) override;
  void flush() override;
  void settle() override;
  size_t room() const override;
  Result<void> reopen(const std::string& path) override;
  Result<void> reopen_first() override;
  void truncate() override;
  bool failed() const override { return reader_gone_ || refused_; }
  int watched_fd() const override;
  void note_reader_gone() override { reader_gone_ = true; }
  /// The reader of our pipe has gone. Who writes into such a pipe ends in silence, by SIGPIPE.
  bool reader_gone() const { return reader_gone_; }

 private:
  using To = std::shared_ptr<const Destination>;
  void write_now(const Destination& to, std::string_view text);
  void note_failure(const Destination& to, int error);

  std::function<void()> before_ = [] {};
  std::function<void()> after_ = [] {};
  bool line_open_ = false;  ///< what was written last did not end in a newline
  To first_;                ///< stdout, or -o's
  To messages_;             ///< stderr
  To target_;               ///< freopen()'s, or the first
  std::string pending_;
  std::atomic<bool> reader_gone_ = false;
  std::atomic<bool> refused_ = false;  ///< a full disk and the like
  std::optional<Sink> sink_;           // last: its thread calls note_failure()
};

}  // namespace sonde
