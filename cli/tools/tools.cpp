// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/tools/tools.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "runtime/base/path_search.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> tool_folders() {
  std::vector<std::string> all;
  const char* path = ::secure_getenv("SONDE_TOOL_PATH");
  std::istringstream named(path == nullptr ? "" : path);
  for (std::string folder; std::getline(named, folder, ':');)
    if (!folder.empty()) all.push_back(folder);
  all.push_back(beside_command(SONDE_TOOLS_FROM_BIN));
  return all;
}

}  // namespace

std::optional<std::string> find_tool(std::string_view name) {
  if (name.empty() || name.find('/') != name.npos) return std::nullopt;
  for (const std::string& folder : tool_folders()) {
    const std::string path = folder + "/" + std::string(name) + ".d";
    std::error_code none;
    if (fs::is_regular_file(path, none)) return path;
  }
  return std::nullopt;
}

std::string missing_tools() {
  const std::string folder = beside_command(SONDE_TOOLS_FROM_BIN);
  std::error_code none;
  return fs::is_directory(folder, none) ? "" : folder;
}

std::vector<Tool> tools_in_folders() {
  std::map<std::string, Tool> found;
  for (const std::string& folder : tool_folders()) {
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
      if (entry.path().extension() != ".d") continue;
      auto header = read_script_header(entry.path());
      if (header && header->exists())
        found.try_emplace(header->name, Tool{entry.path(), header->name, header->sentence});
    }
  }
  std::vector<Tool> all;
  for (auto& [name, tool] : found) all.push_back(std::move(tool));
  return all;
}

}  // namespace sonde
