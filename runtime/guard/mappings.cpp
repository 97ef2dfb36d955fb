// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/mappings.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "kmod/shared/abi.h"
#include "runtime/base/procfs.h"

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
  out = {start,          end, offset, major, minor, inode, rights[2] == 'x', rights[1] == 'w', rights[3] == 's',
         std::move(path)};
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

UniqueFd open_mappings(pid_t pid) { return UniqueFd(open((proc_folder(pid) + "/maps").c_str(), O_RDONLY | O_CLOEXEC)); }

std::vector<Mapping> read_mappings_of(const UniqueFd& maps, bool (*wanted)(const Mapping&)) {
  std::string text;
  for (char chunk[16384];;) {
    const ssize_t got = pread(maps.get(), chunk, sizeof chunk, static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(chunk, static_cast<size_t>(got));
  }
  std::vector<Mapping> found;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    Mapping mapping;
    if (parse_mapping(text.substr(at, end - at).c_str(), mapping) && wanted(mapping))
      found.push_back(std::move(mapping));
    at = end + 1;
  }
  return found;
}

std::vector<Mapping> read_mappings(pid_t pid, bool (*wanted)(const Mapping&)) {
  return read_mappings_of(open_mappings(pid), wanted);
}

}  // namespace sonde::guard
