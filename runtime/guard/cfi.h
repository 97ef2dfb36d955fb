// SPDX-License-Identifier: GPL-3.0-or-later
// The frame information of a traced process's objects
//
// kmod/shared/eh_frame.h parses it, from the memory of the process itself: so deleted files, the vdso, and programs in
// other mount namespaces work as well. This is the cache: for each object its table, and the rows that were used, by
// address. Both are relative to the object's load address, so processes share them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kmod/shared/eh_frame.h"

namespace sonde::guard {

/// Reads `length` bytes of the traced process. False unless all could be read.
using ReadMemory = std::function<bool(uint64_t address, void* to, size_t length)>;

/// Makes eh_frame.h read through a ReadMemory, which must outlive it.
struct CfiReader : sonde_cfi {
  explicit CfiReader(const ReadMemory& read);
  const ReadMemory& read;
};

/// The read callback of a sonde_cfi_env whose context is a CfiReader.
int read_cfi(void* reader, uint64_t address, void* to, uint32_t length);

/// Address, relative to the first loaded byte, and size of a section, by the section headers of a file; size 0: there is
/// none.
std::pair<uint64_t, uint64_t> section_in_file(const std::string& path, std::string_view wanted);

/// The frame information of one ELF object.
class CfiTable {
 public:
  /// For the object whose ELF header is at `base` and whose code contains `pc`; nothing if it has no readable table.
  static std::optional<CfiTable> load(uint64_t base, uint64_t pc, const ReadMemory& read);
  /// The same for an object whose linker made no .eh_frame_hdr (static programs): .eh_frame is found by the section
  /// headers, which are in the file `path` and not in memory, and the table is made here.
  static std::optional<CfiTable> load_sections(const std::string& path, uint64_t base, const ReadMemory& read);
  /// The address that the rows of the object at `base` are relative to.
  uint64_t header(uint64_t base) const { return base + header_; }
  /// The row of `pc`, an address in the object loaded at `base`; null: none. Valid until the next call.
  const sonde_cfi_row* row(uint64_t base, uint64_t pc, const ReadMemory& read);
  /// Whether the object at `base` is the one that this was read from: a deleted file's inode number may have been
  /// reused.
  bool fits(uint64_t base, const ReadMemory& read) const;
  /// Of its memory, about.
  size_t bytes() const;

 private:
  struct Entry {
    int32_t code, fde;  ///< relative to the header
  };
  /// By all that they say.
  struct RowOrder {
    bool operator()(const sonde_cfi_row& a, const sonde_cfi_row& b) const;
  };
  std::optional<sonde_cfi_row> make_row(uint64_t header, uint64_t pc, const ReadMemory& read) const;
  using Look = std::array<uint8_t, 128>;
  bool read_look(uint64_t base, const ReadMemory& read, Look& look) const;
  bool remember_look(uint64_t base, const ReadMemory& read) { return read_look(base, read, look_); }
  void add_entries(uint64_t base, uint64_t size, const ReadMemory& read);

  uint64_t header_ = 0;  ///< relative to the ELF header
  Look look_{};          ///< the ELF header, and where the frame information begins
  std::vector<Entry> table_;
  /// By address relative to the ELF header; null: it has none. Most addresses have a row that others have too.
  std::unordered_map<uint64_t, const sonde_cfi_row*> rows_;
  std::set<sonde_cfi_row, RowOrder> distinct_;
};

}  // namespace sonde::guard
