// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/namespaces.h"

#include <sys/stat.h>

#include <charconv>

namespace sonde {

uint64_t innermost_pid(std::string_view status) {
  constexpr std::string_view kLine = "\nNStgid:";
  const size_t at = status.find(kLine);
  if (at == std::string_view::npos) return 0;
  std::string_view line = status.substr(at + kLine.size());
  line = line.substr(0, line.find('\n'));
  const size_t last = line.find_last_of(" \t");  // the outermost namespace comes first
  if (last != std::string_view::npos) line.remove_prefix(last + 1);
  uint64_t pid = 0;
  std::from_chars(line.data(), line.data() + line.size(), pid);
  return pid;
}

uint64_t inode_of(const std::string& path) {
  struct stat file {};
  return stat(path.c_str(), &file) == 0 ? file.st_ino : 0;
}

}  // namespace sonde
