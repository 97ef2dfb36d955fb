// SPDX-License-Identifier: GPL-3.0-or-later
// Waits for children
#pragma once

#include "runtime/waits/facts.h"
#include "runtime/waits/graph.h"

namespace sonde {

Wait explain_wait4(Facts& facts, const ThreadFacts& thread);
Wait explain_waitid(Facts& facts, const ThreadFacts& thread);
/// After vfork(): until the child runs another program or ends.
Wait explain_vfork(Facts& facts, const ThreadFacts& thread);

}  // namespace sonde
