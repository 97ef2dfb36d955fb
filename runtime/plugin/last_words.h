// SPDX-License-Identifier: GPL-3.0-or-later
// Says which plug-in has ended sonde
//
// A plug-in runs in sonde's process, so its crash is sonde's. The handlers print one line, and then let happen what would
// have happened: the signal is taken again by whatever handled it before, so status and core are the same.
//
//   in an op, in start(), stop() or a hook      op and plug-in, from the thread's OpScope
//   in a thread of the plug-in, in a destructor the plug-in, from the thread's registers and the return addresses on its
//                                               stack. Not in the session's thread before its end: what earlier calls
//                                               have left on its stack must not accuse anybody
//
// We refused to unwind the stack: the unwinder takes locks, and a crash may have happened while they were held. A plug-in
// that calls _exit() or kills sonde by SIGKILL leaves no word.
#pragma once

namespace sonde {

/// From now on a crash of this process, and exit() in code of a plug-in, are explained on standard error. exit(0) there
/// ends with status 1. Call it in the thread of the session; more calls have no effect.
void explain_ends();

/// Adds the code of a plug-in, to which `address` belongs, to what explain_ends() knows. `file` lives for ever.
void note_code(const void* address, const char* file);

}  // namespace sonde
