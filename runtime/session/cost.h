// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "runtime/base/ids.h"
#include "runtime/source/event_source.h"

namespace sonde {

/// A line on what tracing has cost the targets since `began` (CLOCK_MONOTONIC); empty if that was not much. A thread
/// that has stopped waits while the guard handles the stop. So the guard's own processor time, without the time that it
/// spends looking for the next stop, is a lower bound of how long targets have waited.
std::string cost_of_tracing(EventSource& source, Nanoseconds began);

}  // namespace sonde
