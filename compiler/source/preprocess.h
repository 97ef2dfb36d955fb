// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "runtime/lang/options.h"

namespace sonde {

/// The script as cpp gives it back (-C), by the options cpppath, define, undef, incdir, cpphdrs and stdc. cpp's own messages go to stderr.
/// Errors: cpp cannot be run, says no, takes a minute of processor time, or writes more than a script can be.
Result<std::string> preprocess(const std::string& script, const Options& options);

}  // namespace sonde
