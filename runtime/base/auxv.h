// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernel has told a program at its start. To read it waits for nobody, though the program's file may be served.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace sonde {

class Auxv {
 public:
  /// None: there is no such process, or it is not ours.
  static std::optional<Auxv> read(uint32_t pid);
  /// The value of AT_...; 0: there is none.
  uint64_t value(uint64_t type) const;
  /// Whether the program is 32-bit code.
  bool compat() const { return compat_; }

 private:
  std::vector<std::pair<uint64_t, uint64_t>> pairs_;
  bool compat_ = false;
};

}  // namespace sonde
