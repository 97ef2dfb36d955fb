// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "cli/arguments.h"
#include "compiler/check/front_end.h"
#include "runtime/base/result.h"
#include "runtime/lang/options.h"

namespace sonde {

/// The texts of -s, -n, -P, -m, -f and -i, in order: scripts are read, short forms completed to four fields.
/// -i needs the framework to name its probe: see name_probe_id(). With the option cpp, scripts are preprocessed.
/// Errors: "failed to open F: ..."; a specifier with too many fields.
Result<std::vector<SourceText>> read_sources(const std::vector<Arguments::Program>& programs, const Options& options);

/// The name of a text in messages: "description 'syscall:::entry '" or "script 'FILE'".
std::string describe(const SourceText& text);

/// Whether one of them may contain a process number: names_process().
bool name_processes(const std::vector<SourceText>& texts, const MacroValues& macros);

/// The providers of all descriptions of these texts, except of probes that sonde itself fires. Words and options of the
/// command line are replaced; $target is as written.
std::vector<std::string> providers_named(const std::vector<SourceText>& texts, const MacroValues& macros);

/// Whether a word of the command line is a script: a file in the current folder that ends in .d, or begins with a #!
/// line for sonde. A path with a slash is a program.
bool is_script_file(const std::string& word);

}  // namespace sonde
