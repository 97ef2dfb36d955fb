// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of a process, by /proc/PID/mem
//
// An open descriptor stays bound to the memory it was opened on, whatever the process does later: a process that execs
// has new memory, and one that makes itself not dumpable cannot be opened again. So it is opened once and kept.
//
//   descriptors kept by all targets <= half of RLIMIT_NOFILE     it stays open, until close()
//                                   more than that               it is opened for each access, if /proc/PID/auxv shows
//                                                                that the process still runs the same program
//   it cannot be opened or written                               PTRACE_PEEKTEXT and POKETEXT in a lent thread
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "runtime/base/unique_fd.h"

namespace sonde::guard {

class TargetMemory {
 public:
  explicit TargetMemory(pid_t pid) : pid_(pid) {}
  ~TargetMemory() { close(); }
  TargetMemory(const TargetMemory&) = delete;
  TargetMemory& operator=(const TargetMemory&) = delete;

  [[nodiscard]] bool read(uint64_t address, void* to, size_t length) const;
  [[nodiscard]] bool write(uint64_t address, const void* from, size_t length);
  /// Whether it can be read at all now. A process that has ended cannot.
  bool open() const;
  /// The same; the descriptor is kept only if there is room for it.
  bool can_open() const;
  /// Whether there is nothing left that could be read or written: the process has ended.
  bool gone() const;
  /// Gives the descriptor back. The next access opens it again.
  void close() const;
  /// Until release(), its descriptor stays open even where all targets keep as many as they may: for many accesses.
  void hold() { held_ = true; }
  void release();
  /// A thread of this memory that is in a ptrace-stop, until lend(0).
  void lend(pid_t stopped) { lent_ = stopped; }

 private:
  bool peek(uint64_t address, void* to, size_t length) const;
  bool poke(uint64_t address, const void* from, size_t length);
  void close_if_many() const;

  pid_t pid_;
  pid_t lent_ = 0;
  bool held_ = false;
  mutable UniqueFd fd_;
  mutable size_t program_ = 0;  // hash of its auxv, when it was first opened
};

}  // namespace sonde::guard
