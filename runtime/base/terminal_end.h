// SPDX-License-Identifier: GPL-3.0-or-later
// Pseudo-terminals: we hold the master, a program that is started gets the other end
#pragma once

#include <cstdint>

#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"

namespace sonde {

/// The end that a program gets: always its standard output.
struct TerminalEnd {
  uint32_t number = 0;    ///< of /dev/pts
  bool errors = false;    ///< also its standard error
  bool controls = false;  ///< also its standard input: it controls the program, which gets a session of its own
};

struct NewTerminal {
  UniqueFd master;  ///< does not block, and is closed by an exec
  TerminalEnd end;
};

/// A terminal of the size of the one at `like`. One that controls has a terminal's usual settings; another passes on
/// every byte as it is written. Errors: those of open(2), such as a machine without /dev/pts.
Result<NewTerminal> open_terminal(bool controls, int like);

/// Makes the size of a terminal that of the one at `like`; its program gets SIGWINCH.
void copy_size(int master, int like);
/// The same, so that its program draws its screen again even if the size is what it was.
void ask_to_redraw(int master, int like);

/// Makes it the standard streams of this process. Returns 0 or an errno. Context: between fork and exec.
int take_terminal(const TerminalEnd& end);

}  // namespace sonde
