// SPDX-License-Identifier: GPL-3.0-or-later
// Tools: scripts that are run by their name
//
// A tool is a file NAME.d with a header, in a folder of $SONDE_TOOL_PATH or in the one that is installed beside the
// command. The first folder that has a name wins. A link to such a file is another name of it. Nothing looks at the
// folders unless the first word of a command line has no other meaning. Two tools are in no folder: cli/built_in.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/tools/script_header.h"

namespace sonde {

/// The file of the tool of that name; nothing: there is none.
std::optional<std::string> find_tool(std::string_view name);

/// The folder beside the command that should have the tools; empty: it is there.
std::string missing_tools();

struct Tool {
  std::string path, name, sentence;
};
/// Sorted by name; a file without a right header is left out.
std::vector<Tool> tools_in_folders();

}  // namespace sonde
