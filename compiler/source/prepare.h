// SPDX-License-Identifier: GPL-3.0-or-later
// What happens to a text before it is lexed: comments and control lines become blanks, so that every byte that is left keeps its
// offset, and the control lines are handed out for check/pragma.cpp.
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
  bool open = false;  ///< the text ends inside of a comment, or of a control line that would carry on
};

/// Reports comments and control lines that are cut by the end of the text.
PreparedText prepare(const std::string& text, Diagnostics& diagnostics);

/// Line and file of an offset, as `#line` lines count them. `file` is empty where no #line named one.
struct Place {
  uint32_t line = 1;
  std::string file;
  uint32_t line_begin = 0, line_end = 0;  ///< bytes of the physical line, without its newline
};
/// Lines are counted from `near` on, where that is not behind the offset.
Place place_of(const std::string& text, uint32_t offset, Place near = {});

}  // namespace sonde
