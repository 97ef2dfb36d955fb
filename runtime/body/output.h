// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace sonde {

/// Where a run's text goes. The tests and the prompt have their own.
class Output {
 public:
  virtual ~Output() = default;
  virtual void write(std::string_view text) = 0;    ///< traced output (stdout or -o)
  virtual void message(std::string_view text) = 0;  ///< one diagnostic line without prefix and newline (stderr)
  virtual void flush() = 0;
  /// Waits until all that was written is where it goes.
  virtual void settle() {}
  /// Bytes that may be written without anybody having to wait. Records that find none are dropped and counted.
  virtual size_t room() const { return SIZE_MAX; }
  /// freopen(): output is appended to a file from now on; with an empty path it goes where it went at first.
  /// Errors: those of open(2); output then goes on as before.
  virtual Result<void> reopen(const std::string&) { return Error("this output cannot be sent elsewhere", ENOTSUP); }
  /// The file that output went to at first is opened anew by its name: it was renamed. Errors: as reopen().
  virtual Result<void> reopen_first() { return {}; }
  /// ftruncate(): what was written is thrown away, if the output is a file.
  virtual void truncate() {}
  /// What is written gets nowhere any more: a message has said why, but for a reader that has gone. The run is to end.
  virtual bool failed() const { return false; }
  /// To be polled for POLLERR, so that a reader's end is known without a write: a pipe's or socket's descriptor, else -1.
  virtual int watched_fd() const { return -1; }
  /// watched_fd() had POLLERR.
  virtual void note_reader_gone() {}
};

}  // namespace sonde
