// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "runtime/base/ids.h"
#include "runtime/source/event_source.h"

namespace sonde {

/// What tracing has cost the traced since `began` (CLOCK_MONOTONIC): a line, where that was much, else empty. While the guard handles a stop,
/// the thread that has stopped waits; so the guard's own processor time, but for that of looking for the next stop, is what the targets have waited at the least.
std::string cost_of_tracing(EventSource& source, Nanoseconds began);

}  // namespace sonde
