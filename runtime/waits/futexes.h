// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "runtime/waits/facts.h"
#include "runtime/waits/graph.h"

namespace sonde {

/// Of a thread that sleeps in futex().
Wait explain_futex(Facts& facts, const ThreadFacts& thread);

}  // namespace sonde
