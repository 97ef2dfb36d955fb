// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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
  /// freopen(): output is appended to a file from now on; with an empty path it goes where it went at first.
  /// Errors: those of open(2); output then goes on as before.
  virtual Result<void> reopen(const std::string&) { return Error("this output cannot be sent elsewhere", ENOTSUP); }
  /// ftruncate(): what was written is thrown away, if the output is a file.
  virtual void truncate() {}
};

}  // namespace sonde
