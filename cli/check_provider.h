// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/arguments.h"
#include "runtime/lang/options.h"

namespace sonde {

/// --check-provider=FILE.so: runtime/plugin/check.h, with a session of its own. -n and the like ask for probes; -c is the
/// command that makes them fire. Returns the exit status.
int check_provider(const Arguments& arguments, Options& options);

}  // namespace sonde
