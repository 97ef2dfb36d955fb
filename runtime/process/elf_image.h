// SPDX-License-Identifier: GPL-3.0-or-later
// The dynamic linker's view of an ELF object: what it writes, which symbols it exports, its relocations
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace sonde {

/// A word of the object that the loader fills in before it runs.
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
  struct Part {
    uint64_t address, offset, size;
  };
  std::vector<Part> parts;                            ///< what of the file is mapped; addresses as linked
  std::vector<Range> writable;                        ///< as linked, including what is not in the file
  std::vector<ElfRelocation> relocations;             ///< by rising slot
  std::unordered_map<std::string, uint64_t> symbols;  ///< of .dynsym, defined here: functions and data

  /// Never null; empty if the object or its section headers cannot be read.
  static std::shared_ptr<const ElfImage> read(const std::string& path);

  /// Where the byte at an address is in the file; false: it is not in the file.
  bool offset_of(uint64_t address, uint64_t& offset) const;
  bool is_writable(uint64_t address) const;
  /// The relocation of the word at `slot`; null: there is none.
  const ElfRelocation* relocation(uint64_t slot) const;
};

}  // namespace sonde
