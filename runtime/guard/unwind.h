// SPDX-License-Identifier: GPL-3.0-or-later
// The stack of a stopped thread
//
// sonde_cfi_walk() of kmod/shared/eh_frame.h goes from frame to frame. It is done while the thread stands still, so the registers and the stack agree, and ucaller, ustackdepth and
// ustack() are one walk. We refused to copy the stack into the record for the consumer to unwind: it costs kilobytes a record, and
// the objects may be gone by then.
//
// Which object holds an address is read from /proc/PID/maps, and again when an address is in none, once for its page, or after a
// second: a process that closes one library and opens another at its place is rare.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/guard/arch.h"
#include "runtime/guard/cfi.h"
#include "runtime/guard/mappings.h"

namespace sonde::guard {

class Unwinder {
 public:
  explicit Unwinder(pid_t pid) : pid_(pid) {}

  /// Program counters, innermost first; returns how many. `at_entry`: the return address lies at the stack pointer.
  uint32_t walk(FrameRegisters registers, bool at_entry, const ReadMemory& read, uint64_t* to, uint32_t max);
  /// The mappings have changed.
  void forget() { read_ns_ = 0; }
  /// The executable mappings of files, as walks have read them; none when they are as at this process's last call. A child of
  /// vfork() shares them with its parent.
  std::vector<Mapping> take_files(pid_t pid);

 private:
  /// Device and inode; of the vdso both are 0.
  struct FileKey {
    uint32_t major = 0, minor = 0;
    uint64_t inode = 0;
    auto operator<=>(const FileKey&) const = default;
  };
  /// Executable memory, and where the ELF header of its object lies; 0: it belongs to none.
  struct Range {
    uint64_t start, end, offset, base;
    FileKey file;
    std::string path;
    std::shared_ptr<CfiTable> table;
    bool looked = false;
  };
  static std::map<FileKey, std::shared_ptr<CfiTable>>& tables();  ///< of all processes of this thread's tracer
  struct Walk;
  Range* range_of(uint64_t pc);
  static void keep(const FileKey& file, std::shared_ptr<CfiTable> table);
  CfiTable* table_of(Range& range, const ReadMemory& read);
  void read_ranges();

  pid_t pid_;
  pid_t taken_by_ = 0;    ///< who has called take_files() since
  uint64_t read_ns_ = 0;  ///< when the mappings were read; 0: they were not
  std::vector<Range> ranges_;
  std::vector<uint64_t> in_none_;  ///< pages that are in no range, as has been looked up
};

}  // namespace sonde::guard
