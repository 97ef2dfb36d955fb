// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/usdt/quirks.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

#include "providers/registry.h"
#include "runtime/base/path_search.h"
#include "runtime/framework/provider.h"

namespace sonde {
namespace {

/// "python" of "python42", "python$target" and "python*".
std::string_view name_alone(std::string_view provider) {
  return provider.substr(0, provider.substr(0, provider.find('$')).find_last_not_of("0123456789*") + 1);
}

bool anybody_may(const std::filesystem::path& path, mode_t bits) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && (status.st_mode & bits) == bits;
}

/// The path of a file that is installed with sonde. Empty: it is not there; or a program that runs as another user might
/// not be able to read it, or its path has a blank: then the program would not start.
std::string installed_file(std::string_view name) {
  std::error_code error;
  const std::filesystem::path path =
      std::filesystem::canonical(beside_command(SONDE_SHARE_FROM_BIN "/" + std::string(name)), error);
  if (error || path.string().find_first_of(" \t\n") != std::string::npos || !anybody_may(path, S_IROTH)) return "";
  for (std::filesystem::path folder = path.parent_path(); folder != folder.parent_path(); folder = folder.parent_path())
    if (!anybody_may(folder, S_IXOTH)) return "";
  return path;
}

/// Whether the name of a description, which may be a wildcard, may mean such a probe.
bool may_mean(const usdt::Start& row, std::string name) {
  if (row.names.empty()) return true;
  if (const size_t dash = name.find("__"); dash != name.npos) name.replace(dash, 2, "-");
  std::istringstream names{std::string(row.names)};
  for (std::string one; names >> one;)
    if (sonde_glob_match(name.c_str(), one.c_str()) != 0) return true;
  return false;
}

}  // namespace

std::string environment_for(std::string_view provider, std::string_view probe) {
  for (const usdt::Start& row : usdt::kStarts) {
    if (row.provider != name_alone(provider) || row.environment.empty() || !may_mean(row, std::string(probe))) continue;
    const std::string file = row.file.empty() ? "" : installed_file(row.file);
    if (row.file.empty() || !file.empty()) return std::string(row.environment) + file;
  }
  return {};
}

std::string_view why_silent(std::string_view provider, std::string_view probe) {
  for (const usdt::Start& row : usdt::kStarts)
    if (row.provider == name_alone(provider) &&
        sonde_glob_match(std::string(row.probes).c_str(), std::string(probe).c_str()) != 0)
      return row.otherwise;
  return {};
}

}  // namespace sonde
