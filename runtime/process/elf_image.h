// SPDX-License-Identifier: GPL-3.0-or-later
// How the dynamic linker sees an ELF object: what it writes to, which symbols it lends, what it has to be told
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace sonde {

/// A word of the object that is filled in before it runs.
struct ElfRelocation {
  uint64_t slot;  ///< address as linked
  uint32_t type;  ///< R_<machine>_...
  int64_t addend;
  std::string symbol;  ///< without its version; empty: none
};

struct ElfImage {
  struct Range {
    uint64_t begin, end;
  };
  std::vector<Range> writable;                        ///< as linked, what is not in the file included
  std::vector<ElfRelocation> relocations;             ///< by rising slot
  std::unordered_map<std::string, uint64_t> symbols;  ///< of .dynsym, defined here: functions and data

  /// Never null; empty where the object or its section headers cannot be read.
  static std::shared_ptr<const ElfImage> read(const std::string& path);

  bool is_writable(uint64_t address) const;
  /// Of the word at `slot`; null: there is none.
  const ElfRelocation* relocation(uint64_t slot) const;
};

}  // namespace sonde
