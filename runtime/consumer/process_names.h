// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>

#include "runtime/format/format.h"
#include "runtime/process/kernel_symbols.h"
#include "runtime/process/symbolizer.h"

namespace sonde {

/// Resolves names by the symbolizer; remembers the processes that it was asked to note.
class ProcessNames : public SymbolNames {
 public:
  void note(uint32_t pid) { symbolizer_.note(pid); }
  void note_program(uint32_t pid, Nanoseconds time) { symbolizer_.note_exec(pid, time); }
  void catch_up_by(std::function<void()> way) { symbolizer_.catch_up = std::move(way); }
  void note_mapping(uint32_t pid, Nanoseconds time, MapEntry entry, bool ends, UniqueFd file) {
    symbolizer_.note_mapping(pid, time, std::move(entry), ends, std::move(file));
  }
  void complain_by(std::function<void(const std::string&)> way) { symbolizer_.complain_by(std::move(way)); }
  uint32_t space(uint32_t pid, Nanoseconds time, std::span<const uint64_t> addresses) override {
    return symbolizer_.space(pid, time, addresses);
  }
  std::vector<LackingStack> take_lacking(uint32_t pid, Nanoseconds time, std::span<const uint64_t> frames,
                                         uint32_t flags) {
    return symbolizer_.take_lacking(pid, time, frames, flags);
  }
  std::string program_at(uint32_t pid, Nanoseconds time) { return symbolizer_.program_at(pid, time); }
  uint32_t space_now(uint32_t pid, std::span<const uint64_t> addresses) {
    return symbolizer_.space_now(pid, addresses);
  }
  /// How many processes and spaces are remembered.
  size_t remembered() const { return symbolizer_.processes() + symbolizer_.spaces(); }
  void forget_ended(const std::unordered_set<uint32_t>& used);
  std::string name(uint32_t space, uint64_t address, SymbolValue::Kind kind) override;
  SymbolPlace place(uint32_t space, uint64_t address, SymbolValue::Kind kind) override;
  uint64_t canonical(uint32_t space, uint64_t address, SymbolValue::Kind kind) override;
  bool ends_signal_handler(uint32_t space, uint64_t address) override;

 private:
  std::string kernel_name(uint64_t address, SymbolValue::Kind kind);
  uint64_t first_of(uint32_t space, const std::string& module, uint64_t address);

  Symbolizer symbolizer_;
  KernelSymbols kernel_;
  std::map<std::pair<uint32_t, std::string>, uint64_t> modules_;  // one address of each module
};

}  // namespace sonde
