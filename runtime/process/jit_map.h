// SPDX-License-Identifier: GPL-3.0-or-later
// Functions that a program's runtime has compiled while it runs
//
// Language runtimes tell profilers of them in /tmp/perf-PID.map, a line each: address and size in hex, then the name. The file is the
// process's: in its file system, under its number there, written by its user. It grows while the process runs, and is read as it
// grows. It stays open, so that it can be read when the process, and its file system, have gone.
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

/// Where a process has its map; found out while it lives, good for longer.
struct JitMapPlace {
  std::string name;                ///< perf-PID.map, by the process's number in its own namespace
  uid_t owner = 0;                 ///< who may write it, besides root
  std::shared_ptr<UniqueFd> root;  ///< of the process; null: ours

  /// None: there is no such process.
  static std::optional<JitMapPlace> of(uint32_t pid, bool own_root);
};

/// Of code, to tell whether it is still the same.
uint32_t sum_of_text(std::span<const uint8_t> bytes);

class JitMap {
 public:
  explicit JitMap(JitMapPlace place) : place_(std::move(place)) {}

  /// The module of the functions: the name of the file.
  const std::string& module() const { return place_.name; }
  /// Reads what was written since. Whether there was anything; not where there is no such file, or another user's.
  bool update();
  /// Whole lines of `text`; returns the bytes that they take. Lines that make no sense are left out; of two that overlap the later
  /// one counts, for code is replaced.
  size_t add(std::string_view text);
  const JitFunction* at(uint64_t address) const;
  /// By rising address; none overlaps the next.
  const std::map<uint64_t, JitFunction>& functions() const { return functions_; }

 private:
  bool open_file();

  JitMapPlace place_;
  UniqueFd file_;
  off_t read_ = 0;       ///< bytes
  bool no_map_ = false;  ///< it has lines without an end
  std::map<uint64_t, JitFunction> functions_;
};

}  // namespace sonde
