// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/look.h"
#include "runtime/base/result.h"

namespace sonde {

/// The output of a run. The tests and the prompt have implementations of their own.
class Output {
 public:
  virtual ~Output() = default;
  virtual void write(std::string_view text) = 0;    ///< traced output (stdout or -o)
  virtual void message(std::string_view text) = 0;  ///< one diagnostic line without prefix and newline (stderr)
  virtual void flush() = 0;
  /// A message that a target has come to harm, or may: the run has failed, whatever else it says.
  void harm(std::string_view text) {
    harmed_ = true;
    message(text);
  }
  bool harmed() const { return harmed_; }
  /// What traced output may look like where it goes.
  virtual Look look() const { return Look::plain(); }
  /// Waits until everything has been written.
  virtual void settle() {}
  /// Bytes that can be written without waiting. Records beyond that are dropped and counted.
  virtual size_t room() const { return SIZE_MAX; }
  /// freopen(): from now on output is appended to a file; an empty path restores the first destination.
  /// Errors: those of open(2); then output goes on as before.
  virtual Result<void> reopen(const std::string&) { return Error("this output cannot be sent elsewhere", ENOTSUP); }
  /// Reopens the file that output went to first, by its name, because it was renamed. Errors: as reopen().
  virtual Result<void> reopen_first() { return {}; }
  /// ftruncate(): empties the output, if it is a file.
  virtual void truncate() {}
  /// Output cannot be written any more, so the run must end. A message was printed, unless the reader has simply gone.
  virtual bool failed() const { return false; }
  /// A descriptor to poll for POLLERR, which shows without a write that the reader has gone: that of a pipe or socket,
  /// else -1.
  virtual int watched_fd() const { return -1; }
  /// watched_fd() had POLLERR.
  virtual void note_reader_gone() {}

 private:
  bool harmed_ = false;
};

}  // namespace sonde
