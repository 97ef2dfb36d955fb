// SPDX-License-Identifier: GPL-3.0-or-later
// What a target has mapped, with what /proc/PID/maps says of the file: path and inode, for a path may be another file's by now
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::guard {

/// The kernel's own object in every process. It has no file, and a copy of its own in each process that writes to it.
inline constexpr std::string_view kVdsoPath = "[vdso]";

struct Mapping {
  uint64_t start, end, offset;
  uint32_t major, minor;
  uint64_t inode;
  bool executable;
  bool shared;  ///< what is written there, others see: never touched
  std::string path;
  bool operator==(const Mapping&) const = default;
};

/// A file, or the vdso.
bool is_object(const Mapping& mapping);

/// The mappings that `wanted` accepts, by default all objects, by rising address; none when they cannot be read.
std::vector<Mapping> read_mappings(pid_t pid, bool (*wanted)(const Mapping&) = is_object);

}  // namespace sonde::guard
