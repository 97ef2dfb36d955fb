// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace sonde {

/// From now on SIGINT, SIGTERM and SIGHUP ask the run to end; a second one ends the command at once.
void catch_interrupts();
bool interrupted();
/// Which signal it was; 0: none.
int interrupting_signal();
/// Readable once a signal has come; -1: none is caught.
int interrupt_fd();

/// From now on SIGINT asks no more than that a prompt drops its line.
void keep_going_at_sigint();
/// One has come since the last call.
bool take_dropped_line();

}  // namespace sonde
