// SPDX-License-Identifier: GPL-3.0-or-later
// What processes had mapped that have ended, or run another program by now
//
//   bpf::ProcessNews --> note(): the programs of each process, by time --> at(): of a record's time
//
// A record is read when its process has gone on. If that still runs the program of then, /proc/PID/maps knows more; else
// these are the mappings that code was run from, and the parts beside them that the file says are never written to.
//
// What is kept has bounds, because a machine runs programs without end:
//
//   a program that has ended   until a record of a second later is read, for records come in the order of time; as long
//                              as none comes, of the last kMostEnded. A process whose first thread alone has ended lives
//   a mapping that later ones  of the last kMostCovered of each program
//   cover (dlclose, dlopen)
//   a parent's mappings        once for all its children, which mostly run another program at once
#pragma once

#include <elf.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "runtime/base/ids.h"
#include "runtime/bpf/process_news.h"
#include "runtime/guard/mappings.h"
#include "runtime/process/proc_maps.h"

namespace sonde {

class MappingHistory {
 public:
  void note(const bpf::ProcessEvent& event);
  /// Some news were lost before `time`: who has ended by now has ended by then.
  void note_lost(Nanoseconds time);

  struct Program {
    uint64_t number = 0;  ///< each program of each process has another one; 0: it began before we listened
    bool is_past = false;
    size_t mappings = 0;  ///< if it is past: how many of its own objects_at() looks at
  };
  /// What the process ran at `time`.
  Program at(uint32_t pid, Nanoseconds time) const;
  /// A record of `time` has been read: forgets the programs that had ended a second before.
  void forget_before(Nanoseconds time);
  /// Whether the process may have a record of that program: it is not known to have ended, or it is remembered.
  bool knows(uint32_t pid, uint64_t number) const;
  /// How many programs, and how many mappings of these, are kept.
  struct Kept {
    size_t programs = 0, mappings = 0;
  };
  Kept kept() const;
  /// The objects that it had then, sorted by address. Not those that cannot be found any more, nor memory without a file.
  std::vector<guard::Mapping> objects_at(uint32_t pid, Nanoseconds time);

 private:
  using News = std::vector<bpf::NewMapping>;
  using Objects = std::vector<guard::Mapping>;
  struct Run {
    uint64_t number;
    Nanoseconds from, until;
    std::shared_ptr<News> mappings;            ///< by time; null: none. A child shares them until it has its own
    std::shared_ptr<const Objects> inherited;  ///< of a parent whose mappings /proc showed; null: none
    size_t drop_at;                            ///< so many mappings are looked through for those that are covered
  };
  /// A file, and the parts of it that are loaded and never written to.
  struct File {
    FileId shown;
    std::vector<Elf64_Phdr> parts;
  };
  static size_t count_until(const Run& run, Nanoseconds time);
  static void add(Run& run, const bpf::NewMapping& mapping);
  const Run* find(uint32_t pid, Nanoseconds time) const;
  Run& begin(uint32_t pid, Nanoseconds time);
  void end(uint32_t pid, Nanoseconds time);
  void forget_oldest();
  void inherit(Run& run, const bpf::NewProcess& born);
  const File& file_of(const bpf::NewMapping& mapping);
  void add_parts(std::vector<guard::Mapping>& objects, const bpf::NewMapping& mapping);

  uint64_t last_ = 0;
  std::map<uint32_t, std::vector<Run>> runs_;  ///< of each process, by time
  std::deque<uint32_t> ended_;                 ///< the processes of the runs that have ended, the oldest first
  std::map<uint32_t, std::shared_ptr<const Objects>>
      parents_;  ///< what /proc showed, until there is news of the process
  std::map<std::tuple<uint32_t, uint32_t, uint64_t>, File> files_;  ///< by the kernel's number
};

}  // namespace sonde
