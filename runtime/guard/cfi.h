// SPDX-License-Identifier: GPL-3.0-or-later
// Call frame information: from a function's frame to its caller's, without frame pointers
//
// Code built with optimisation keeps no chain of frame pointers. What the compiler leaves instead is
// .eh_frame: for each address of code, where the caller's registers lie. The linker adds .eh_frame_hdr, a sorted table that finds the
// entry of an address by bisection. Both are part of the loaded program, so they are read from the memory of the
// traced process itself: that serves deleted files, the vdso, and programs in other mount namespaces as well.
//
//   pc ─► .eh_frame_hdr (bisect) ─► FDE, its CIE ─► run both up to pc ─► row: CFA and where each register was saved
//
// Nothing here trusts what it reads: every read is bounded, every program of instructions ends with its bytes, and what makes no
// sense has no row. Rows are kept by address; addresses are relative to where the object is loaded, so that processes share them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/guard/arch.h"

namespace sonde::guard {

/// All of `length` bytes of the traced process, or false.
using ReadMemory = std::function<bool(uint64_t address, void* to, size_t length)>;

/// Where one register of the caller is to be found.
struct CfiRule {
  enum class Kind : uint8_t { Same, Undefined, Offset, ValueOffset, Register, Expression, ValueExpression };
  Kind kind = Kind::Same;
  int64_t offset = 0;               ///< from the CFA; number of a Register
  std::vector<uint8_t> expression;  ///< of DW_OP_*
};

/// What holds at one address of code.
struct CfiRow {
  uint32_t cfa_register = 0;
  int64_t cfa_offset = 0;
  std::vector<uint8_t> cfa_expression;  ///< when not empty, instead of register and offset
  std::array<CfiRule, kFrameRegisters> registers;
  uint32_t return_register = kFramePc;
  bool signal_frame = false;  ///< the caller was interrupted, it did not call
};

/// The frame information of one ELF object, as it lies in memory.
class CfiTable {
 public:
  /// Of the object whose ELF header lies at `base`; nothing when it has none that can be read.
  static std::optional<CfiTable> load(uint64_t base, const ReadMemory& read);
  /// The same for an object whose linker made no .eh_frame_hdr (static programs): its section headers, which are in the file `path` and
  /// not in memory, say where .eh_frame lies, and the table is made here.
  static std::optional<CfiTable> load_sections(const std::string& path, uint64_t base, const ReadMemory& read);
  /// The row of `pc`, an address in the object loaded at `base`; null: none. It lives until the next call.
  const CfiRow* row(uint64_t base, uint64_t pc, const ReadMemory& read);
  /// Whether the object at `base` is the one it was read from: the number of a deleted file may be another's by now.
  bool fits(uint64_t base, const ReadMemory& read) const;
  size_t bytes() const { return table_.size() * sizeof(Entry); }

 private:
  struct Entry {
    int32_t code, fde;  ///< relative to the header
  };
  struct Common;
  std::optional<CfiRow> make_row(uint64_t header, uint64_t pc, const ReadMemory& read) const;
  using Look = std::array<uint8_t, 128>;
  bool read_look(uint64_t base, const ReadMemory& read, Look& look) const;
  bool remember_look(uint64_t base, const ReadMemory& read) { return read_look(base, read, look_); }
  void add_entries(uint64_t base, uint64_t size, const ReadMemory& read);
  static bool read_common(uint64_t address, const ReadMemory& read, std::vector<uint8_t>& bytes, Common& common);

  uint64_t header_ = 0;  ///< relative to the ELF header
  Look look_{};          ///< the ELF header, and where the frame information begins
  std::vector<Entry> table_;
  std::unordered_map<uint64_t, std::optional<CfiRow>> rows_;  ///< by address relative to the ELF header
};

/// Turns the registers of a frame into those of its caller. False: there is none, or it cannot be found.
bool apply_row(const CfiRow& row, FrameRegisters& registers, const ReadMemory& read);

}  // namespace sonde::guard
