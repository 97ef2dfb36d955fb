// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "runtime/lang/options.h"

namespace sonde {

/// What the options cgroup and container ask of each clause, as a predicate in D; empty: nothing.
/// Errors: there is no such cgroup or container; no hierarchy is mounted.
Result<std::string> narrowing(const Options& options);

}  // namespace sonde
