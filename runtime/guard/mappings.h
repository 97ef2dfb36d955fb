// SPDX-License-Identifier: GPL-3.0-or-later
// A target's mappings, with path and inode from /proc/PID/maps, because the path may name another file by now
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "runtime/base/unique_fd.h"

namespace sonde::guard {

/// The kernel's own object in every process. It has no file; a process that writes to it gets a private copy.
inline constexpr std::string_view kVdsoPath = "[vdso]";

/// The kernel's pages for the uprobes of a process begin with this name. They appear with the first that is hit.
inline constexpr std::string_view kUprobesPath = "[uprobes";

struct Mapping {
  uint64_t start, end, offset;
  uint32_t major, minor;
  uint64_t inode;
  bool executable;
  bool writable;
  bool shared;  ///< writes to it would reach others, so we never write
  std::string path;
  /// A program may make its text writable for a while: that is the same mapping.
  bool operator==(const Mapping& other) const {
    return std::tie(start, end, offset, major, minor, inode, executable, shared, path) ==
           std::tie(other.start, other.end, other.offset, other.major, other.minor, other.inode, other.executable,
                    other.shared, other.path);
  }
};

/// Whether it maps a file or the vdso.
bool is_object(const Mapping& mapping);
bool is_object_or_code(const Mapping& mapping);
/// Whether it is private, and has code that is no object's.
bool is_own_code(const Mapping& mapping);

/// The mappings that `wanted` accepts (by default all objects), sorted by address; empty when they cannot be read.
std::vector<Mapping> read_mappings(pid_t pid, bool (*wanted)(const Mapping&) = is_object);
/// The same from an open /proc/PID/maps. It stays bound to the memory it was opened on, and readable if the process
/// makes itself undumpable.
std::vector<Mapping> read_mappings_of(const UniqueFd& maps, bool (*wanted)(const Mapping&));
UniqueFd open_mappings(pid_t pid);

}  // namespace sonde::guard
