// SPDX-License-Identifier: GPL-3.0-or-later
// The stack of a stopped thread
//
// sonde_cfi_walk() of kmod/shared/eh_frame.h goes from frame to frame, while the thread is stopped, so registers and
// stack agree; ucaller, ustackdepth and ustack() share one walk. We refused to copy the stack into the record for the
// consumer to unwind: that costs kilobytes a record, and the objects may be gone by then.
//
// The object that contains an address is found in /proc/PID/maps. The maps are read again after a second, and for an
// address outside of all objects, but only once for each page. So a process that closes one library and opens another
// in its place may be misread for a second, which is rare.
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

  /// Stores program counters, innermost first; returns their number. `at_entry`: the return address is at the stack
  /// pointer.
  uint32_t walk(FrameRegisters registers, bool at_entry, const ReadMemory& read, uint64_t* to, uint32_t max);
  /// The mappings have changed: reads them again at the next walk.
  void forget() { read_ns_ = 0; }
  /// Returns the executable mappings of files that walks have read; none if `pid` has taken the same ones before. A child
  /// of vfork() shares them with its parent.
  std::vector<Mapping> take_files(pid_t pid);

 private:
  /// Device and inode; both are 0 for the vdso.
  struct FileKey {
    uint32_t major = 0, minor = 0;
    uint64_t inode = 0;
    auto operator<=>(const FileKey&) const = default;
  };
  /// Executable memory and the address of its object's ELF header; 0: it belongs to none.
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
  pid_t taken_by_ = 0;    ///< the last caller of take_files() since the mappings were read
  uint64_t read_ns_ = 0;  ///< when the mappings were read; 0: never
  std::vector<Range> ranges_;
  std::vector<uint64_t> in_none_;  ///< pages that turned out to be in no range
};

}  // namespace sonde::guard
