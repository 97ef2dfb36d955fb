// SPDX-License-Identifier: GPL-3.0-or-later
// What an ELF object has about its code besides symbols
//
//   .eh_frame           which addresses belong together (an FDE each), and where the caller's frame is at each of them
//   .gcc_except_table   the landing pads: the addresses at which an exception enters a function
//   relocations         pointers in data that the loader will write
//
// All addresses are as linked. What cannot be read counts as absent: a file without .eh_frame has no frames.
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
    uint32_t at = 0;  ///< offset of its record in .eh_frame
    uint64_t end() const { return start + size; }
  };

  /// Opens the object and reads .eh_frame. Errors: those of open(2); ENOEXEC not an ELF object.
  static Result<std::shared_ptr<ElfCode>> open(const std::string& path);
  ~ElfCode();
  ElfCode(const ElfCode&) = delete;
  ElfCode& operator=(const ElfCode&) = delete;

  /// The frame that contains `address`; null: none.
  const Frame* frame_at(uint64_t address) const;
  /// Whether the stack at `address` is as at a function's first instruction: without a frame of its own. True if
  /// nothing is known.
  bool stack_is_callers(uint64_t address);
  std::vector<uint64_t> landing_pads(const Frame& frame) const;

  /// Reads bytes that the program cannot change by its own stores: from segments without write permission, or that the
  /// loader protects after relocation. False: some of them are not such, or not in the file.
  bool read_constant(uint64_t address, std::span<uint8_t> to) const;
  /// The same for a pointer; returns the value that the loader writes.
  bool read_pointer(uint64_t address, uint64_t& value);
  bool is_code(uint64_t address) const;
  std::span<const Frame> frames() const { return frames_; }
  /// Code from the file, valid until the next call; empty: some of it is not there. Reads ahead.
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
  std::vector<Range> readable_, constant_, code_;           ///< in the file; never written; executable
  std::vector<std::pair<uint64_t, uint64_t>> relocations_;  ///< address, addend; by rising address
  bool relocations_read_ = false;
  uint64_t row_start_ = 0, row_end_ = 0;  ///< for which stack_is_callers() has its last answer
  bool row_callers_ = false;
  std::vector<uint8_t> window_;  ///< what code() read last
  uint64_t window_start_ = 0;
};

}  // namespace sonde
