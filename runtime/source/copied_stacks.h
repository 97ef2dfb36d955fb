// SPDX-License-Identifier: GPL-3.0-or-later
// Walks the stacks that firings in the kernel have copied into records
//
//   record: registers, bytes of the stack --> guard::Unwinder, by frame information --> record: program counters
//
// The frame information is read from the process, or if that has ended, from the files that it had mapped. Where nothing
// tells of processes that have ended (mapping_history.h), a record is best read soon: the reader is woken for each one that
// has a stack.
//
// Records come in the order of time. So what is known of a process is forgotten when a record is read that is later than
// its end: no other record can need it.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "kmod/shared/copied_stack.h"
#include "runtime/abi/requests.h"
#include "runtime/guard/unwind.h"
#include "runtime/source/mapping_history.h"

namespace sonde {

class CopiedStacks {
 public:
  /// From now on what processes do is noted in it.
  MappingHistory& keep_history();
  /// Replaces each copied stack of the record by its program counters. `kinds`: of its slots.
  void finish(sonde_record& record, std::span<const uint8_t> kinds);
  /// A mapping in which a walked stack has addresses, and which was not known before.
  std::optional<MappingSeen> take_mapping();
  /// How many programs of processes are remembered.
  size_t processes() const { return processes_.size(); }

 private:
  static constexpr size_t kFew = 64;
  /// The objects of a process, as they were when it was last looked at.
  struct Process {
    explicit Process(uint32_t pid) : unwinder(static_cast<pid_t>(pid)) {}
    guard::Unwinder unwinder;
    std::vector<guard::Mapping> objects;
    bool looked = false;
    std::optional<size_t> of_past;      ///< how many mappings the program had when it was looked at after its end
    std::optional<Nanoseconds> absent;  ///< when there was no such process any more
  };
  Process& process_of(uint32_t pid, uint64_t program, Nanoseconds time);
  void forget_ended(Nanoseconds time);
  uint32_t walk(sonde_record& record, const sonde_copied_stack& copied, std::span<const uint8_t> stack);
  bool read_file(const Process& process, uint64_t address, void* to, size_t length);
  void look(const sonde_record& record, Process& process, const MappingHistory::Program& program);
  bool note_mappings(const sonde_record& record, Process& process);

  std::optional<MappingHistory> history_;
  std::map<std::pair<uint32_t, uint64_t>, Process> processes_;  ///< by pid, and number of the program
  size_t many_ = kFew;                                          ///< of so many, those that have ended are forgotten
  std::map<std::pair<uint64_t, uint64_t>, UniqueFd> files_;     ///< by device and inode
  std::vector<uint64_t> frames_;                                ///< of the last walk
  std::list<MappingSeen> seen_;
};

}  // namespace sonde
