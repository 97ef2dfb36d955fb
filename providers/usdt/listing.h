// SPDX-License-Identifier: GPL-3.0-or-later
// Files with notes, each read once, and the processes that have mapped some
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "runtime/process/usdt_notes.h"

namespace sonde::usdt {

struct File {
  std::string path;      ///< opens it here (sonde_mapping::file)
  std::string mapped;    ///< as processes have it
  bool program = false;  ///< of the process that had it first
  std::vector<UsdtSite> sites;
};

class Files {
 public:
  /// The files with notes that `pid` has mapped as code; 0: those of all traced processes. They live as long as this.
  std::vector<const File*> of(uint32_t pid);
  /// The same of a process that need not be traced. A file that is known is not looked up again: a list of the machine's
  /// processes meets each library a hundred times.
  std::vector<const File*> of_any(uint32_t pid);
  /// The file that a path leads to here, whether or not a process has mapped it; null: it has no notes.
  const File* at(const std::string& path);
  /// Those that a process may map later: programs of PATH whose names begin with `name`, and libraries with lib before it.
  std::vector<const File*> installed(std::string_view name);

 private:
  /// Device, inode and path; size and time of a change, ns, because a file may be written again: 0 where nobody looked.
  using Number = std::tuple<uint32_t, uint32_t, uint64_t, std::string, int64_t, int64_t>;
  std::map<Number, File> files_;
};

/// Why nobody knows which probes the file has; empty: it can be read, or is not there.
std::string why_unreadable(const std::string& path, const std::string& shown);

/// The processes of this machine, by rising numbers.
std::vector<uint32_t> all_processes();

}  // namespace sonde::usdt
