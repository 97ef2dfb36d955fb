// SPDX-License-Identifier: GPL-3.0-or-later
// From an address in a process at a time to "module`function+0xoff"
//
//   pid, time --> Layouts: the layout of that time --> mapping --> MappedFiles: its object --> function
//      |                                                  ^
//      `-- facts: the source's events, /proc/PID/maps ----'
//
// Facts are kept when a process has ended or runs another program, so that its addresses still resolve, for instance in
// stacks that END prints. If no fact explains an address of the process's last layout, its mappings are read again,
// once for each page: a program that compiles code has very many addresses in few pages.
//
// Addresses outside of all files: those in the vdso have its symbols; those in code that a runtime has compiled have
// the names that the runtime writes to /tmp/perf-PID.map; those in text that the program has moved to memory of its own
// have the names of the file whose other mappings are around it. C++ names are shown as in the source.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/process/lacking.h"
#include "runtime/process/layouts.h"
#include "runtime/process/mapped_files.h"

namespace sonde {

/// Context: one thread.
class Symbolizer {
 public:
  /// Reads the mappings that `pid` has now; keeps what is known if it has ended.
  void note(uint32_t pid);
  /// At `time`, `pid` had this executable mapping. `ends`: it ended then, or was about to run another program.
  /// `file`: a descriptor of the file, from who knows.
  void note_mapping(uint32_t pid, Nanoseconds time, MapEntry entry, bool ends, UniqueFd file = UniqueFd());
  /// At `time`, `pid` replaced its program: what was mapped before has ended.
  void note_exec(uint32_t pid, Nanoseconds time);

  /// Called for an address that neither a fact nor the process explains: events for note_mapping() may not have been
  /// read yet.
  std::function<void()> catch_up;
  /// Is told, once for each, why the functions of a file have no names.
  void complain_by(std::function<void(const std::string&)> way) { files_.complain = std::move(way); }

  /// The number of a process's layout at the time of a record, for the functions below; that of the first layout in which
  /// `addresses` mean the same. 0 for pid 0. Records come in the order of time.
  uint32_t space(uint32_t pid, Nanoseconds time, std::span<const uint64_t> addresses = {});
  /// The same for addresses that the process has now, though older records may come.
  uint32_t space_now(uint32_t pid, std::span<const uint64_t> addresses);

  /// How many are remembered.
  size_t processes() const { return processes_.size(); }
  size_t spaces() const { return spaces_.size(); }
  size_t files() const { return files_.size(); }
  /// Forgets what no key needs any more: `used` are the spaces that keys name.
  ///
  ///   a process   that has ended, and about which nobody has asked and nothing was noted since the call before the last;
  ///               not if a used space is of it
  ///   a space     whose layout is over, or whose process is forgotten
  ///   a file      that is mapped in no layout that is left
  ///
  /// Returns the spaces that are no more.
  std::unordered_set<uint32_t> forget_ended(const std::unordered_set<uint32_t>& used);

  ResolvedSymbol resolve(uint32_t space, uint64_t address);

  /// What a user stack of `pid` lacks, each kind once for a program. `flags`: of its record, as who walked the stack has
  /// set them: SONDE_RECORD_STACK_...
  std::vector<LackingStack> take_lacking(uint32_t pid, Nanoseconds time, std::span<const uint64_t> frames,
                                         uint32_t flags);
  /// The name of the program that it ran at that time; empty: unknown.
  std::string program_at(uint32_t pid, Nanoseconds time);

  /// As ustack() and uaddr() print it: "libc.so.6`malloc+0x1f"; "libc.so.6`malloc" at its first byte; "ls`+0x60b1"
  /// without a function, as linked, so that runs can be compared; "gone.so`0x7f..." if the object cannot be read;
  /// "0x7f..." without a module.
  std::string symbol_text(uint32_t space, uint64_t address);
  /// For an address that a call returns to: named by the function that contains the call.
  std::string return_text(uint32_t space, uint64_t address);
  /// ufunc(): the same without the offset.
  std::string function_text(uint32_t space, uint64_t address);
  /// umod(): "libc.so.6", or "0x7f..." when unknown.
  std::string module_text(uint32_t space, uint64_t address);

 private:
  struct Process {
    uint32_t pid = 0;
    Layouts layouts;
    std::optional<Nanoseconds> ended;  ///< the time of the mappings with which it ends, until there is other news
    uint64_t asked = 0;                ///< the round in which it was last asked for
  };
  /// What a number means.
  struct Space {
    Process* process;
    std::shared_ptr<Layout> layout;
  };
  Process& process_of(uint32_t pid);
  uint32_t number_of(Process& process, const std::shared_ptr<Layout>& layout);
  std::unordered_set<const Process*> ended_without(const std::unordered_set<uint32_t>& used) const;
  void forget_files();
  void add(Process& process, Nanoseconds time, const MapEntry& entry, UniqueFd file = UniqueFd());
  std::shared_ptr<const ElfFile> object_of(const Process& process, const MapEntry& entry);
  void find_jit(Process& process, bool own_root);
  void look_up_jit(const Space& space, ResolvedSymbol& symbol);
  const SeenEntry* mapping_of(const Space& space, uint64_t address);
  ToldLacks& told_of(const Process& process, const Layout& layout);
  bool lacks_table(uint32_t pid, const MapEntry& entry, uint64_t address);
  ResolvedSymbol look_up(const Space& space, uint64_t address);

  std::unordered_map<uint32_t, std::unique_ptr<Process>> processes_;
  Process* last_ = nullptr;  ///< process_of() was asked for
  uint64_t round_ = 0;       ///< of forget_ended()
  uint32_t last_space_ = 0;
  std::unordered_map<uint32_t, Space> spaces_;  ///< by number, which is never given again
  MappedFiles files_;
  ElfCache own_;  ///< the vdso
  /// Whether the code of a file lacks frame information, but for the program's first bytes; by the file.
  struct BareFile {
    bool bare = false;
    uint64_t start = 0;  ///< where the program begins, in the file
  };
  std::map<FileId, BareFile> bare_;
  std::vector<std::weak_ptr<UniqueFd>> kept_;  ///< roots that are kept open
};

}  // namespace sonde
