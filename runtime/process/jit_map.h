// SPDX-License-Identifier: GPL-3.0-or-later
// Functions that a program's runtime compiles while it runs
//
// Language runtimes list them for profilers in /tmp/perf-PID.map, a line each: address and size in hex, then the name.
// The file belongs to the process: it is in its file system, under its number there, written by its user. It grows
// while the process runs, and is read as it grows. It stays open, so that it can be read after the process and its file
// system have gone.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/base/unique_fd.h"

namespace sonde {

struct JitFunction {
  uint64_t address = 0, size = 0;
  std::string name;
};

/// The place of a process's map; found while the process lives, valid after its end.
struct JitMapPlace {
  std::string name;                ///< perf-PID.map, with the process's number in its own namespace
  uid_t owner = 0;                 ///< who may have written it, besides root
  std::shared_ptr<UniqueFd> root;  ///< the root of the process; null: ours

  /// None: there is no such process.
  static std::optional<JitMapPlace> of(uint32_t pid, bool own_root);
};

/// A checksum of code, to check whether it has changed.
uint32_t sum_of_text(std::span<const uint8_t> bytes);

class JitMap {
 public:
  explicit JitMap(JitMapPlace place) : place_(std::move(place)) {}

  /// The functions' module: the name of the file.
  const std::string& module() const { return place_.name; }
  /// Reads what has been written since the last call. Returns whether there was anything; false if there is no file, or
  /// it is another user's.
  bool update();
  /// Adds the whole lines of `text`; returns their length. Malformed lines are left out. Of two functions that overlap
  /// the later one counts, because code is replaced.
  size_t add(std::string_view text);
  const JitFunction* at(uint64_t address) const;
  /// Sorted by address, without overlaps.
  const std::map<uint64_t, JitFunction>& functions() const { return functions_; }

 private:
  bool open_file();

  JitMapPlace place_;
  UniqueFd file_;
  off_t read_ = 0;       ///< bytes read so far
  bool no_map_ = false;  ///< it is not a map: it has endless lines
  std::map<uint64_t, JitFunction> functions_;
};

}  // namespace sonde
