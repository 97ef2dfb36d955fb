// SPDX-License-Identifier: MIT
#include "runtime/base/path_search.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace sonde {

std::optional<std::string> search_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* folders = std::getenv("PATH");
  if (name.empty() || folders == nullptr) return std::nullopt;
  for (std::string_view rest = folders;; rest.remove_prefix(rest.find(':') + 1)) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    std::string path = (folder.empty() ? std::string(".") : std::string(folder)) + "/" + name;
    struct stat file {};
    if (stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) && access(path.c_str(), X_OK) == 0) return path;
    if (rest.find(':') == std::string_view::npos) return std::nullopt;
  }
}

std::string beside_command(const std::string& from_bin) {
  std::error_code none;
  const std::filesystem::path command = std::filesystem::read_symlink("/proc/self/exe", none);
  return (command.parent_path() / from_bin).lexically_normal();
}

}  // namespace sonde
