// SPDX-License-Identifier: GPL-3.0-or-later
// sonde --why -p PID: why processes do not go on
//
//   look_at_waits() --> judge() --> deadlocks, who waits behind them, the rest --> sentences, each with its stacks
//
// runtime/waits/ finds the waits and stops nobody. Only then are threads stopped, one after the other, for their user
// stacks, by the guard: what it says of a thread's wait does not depend on that.
#pragma once

#include "cli/arguments.h"
#include "cli/output.h"
#include "runtime/base/result.h"
#include "runtime/lang/options.h"

namespace sonde {

/// Returns the exit status: 0, or 3 if there is a deadlock. Errors: there is no such process, or it is not ours.
Result<int> show_waits(const Arguments& arguments, Options& options, FileOutput& output);

}  // namespace sonde
