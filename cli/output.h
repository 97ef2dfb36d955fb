// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/look.h"
#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"
#include "runtime/body/output.h"
#include "runtime/session/sink.h"

namespace sonde {

/// The name by which the command was called; every message begins with it.
void set_program_name(std::string_view argv0);
const std::string& program_name();

/// From now on messages are objects on a line each (--diagnostics=json), instead of "sonde: ...".
void show_messages_as_json();
/// A fatal error as it is written to standard error. Of several messages in it each begins with the program's name;
/// their further lines are indented.
std::string fatal_text(std::string_view message, const Look& look);

/// Traced output to a descriptor, messages to stderr as "sonde: ...".
class FileOutput : public Output {
 public:
  /// To stdout.
  FileOutput();
  /// Appends to a file (-o).
  static Result<UniqueFd> open_file(const std::string& path);
  /// Sends all output to `file` instead of stdout, from the start; `name` is for messages, and what reopen_first()
  /// opens.
  void redirect(UniqueFd file, std::string name);
  /// From now on a thread writes, so that nobody waits for a reader: up to `room` bytes are queued. Not to be used with
  /// a frame.
  void write_behind(size_t room);
  /// Ends the output. Waits for a reader that blocks, as any program that writes does; a signal ends the command.
  void finish();
  /// Called before and after everything that is written to the terminal: the prompt removes its line and restores it.
  void set_frame(std::function<void()> before, std::function<void()> after);
  /// Called with what is about to be written to stdout; returns what of it is written.
  void set_filter(std::function<std::string(std::string text)> filter) { filter_ = std::move(filter); }
  /// To stderr, as it is: lines of diagnostics.
  void report(std::string_view lines);
  /// To stdout, wherever traced output goes, and past the filter. Not to be used with write_behind().
  void answer(std::string_view text);
  /// To stdout, wherever traced output goes: what a target has written. Through frame and filter.
  void relay(std::string text);
  /// To the terminal, as it is: neither frame nor filter. A write that fails ends the run, as any other.
  void draw(std::string_view text) { write_now(*stdout_, text); }
  /// Returns what `writes` writes, which goes nowhere else.
  std::string capture(const std::function<void()>& writes);

  void write(std::string_view text) override;
  void message(std::string_view text) override;
  void flush() override;
  Look look() const override { return Look::of(target_->fd); }
  void settle() override;
  size_t room() const override;
  Result<void> reopen(const std::string& path) override;
  Result<void> reopen_first() override;
  void truncate() override;
  bool failed() const override { return reader_gone_ || refused_; }
  int watched_fd() const override;
  void note_reader_gone() override { reader_gone_ = true; }
  /// The reader of our pipe has gone. As other programs in that case, we end silently, by SIGPIPE.
  bool reader_gone() const { return reader_gone_; }

 private:
  using To = std::shared_ptr<const Destination>;
  void write_now(const Destination& to, std::string_view text);
  void write_in_frame(const Destination& to, std::string_view text);
  void note_failure(const Destination& to, int error);

  std::function<void()> before_ = [] {};
  std::function<void()> after_ = [] {};
  std::function<std::string(std::string)> filter_ = [](std::string text) { return text; };
  bool captures_ = false;
  bool line_open_ = false;  ///< the last text did not end in a newline
  To stdout_;
  To first_;     ///< stdout, or -o's
  To messages_;  ///< stderr
  To target_;    ///< of freopen(), or the first
  std::string pending_;
  std::atomic<bool> reader_gone_ = false;
  std::atomic<bool> refused_ = false;  ///< a write failed for another reason, such as a full disk
  std::optional<Sink> sink_;           // last: its thread calls note_failure()
};

}  // namespace sonde
