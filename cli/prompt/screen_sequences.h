// SPDX-License-Identifier: GPL-3.0-or-later
// What a program that is not in :fg must not do to the screen
//
// A line of a program stands among the lines of others, above the one that is being typed. So escape sequences that place
// the cursor, clear the screen or set a mode of the terminal are left out of it; colours stay. A program that draws on the
// whole screen (it has switched to the other screen, or placed the cursor after it had hidden it) has no lines at all.
// The modes are remembered: :fg sets them again, and its end takes them back.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace sonde {

/// Follows the output of one program, also while it has the screen.
class ScreenSequences {
 public:
  /// The part of the program's next bytes that lines show.
  std::string lines_of(std::string_view text);

  bool draws() const;        ///< on the whole screen
  std::string redo() const;  ///< sets the modes of a terminal as the program has set its own
  std::string undo() const;  ///< sets them back

 private:
  void take(std::string& lines);
  bool sets_mode();

  std::string sequence_;       ///< that has begun
  std::map<int, bool> modes_;  ///< DEC private modes, by number, that are not as a terminal has them first
  bool placed_ = false;        ///< the cursor, since it was hidden
};

}  // namespace sonde
