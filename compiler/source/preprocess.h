// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "runtime/lang/options.h"

namespace sonde {

/// Runs the script through cpp (-C), with the options cpppath, define, undef, incdir, cpphdrs and stdc. cpp writes its
/// own messages to stderr. Errors: cpp cannot be run, fails, uses a minute of processor time, or writes more than a
/// script can have.
Result<std::string> preprocess(const std::string& script, const Options& options);

}  // namespace sonde
