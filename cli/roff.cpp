// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/roff.h"

namespace sonde {

std::string roff(std::string_view text) {
  std::string result = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '\'')
      result += "\\(aq";
    else if (c == '^')
      result += "\\(ha";
    else if (c == '~')
      result += "\\(ti";
    else
      result += c;
  }
  return result;
}

std::string roff_item(std::string_view label, std::string_view sentence) {
  return ".TP\n.B " + roff(label) + "\n" + roff(sentence) + "\n";
}

std::string roff_example(std::string_view what, std::string_view command) {
  return ".PP\n" + roff(what) + "\n.PP\n.EX\n    " + roff(command) + "\n.EE\n";
}

}  // namespace sonde
