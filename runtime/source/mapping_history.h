// SPDX-License-Identifier: GPL-3.0-or-later
// What processes had mapped that have ended, or run another program by now
//
//   bpf::ProcessNews --> note(): the programs of each process, by time --> at(): of a record's time
//
// A record is read when its process has gone on. If that still runs the program of then, /proc/PID/maps knows more; else
// these are the mappings that code was run from, and the parts beside them that the file says are never written to.
#pragma once

#include <elf.h>

#include <cstdint>
#include <deque>
#include <map>
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

  struct Program {
    uint64_t number = 0;  ///< each program of each process has another one; 0: it began before we listened
    bool is_past = false;
  };
  /// What the process ran at `time`.
  Program at(uint32_t pid, Nanoseconds time) const;
  /// The objects that it had then, sorted by address. Not those that cannot be found any more, nor memory without a file.
  std::vector<guard::Mapping> objects_at(uint32_t pid, Nanoseconds time);

 private:
  struct Run {
    uint64_t number;
    Nanoseconds from, until;
    std::vector<bpf::NewMapping> mappings;  ///< by time
    std::vector<guard::Mapping> inherited;  ///< of a parent whose mappings /proc showed
  };
  /// A file, and the parts of it that are loaded and never written to.
  struct File {
    FileId shown;
    std::vector<Elf64_Phdr> parts;
  };
  const Run* find(uint32_t pid, Nanoseconds time) const;
  Run& begin(uint32_t pid, Nanoseconds time);
  void end(uint32_t pid, Nanoseconds time);
  void inherit(Run& run, const bpf::NewProcess& born);
  const File& file_of(const bpf::NewMapping& mapping);
  void add_parts(std::vector<guard::Mapping>& objects, const bpf::NewMapping& mapping);

  uint64_t last_ = 0;
  std::map<uint32_t, std::deque<Run>> runs_;  ///< of each process, by time
  std::deque<uint32_t> ended_;                ///< the processes of the runs that have ended, the oldest first
  std::map<std::tuple<uint32_t, uint32_t, uint64_t>, File> files_;  ///< by the kernel's number
};

}  // namespace sonde
