// SPDX-License-Identifier: GPL-3.0-or-later
// The prompt: clauses are typed, compiled and enabled while the target runs on.
#pragma once

#include <span>

#include "cli/output.h"
#include "cli/session.h"

namespace sonde {

/// Runs until :quit, the end of the input, or exit(). The session has been started; the command line has enabled
/// `given`. Input is a terminal (readline: history, editing; output appears above the line being typed) or a pipe (at
/// its end, waits for the targets). Returns the exit status.
int run_prompt(Session& session, Options& options, FileOutput& output, std::span<const CompiledText> given);

}  // namespace sonde
