// SPDX-License-Identifier: GPL-3.0-or-later
// What sonde says about its tools, all of it from their headers, or from the row of a built-in one
#pragma once

#include <string>

#include "cli/built_in.h"
#include "cli/tools/script_header.h"

namespace sonde {

/// "sonde funccount [OPTIONS] PATTERN [PROGRAM ARGS]"
std::string tool_usage(const ScriptHeader& header);
/// --help behind a tool.
std::string tool_help(const ScriptHeader& header);
std::string tool_help(const BuiltIn& tool);
/// Its manual page, sonde-NAME(1): --help=man behind a tool.
std::string tool_man_page(const ScriptHeader& header);
std::string tool_man_page(const BuiltIn& tool);
/// The list of all tools, a sentence each: --help=tools.
std::string list_of_tools();

}  // namespace sonde
