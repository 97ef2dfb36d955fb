// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "cli/arguments.h"
#include "runtime/base/result.h"
#include "runtime/lang/options.h"

namespace sonde {

/// The texts that -s, -n, -P, -m, -f and -i stand for, in order: scripts read, short forms completed to four fields.
/// -i needs the framework to name its probe: see name_probe_id(). Errors: "failed to open F: ..."; a specifier with too many fields.
/// With the option cpp, scripts go through the preprocessor.
Result<std::vector<SourceText>> read_sources(const std::vector<Arguments::Program>& programs, const Options& options);

/// "description 'syscall:::entry '" or "script 'FILE'": how messages name a text.
std::string describe(const SourceText& text);

/// Whether one of them may name a process by its number: names_process(). A script that can be read only once counts as one that does not.
bool name_processes(const std::vector<Arguments::Program>& programs);

/// Whether a word of the command line names a script: a file here that ends in .d, or begins with a #! line for us. A path with a
/// slash is a program's.
bool is_script_file(const std::string& word);

}  // namespace sonde
