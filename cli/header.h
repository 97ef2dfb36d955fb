// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/arguments.h"
#include "cli/output.h"
#include "runtime/base/result.h"
#include "runtime/lang/options.h"

namespace sonde {

/// -h and -G: writes the header, or the object, of what the scripts declare (compiler/header/declared.h). The words of the
/// command line are objects. Returns the exit status; what is wrong with a script was shown.
Result<int> make_header_or_object(const Arguments& arguments, const Options& options, FileOutput& output);

}  // namespace sonde
