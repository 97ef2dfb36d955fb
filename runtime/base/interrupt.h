// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sonde {

/// From now on SIGINT, SIGTERM and SIGHUP ask the run to end; a second one ends the command at once. SIGUSR1 asks for a
/// snapshot.
void catch_interrupts();
bool interrupted();
/// The signal that asked for the end; 0: none.
int interrupting_signal();

/// What else a signal may ask for while the run goes on.
enum class Asked : uint8_t {
  Snapshot,  ///< SIGUSR1: the aggregations are printed
  Reopen,    ///< SIGHUP: the file of -o was renamed (log rotation) and must be reopened
  DropLine,  ///< SIGINT at a prompt: drop the line being typed
  Redraw,    ///< SIGCONT at a prompt, after Ctrl-Z and fg: the terminal has changed meanwhile
  Resize,    ///< SIGWINCH at a prompt
};
/// From now on SIGHUP asks for Reopen (SIGINT: for DropLine), and does not end the run.
void reopen_at_sighup();
void drop_line_at_sigint();
/// From now on SIGCONT asks for Redraw.
void redraw_at_sigcont();
/// From now on SIGWINCH asks for Resize.
void resize_at_sigwinch();
/// Whether it was asked for since the last call.
bool take_asked(Asked what);

/// Installs our handlers of SIGINT, SIGTERM and SIGHUP again, where somebody has replaced them. Returns whether somebody had.
bool put_back_handlers();

/// For a child process, which has set all signals to their defaults: put_back_handlers() does nothing there.
void forget_handlers();

/// A descriptor that is readable once a signal has come; -1: no signal is caught.
int interrupt_fd();
/// Makes it unreadable until the next signal.
void clear_interrupt_fd();

}  // namespace sonde
