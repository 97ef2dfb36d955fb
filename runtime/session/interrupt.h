// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sonde {

/// From now on SIGINT, SIGTERM and SIGHUP ask the run to end; a second one ends the command at once. SIGUSR1 asks for a snapshot.
void catch_interrupts();
bool interrupted();
/// Which signal it was; 0: none.
int interrupting_signal();

/// What a signal may ask for while the run goes on.
enum class Asked : uint8_t {
  Snapshot,  ///< SIGUSR1: the aggregations are printed
  Reopen,    ///< SIGHUP: the file of -o has been renamed, and is opened anew
  DropLine,  ///< SIGINT at a prompt
};
/// From now on SIGHUP, or SIGINT, asks for that and no more.
void reopen_at_sighup();
void drop_line_at_sigint();
/// It was asked for since the last call.
bool take_asked(Asked what);

/// Readable once a signal has come; -1: none is caught.
int interrupt_fd();
/// It is not any more, until the next one comes.
void clear_interrupt_fd();

}  // namespace sonde
