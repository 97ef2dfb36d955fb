// SPDX-License-Identifier: GPL-3.0-or-later
// Functions that the program's runtime has compiled, as a module: those in /tmp/perf-PID.map that are in the process's
// memory
//
// They come and go as the program runs. A probe is for the text that is there when the probe is made; arming it
// compares the text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/process/elf_file.h"
#include "runtime/process/jit_map.h"
#include "runtime/process/proc_maps.h"

namespace sonde::pid {

/// A function's code at the time it was read.
struct Text {
  uint32_t size = 0;  ///< number of bytes that `sum` covers; 0: the code is in a file
  uint32_t sum = 0;
};

class RunTimeCode {
 public:
  explicit RunTimeCode(uint32_t pid) : pid_(pid) {}

  /// Reads what is new in the map, and the mappings. Returns whether there are any functions.
  bool update();
  /// perf-PID.map
  const std::string& module() const { return map_->module(); }
  const std::map<uint64_t, JitFunction>& functions() const { return map_->functions(); }
  /// None: it is not in memory any more, or not executable.
  std::optional<Text> text_of(const JitFunction& function);
  /// A permanent copy; its offset is the address.
  const ElfFunction* keep(const JitFunction& function);

 private:
  uint32_t pid_;
  std::optional<JitMap> map_;
  UniqueFd memory_;
  std::vector<MapEntry> code_;  ///< executable memory without a file
  std::map<std::pair<uint64_t, std::string>, ElfFunction> kept_;
};

}  // namespace sonde::pid
