// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/framework/mappings.h"

#include <dirent.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "runtime/process/program_file.h"

namespace sonde {

std::optional<sonde_mapping> to_mapping(const MapEntry& entry, const std::string& file, const std::string& program) {
  sonde_mapping mapping{.start = entry.start,
                        .end = entry.end,
                        .offset = entry.offset,
                        .path = {},
                        .file = {},
                        .major = entry.file.major,
                        .minor = entry.file.minor,
                        .inode = entry.file.inode,
                        .program = entry.path == program,
                        .reserved = 0};
  if (entry.path.size() >= sizeof mapping.path || file.size() >= sizeof mapping.file) return std::nullopt;
  std::memcpy(mapping.path, entry.path.c_str(), entry.path.size() + 1);
  std::memcpy(mapping.file, file.c_str(), file.size() + 1);
  return mapping;
}

int visit_mappings(uint32_t pid, const VisitMapping& visit) {
  auto maps = read_proc_maps(pid);
  if (!maps) return maps.error().code() != 0 ? maps.error().code() : EINVAL;
  const std::string program = program_path(pid);
  for (const MapEntry& entry : *maps) {
    if (!entry.executable || !entry.is_file()) continue;
    if (const auto mapping = to_mapping(entry, path_to_open(pid, entry), program)) visit(*mapping);
  }
  return 0;
}

void visit_files_of_machine(const VisitMapping& visit) {
  std::set<std::pair<FileId, bool>> seen;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    const auto pid = static_cast<uint32_t>(std::strtoul(entry->d_name, nullptr, 10));
    const auto maps = pid != 0 ? read_proc_maps(pid) : Result<std::vector<MapEntry>>(std::vector<MapEntry>());
    const std::string program = maps && !maps->empty() ? program_path(pid) : "";
    for (const MapEntry& one : maps ? *maps : std::vector<MapEntry>()) {
      if (!one.executable || !one.is_file() || !seen.emplace(one.file, one.path == program).second) continue;
      if (const auto mapping = to_mapping(one, path_to_open(pid, one), program)) visit(*mapping);
    }
  }
}

}  // namespace sonde
