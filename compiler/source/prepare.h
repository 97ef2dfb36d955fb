// SPDX-License-Identifier: GPL-3.0-or-later
// Prepares a text for the lexer: replaces comments and control lines by blanks, so that all other bytes keep their
// offsets, and returns the control lines for check/pragma.cpp.
#pragma once

#include <string>
#include <vector>

#include "compiler/source/diagnostic.h"

namespace sonde {

struct ControlLine {
  SourceRange where;
  std::string text;  ///< from the # to the end of the line
};

struct PreparedText {
  std::string text;  ///< as long as the source
  std::vector<ControlLine> controls;
  bool open = false;  ///< the text ends inside of a comment, or of a control line that would continue
};

/// Reports comments and control lines that the end of the text cuts off.
PreparedText prepare(const std::string& text, Diagnostics& diagnostics);

/// Line and file of an offset, with regard to `#line`. `file` is empty before any #line that names one.
struct Place {
  uint32_t line = 1;
  std::string file;
  uint32_t line_begin = 0, line_end = 0;  ///< bytes of the physical line, without its newline
};
/// Lines are counted from `near`, unless that is behind the offset.
Place place_of(const std::string& text, uint32_t offset, Place near = {});

}  // namespace sonde
