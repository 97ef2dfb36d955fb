// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kmod/shared/record.h"

namespace sonde {

/// What a clause has recorded. It is output when the clause has ended without a fault, or when its speculation is committed.
struct Row {
  /// What an action does besides printing, in its place among the text.
  struct Step {
    size_t at;                                  ///< comes when the text before it is out
    std::function<void(std::string& out)> run;  ///< may print
  };
  bool begun = false;
  bool columns = false;  ///< has a prefix
  bool quiet = false;    ///< the option, when it began; setopt() may change it, and the row's end goes by what is then
  std::string text;
  uint64_t data = 0;  ///< bytes of the values that it was made of
  std::vector<Step> steps;
  std::optional<int> exit_status;

  bool empty() const { return !begun && steps.empty(); }
  bool prints_nothing() const { return text.empty() && steps.empty() && !columns; }
  /// What it takes of a buffer, as a record of DTrace: a header of two words, and the values, not their text.
  uint64_t bytes() const { return 16 + data; }
  void clear() {
    begun = columns = quiet = false;
    text.clear();
    data = 0;
    steps.clear();
    exit_status.reset();
  }
};

}  // namespace sonde
