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

/// A file, as /proc/PID/maps shows it. The device may differ from that of stat(): btrfs has several.
struct FileId {
  uint32_t major = 0, minor = 0;
  uint64_t inode = 0;  ///< 0: none, or not known
  auto operator<=>(const FileId&) const = default;
};

/// A line of /proc/PID/maps.
struct MapEntry {
  uint64_t start = 0, end = 0;  ///< [start, end)
  uint64_t offset = 0;          ///< in the file, of `start`
  bool executable = false;
  bool deleted = false;  ///< the path does not lead to this file any more
  std::string path;      ///< empty: anonymous; "[stack]" and the like; without " (deleted)"
  FileId file = {};
  bool writable = false;
  bool shared = false;  ///< writes to it reach the file, and others

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

/// The number that /proc/PID/maps has for a file, found by mapping it here; none if it cannot be mapped. That of stat()
/// differs on btrfs and overlayfs.
FileId shown_number(const std::string& path);

/// Whether `path` leads to the file with that number, or to our copy of it (served_files.h).
bool leads_to(const std::string& path, const FileId& file);

/// A path by which we can open the file that `pid` has mapped there, and no other: `entry.path`; the same below
/// /proc/PID/root, for another mount namespace; /proc/PID/exe, for a program that was replaced after its start;
/// /proc/PID/map_files, which only root may use. Errors: ESTALE, none of these leads there; the message says why.
/// What is no file, such as the vdso, has its `entry.path`. It may be the path of a copy, with more errors: copy_of_served().
Result<std::string> file_of(uint32_t pid, const MapEntry& entry);
/// The file itself, even if to look for it may take for ever.
Result<std::string> find_file(uint32_t pid, const MapEntry& entry);
/// The same as file_of() for who opens it later: on an error the path in /proc/PID/map_files, whose own error is then seen.
/// Empty: to open the file may take for ever.
std::string path_to_open(uint32_t pid, const MapEntry& entry);

/// "libc.so.6" of "/lib/x86_64-linux-gnu/libc.so.6"
std::string_view base_name(std::string_view path);

}  // namespace sonde
