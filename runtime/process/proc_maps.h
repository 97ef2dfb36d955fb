// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace sonde {

/// Takes off what the kernel writes behind the path of a file that has none any more. Whether it was there.
bool take_deleted_mark(std::string& path);

/// A line of /proc/PID/maps.
struct MapEntry {
  uint64_t start = 0, end = 0;  ///< [start, end)
  uint64_t offset = 0;          ///< in the file, of `start`
  bool executable = false;
  bool deleted = false;  ///< no file of that path is this one any more
  std::string path;      ///< empty: anonymous; "[stack]" and the like; without " (deleted)"

  bool is_file() const { return !path.empty() && path[0] == '/'; }
};

/// By rising address; lines that cannot be read are left out.
std::vector<MapEntry> parse_proc_maps(std::string_view text);

/// Errors: ESRCH no such process, EACCES not ours.
Result<std::vector<MapEntry>> read_proc_maps(uint32_t pid);

/// Whether the program of a process is for 32-bit code; false also when it cannot be told.
bool runs_compat_program(uint32_t pid);

/// Whether its paths are not ours: it lives in another mount namespace. False also when it cannot be told, as of one that is ending.
bool has_own_root(uint32_t pid);

/// The path of its program, as in MapEntry; empty when it cannot be told.
std::string program_path(uint32_t pid);

/// A path by which we can open the file that `pid` has mapped there: `entry.path`, unless that names another file here, or none. The
/// file of a program that was replaced since it started is reached through /proc/PID/exe, that of a library through
/// /proc/PID/map_files, which only root may use; the files of another mount namespace through /proc/PID/root.
std::string file_of(uint32_t pid, const MapEntry& entry);

/// "libc.so.6" of "/lib/x86_64-linux-gnu/libc.so.6"
std::string_view base_name(std::string_view path);

}  // namespace sonde
