// SPDX-License-Identifier: GPL-3.0-or-later
// The stack of a stopped thread
//
// sonde_cfi_walk() of kmod/shared/eh_frame.h goes from frame to frame, while the thread is stopped, so registers and
// stack agree; ucaller, ustackdepth and ustack() share one walk. Where the thread
// cannot be stopped, its stack was copied (perf_clock.h, runtime/source/copied_stacks.h). Where it can, we refused that: it
// costs kilobytes a record, and the objects may be gone by then.
//
// The object that contains an address is found in /proc/PID/maps. The maps are read again after a second; for an
// address outside of all objects, but only once for each page; and if an object on the stack does not begin with the
// bytes that it began with before, its build id among them: then the process has closed one library and opened another
// in its place. The consumer gets the mappings before the record, to name the addresses by what was there.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/guard/arch.h"
#include "runtime/guard/cfi.h"
#include "runtime/guard/go_table.h"
#include "runtime/guard/mappings.h"
#include "runtime/process/lacking.h"

namespace sonde::guard {

class Unwinder {
 public:
  explicit Unwinder(pid_t pid) : pid_(pid) {}
  /// Of a forked child: what is known of its parent holds until its own mappings can be read. It runs the same program, so
  /// what that lacks is not told again.
  Unwinder(pid_t pid, const Unwinder& parent) : pid_(pid), ranges_(parent.ranges_), known_lacks_(parent.known_lacks_) {}

  /// Opens the mappings, to read them later even if the process makes itself undumpable. False: it cannot, or many are
  /// open already.
  bool open();

  /// Stores program counters, innermost first; returns their number. `at_entry`: the return address is at the stack
  /// pointer.
  uint32_t walk(FrameRegisters registers, bool at_entry, const ReadMemory& read, uint64_t* to, uint32_t max);
  /// These are the process's objects, sorted by address, and its mappings are read no more: it has ended, or runs another
  /// program.
  void assume(std::vector<Mapping> objects);
  /// The mappings have changed: reads them again at the next walk.
  void forget() { read_ns_ = 0; }
  /// A walk could not read some pages. What it read may be cut where they begin, so it is read again at the next walk.
  void forget_failures();
  /// What the stacks walked since the last call lack, if it has not been returned before. Not `whole`: the walk could
  /// not read some pages, so nothing is known.
  std::vector<LackingStack> take_lacking(bool whole);
  /// The same of the last walk alone, for whoever finds the reason elsewhere: enum sonde_stack_flags.
  uint32_t lacks() const { return lacks_; }
  /// The stack pointer of the frame at which the last walk ended.
  uint64_t reached() const { return reached_; }
  /// Returns the executable mappings that walks have read, except those that `pid` has taken before. A child of vfork()
  /// shares them with its parent.
  std::vector<Mapping> take_files(pid_t pid);

 private:
  /// Device and inode; both are 0 for the vdso.
  struct FileKey {
    uint32_t major = 0, minor = 0;
    uint64_t inode = 0;
    auto operator<=>(const FileKey&) const = default;
  };
  /// Go's table of an object, and the rows that were used, by address relative to its ELF header.
  struct GoRows {
    GoTable table;
    std::unordered_map<uint64_t, std::optional<sonde_cfi_row>> rows;
  };
  /// Executable memory and the address of its object's ELF header; 0: it belongs to none.
  struct Range {
    uint64_t start, end, offset, base;
    FileKey file;
    std::string path;
    std::shared_ptr<CfiTable> table;
    bool compiled = false;  ///< it has code that was made at run time
    bool looked = false;
    std::optional<bool> bare;  ///< whether its file has no frame information, if that was asked
    std::shared_ptr<GoRows> go;
    bool looked_for_go = false;
    uint64_t beginning = 0;  ///< checksum of the object's first bytes; 0: not read yet
    uint64_t checked = 0;    ///< the last walk that compared it

    /// Takes over what was found when the mappings were read before.
    void keep_from(const Range& old);
  };
  static std::map<FileKey, std::shared_ptr<CfiTable>>& tables();  ///< of all processes of this thread's tracer
  struct Walk;
  Range* range_of(uint64_t pc, const ReadMemory& memory);
  Range* find(uint64_t pc);
  bool unchanged(Range& range, const ReadMemory& memory);
  static void keep(const FileKey& file, std::shared_ptr<CfiTable> table);
  CfiTable* table_of(Range& range, const ReadMemory& read);
  const sonde_cfi_row* go_row(Range& range, uint64_t pc, const ReadMemory& read);
  std::string file_of(const Range& range) const;
  void read_ranges();
  void set_ranges(std::vector<Mapping> mappings);
  uint32_t flags_of(const Walk& walk, std::span<const uint64_t> frames, bool ended);
  void note_lacking(const Walk& walk, const uint64_t* to, uint32_t count, bool ended);
  void note_lacking(Lack lack, const Range& range);
  bool knows(Lack lack) const { return (known_lacks_ & bit_of(lack)) != 0; }
  static bool is_start(const Range& range, uint64_t pc, const ReadMemory& memory);

  pid_t pid_;
  UniqueFd maps_;
  uint64_t walks_ = 0;
  pid_t taken_by_ = 0;                 ///< the last caller of take_files()
  bool news_ = false;                  ///< the mappings were read since
  std::vector<Mapping> taken_;         ///< what it got
  bool assumed_ = false;               ///< the mappings are those of assume()
  uint64_t read_ns_ = 0;               ///< when the mappings were read; 0: never
  std::vector<Range> ranges_;          ///< by address
  std::vector<uint64_t> in_none_;      ///< pages that turned out to be in no range
  std::vector<LackingStack> lacking_;  ///< not taken yet
  uint32_t known_lacks_ = 0;           ///< a bit for each Lack that is settled
  uint32_t lacks_ = 0;
  uint64_t reached_ = 0;
};

}  // namespace sonde::guard
