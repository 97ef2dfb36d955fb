// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/mappings.h"

#include <cstdio>

#include "kmod/shared/abi.h"

namespace sonde::guard {
namespace {

bool parse_mapping(const char* line, Mapping& out) {
  unsigned long start, end, offset, inode;
  unsigned major, minor;
  char rights[8];
  int path_at = 0;
  if (std::sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %n", &start, &end, rights, &offset, &major, &minor, &inode,
                  &path_at) < 7)
    return false;
  std::string path = line + path_at;
  while (!path.empty() && path.back() == '\n') path.pop_back();
  out = {start, end, offset, major, minor, inode, rights[2] == 'x', rights[3] == 's', std::move(path)};
  return true;
}

}  // namespace

bool is_object(const Mapping& mapping) { return mapping.inode != 0 || mapping.path == kVdsoPath; }

bool is_object_or_code(const Mapping& mapping) { return is_object(mapping) || mapping.executable; }

bool is_own_code(const Mapping& mapping) {
  const bool of_kernel =
      mapping.path == kVdsoPath || mapping.path == "[vsyscall]" || mapping.path.starts_with(kUprobesPath);
  return mapping.executable && !mapping.shared && mapping.inode == 0 && !of_kernel;
}

std::vector<Mapping> read_mappings(pid_t pid, bool (*wanted)(const Mapping&)) {
  std::vector<Mapping> found;
  FILE* file = std::fopen(("/proc/" + std::to_string(pid) + "/maps").c_str(), "re");
  char line[SONDE_PATH_MAX + 256];
  while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr) {
    Mapping mapping;
    if (parse_mapping(line, mapping) && wanted(mapping)) found.push_back(std::move(mapping));
  }
  if (file != nullptr) std::fclose(file);
  return found;
}

}  // namespace sonde::guard
