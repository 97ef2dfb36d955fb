// SPDX-License-Identifier: MIT OR GPL-2.0-only
// News of the files that processes map to run code from, of the whole machine
//
// The kernel writes a record for each such mapping into a buffer of each CPU (perf). Nobody waits for us: when we read
// it, the process has gone on. A kernel without BPF programs at the place where a file is mapped has nothing better, and
// one with them would let us hold nobody either.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"

namespace sonde::bpf {

struct NewMapping {
  uint32_t pid = 0;  ///< as we number processes
  uint64_t address = 0, bytes = 0, offset = 0;
  uint32_t major = 0, minor = 0;
  uint64_t inode = 0;  ///< as the kernel knows the file; /proc/PID/maps may show another number
  std::string path;    ///< as the process has it
};

class FileNews {
 public:
  /// Errors: those of perf_event_open(2) and mmap(2).
  static Result<FileNews> open();
  /// Readable when take() may return something.
  const std::vector<int>& fds() const { return fds_; }
  /// The next mapping, if there is one.
  std::optional<NewMapping> take();
  /// How many mappings the kernel had no room for since the last call.
  uint64_t take_lost() { return std::exchange(lost_, 0); }

 private:
  class Buffer;

  FileNews() = default;
  std::vector<std::shared_ptr<Buffer>> buffers_;  ///< one of each CPU
  std::vector<int> fds_;
  uint64_t lost_ = 0;
};

}  // namespace sonde::bpf
