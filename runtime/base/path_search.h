// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

namespace sonde {

/// The program that a shell would run by this name: the name itself if it has a slash, else the file of the first folder
/// of $PATH that has it. Nothing: no folder has it, or there is no $PATH.
std::optional<std::string> search_path(const std::string& name);

/// What is installed with this command: `from_bin` is its path from the folder of the command's own file.
std::string beside_command(const std::string& from_bin);

}  // namespace sonde
