// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace sonde {

/// From now on SIGINT, SIGTERM and SIGHUP ask the session to end; a second one ends the command at once.
void catch_interrupts();
bool interrupted();
/// Which signal it was; 0: none.
int interrupting_signal();
/// Readable once an interrupt has come.
int interrupt_fd();

}  // namespace sonde
