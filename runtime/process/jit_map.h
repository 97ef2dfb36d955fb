// SPDX-License-Identifier: GPL-3.0-or-later
// Functions that a program's runtime has compiled while it runs
//
// Language runtimes tell profilers of them in /tmp/perf-PID.map, a line each: address and size in hex, then the name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

struct JitFunction {
  uint64_t address, size;
  std::string name;
};

class JitMap {
 public:
  /// Null: the process has none, somebody else wrote it, or it is what `old` was read from, unchanged.
  static std::shared_ptr<const JitMap> read(uint32_t pid, const JitMap* old);
  /// Lines that make no sense are left out; of two that overlap the later one counts, for code is replaced.
  static JitMap parse(std::string_view text);
  const JitFunction* at(uint64_t address) const;

 private:
  std::vector<JitFunction> functions_;  ///< by rising address, none overlaps the next
  uint64_t file_size_ = 0;
};

}  // namespace sonde
