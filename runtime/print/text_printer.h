// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "runtime/print/trace_record.h"

namespace sonde {

/// Records as DTrace prints them, to the byte.
class TextPrinter {
 public:
  /// Appends a record; the first one brings the line above the columns, if it is not quiet. `quiet` and `flowindent`: the options as they are
  /// now, which say how a line ends. Effects happen, in their place.
  void record(const TraceRecord& record, bool quiet, bool flowindent, std::string& out);

 private:
  bool header_written_ = false;
};

}  // namespace sonde
