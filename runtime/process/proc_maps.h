// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace sonde {

/// Removes the " (deleted)" that the kernel writes behind the path of a deleted file. Returns whether it was there.
bool take_deleted_mark(std::string& path);

/// A line of /proc/PID/maps.
struct MapEntry {
  uint64_t start = 0, end = 0;  ///< [start, end)
  uint64_t offset = 0;          ///< in the file, of `start`
  bool executable = false;
  bool deleted = false;  ///< the path does not lead to this file any more
  std::string path;      ///< empty: anonymous; "[stack]" and the like; without " (deleted)"

  bool is_file() const { return !path.empty() && path[0] == '/'; }
};

/// Sorted by address; malformed lines are left out.
std::vector<MapEntry> parse_proc_maps(std::string_view text);

/// Errors: ESRCH no such process, EACCES not ours.
Result<std::vector<MapEntry>> read_proc_maps(uint32_t pid);

/// Whether the program of a process is 32-bit code; false also when unknown.
bool runs_compat_program(uint32_t pid);

/// Whether its paths are not ours: it is in another mount namespace. False also when unknown, such as for one that is
/// ending.
bool has_own_root(uint32_t pid);

/// The path of its program, as in MapEntry; empty when unknown.
std::string program_path(uint32_t pid);

/// A path by which we can open the file that `pid` has mapped there: `entry.path`, unless that leads to another file
/// here, or to none. The executable of a program that was replaced after its start is opened through /proc/PID/exe, a
/// library through /proc/PID/map_files, which only root may use, and a file of another mount namespace through
/// /proc/PID/root.
std::string file_of(uint32_t pid, const MapEntry& entry);

/// "libc.so.6" of "/lib/x86_64-linux-gnu/libc.so.6"
std::string_view base_name(std::string_view path);

}  // namespace sonde
