// SPDX-License-Identifier: MIT OR GPL-2.0-only
// News of processes of the whole machine: their births, programs and ends, and the files that they map to run code from
//
// The kernel writes a record for each into a buffer of each CPU (perf). Nobody waits for us: when we read it, the process
// has gone on, perhaps ended. A kernel without BPF programs at the place where a file is mapped has nothing better, and
// one with them would let us hold nobody either.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/base/ids.h"
#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"

namespace sonde::bpf {

// Processes have the numbers that we see, times are CLOCK_MONOTONIC's.
struct NewMapping {
  uint32_t pid = 0;
  Nanoseconds time = 0;
  uint64_t address = 0, bytes = 0, offset = 0;
  uint32_t major = 0, minor = 0;
  uint64_t inode = 0;  ///< as the kernel knows the file; /proc/PID/maps may show another number
  std::string path;    ///< as the process has it
};
/// A process has been forked, and has its parent's mappings.
struct NewProcess {
  uint32_t pid = 0, parent = 0;
  Nanoseconds time = 0;
};
/// An exec has replaced a process's program: its mappings have gone.
struct NewProgram {
  uint32_t pid = 0;
  Nanoseconds time = 0;
};
struct ProcessEnd {
  uint32_t pid = 0;
  Nanoseconds time = 0;
};
using ProcessEvent = std::variant<NewMapping, NewProcess, NewProgram, ProcessEnd>;

class ProcessNews {
 public:
  /// Errors: those of perf_event_open(2) and mmap(2).
  static Result<ProcessNews> open();
  /// Readable when take() may return something.
  const std::vector<int>& fds() const { return fds_; }
  /// The next event, if there is one. They come in the order of time.
  std::optional<ProcessEvent> take();
  /// How many events the kernel had no room for since the last call.
  uint64_t take_lost() { return std::exchange(lost_, 0); }

 private:
  class Buffer;

  ProcessNews() = default;
  void load();

  std::vector<std::shared_ptr<Buffer>> buffers_;  ///< one of each CPU
  std::vector<int> fds_;
  Nanoseconds loaded_ = 0;  ///< each buffer's next event is there, if it happened before
  uint64_t lost_ = 0;
};

}  // namespace sonde::bpf
