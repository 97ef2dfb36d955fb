// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel's names: /proc/kallsyms
//
// Read once, at the first use. The kernel shows 0 for every address to users who may not see addresses; then there are
// no names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/process/symbolizer.h"

namespace sonde {

/// Whether the address is in the upper half of all addresses.
constexpr bool is_kernel_address(uint64_t address) { return static_cast<int64_t>(address) < 0; }

class KernelSymbols {
 public:
  explicit KernelSymbols(std::string path = "/proc/kallsyms") : path_(std::move(path)) {}

  /// The module is "vmlinux" for the kernel itself. If the function is unknown, the module is unknown, too.
  ResolvedSymbol resolve(uint64_t address);

 private:
  struct Symbol {
    uint64_t address;
    uint32_t name, module;  ///< offsets in text_
    bool second;            ///< not preferred if others are at the same address
  };
  void read();
  const Symbol* at(uint64_t address) const;
  std::string_view text(uint32_t offset) const { return text_.c_str() + offset; }

  std::string path_;
  std::string text_;
  std::vector<Symbol> symbols_;  ///< sorted by address; of those at one address the preferred one comes first
  bool read_ = false;
};

}  // namespace sonde
