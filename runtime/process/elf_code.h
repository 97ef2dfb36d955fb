// SPDX-License-Identifier: GPL-3.0-or-later
// What an ELF object says of its code besides symbols
//
//   .eh_frame           which addresses belong together (an FDE each), and where the caller's frame is at each of them
//   .gcc_except_table   the landing pads: addresses that an exception enters a function by
//   relocations         pointers in data that the loader will write
//
// All addresses are as the object was linked. What cannot be read counts as absent: a file without .eh_frame has no frames.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.h"

namespace sonde {

class ElfCode {
 public:
  /// One FDE.
  struct Frame {
    uint64_t start = 0;
    uint32_t size = 0;
    uint32_t at = 0;  ///< of its record in .eh_frame
    uint64_t end() const { return start + size; }
  };

  /// Reads .eh_frame once. Errors: those of open(2); ENOEXEC not an ELF object.
  static Result<std::shared_ptr<ElfCode>> open(const std::string& path);
  ~ElfCode();
  ElfCode(const ElfCode&) = delete;
  ElfCode& operator=(const ElfCode&) = delete;

  /// The frame that holds `address`; null: none.
  const Frame* frame_at(uint64_t address) const;
  /// Whether the stack at `address` is as at a function's first instruction: no frame of its own is on it. True where nothing is said.
  bool stack_is_callers(uint64_t address);
  std::vector<uint64_t> landing_pads(const Frame& frame) const;

  /// Bytes of the program that no store of its own can change: of segments without write permission, and those that the
  /// loader protects when it has relocated them. False: not all of them are such, or they are not in the file.
  bool read_constant(uint64_t address, std::span<uint8_t> to) const;
  /// The same for a pointer, as the loader leaves it.
  bool read_pointer(uint64_t address, uint64_t& value);
  bool is_code(uint64_t address) const;
  std::span<const Frame> frames() const { return frames_; }
  /// Code, as the file has it, until the next call; empty: not all of it is there. Neighbours are read together.
  std::span<const uint8_t> code(uint64_t address, uint64_t size);

 private:
  struct Reader;
  struct Library;
  struct Range {
    uint64_t address, end, offset;
  };

  ElfCode();
  bool all_constant(uint64_t address, uint64_t size) const;
  void read_relocations();

  std::unique_ptr<Library> library_;
  std::vector<Frame> frames_;                               ///< by rising start
  std::vector<Range> readable_, constant_, code_;           ///< what is in the file; of the program
  std::vector<std::pair<uint64_t, uint64_t>> relocations_;  ///< address, addend; by rising address
  bool relocations_read_ = false;
  uint64_t row_start_ = 0, row_end_ = 0;  ///< of the last answer of stack_is_callers()
  bool row_callers_ = false;
  std::vector<uint8_t> window_;  ///< the last that code() read
  uint64_t window_start_ = 0;
};

}  // namespace sonde
