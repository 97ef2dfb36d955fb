// SPDX-License-Identifier: GPL-3.0-or-later
// Waits for locks on files: flock(), and those of fcntl() on ranges
//
// /proc/PID/fdinfo/FD has the locks that were taken by that descriptor, so also processes that have inherited it are
// found. A lock waits until all locks that stand in its way are gone, so each is a set of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/waits/facts.h"
#include "runtime/waits/graph.h"

namespace sonde {

struct FileLock {
  enum class Kind : uint8_t { Flock, Process, OpenFile } kind = Kind::Flock;
  bool writes = false;
  uint32_t pid = 0;  ///< that took it; 0: it belongs to an open file
  uint64_t inode = 0;
  uint64_t first = 0, last = ~uint64_t{0};  ///< bytes
};

/// "POSIX  ADVISORY  WRITE 12 08:01:34 0 EOF": a line of fdinfo, behind the number. None: another kind of lock, or one that
/// waits.
std::optional<FileLock> parse_file_lock(std::string_view line);
/// Whether `held`, of another owner, stands in the way of `wanted`.
bool stands_in_way(const FileLock& held, const FileLock& wanted);

Wait explain_flock(Facts& facts, const ThreadFacts& thread);
/// Of any call of fcntl() that waits.
Wait explain_fcntl(Facts& facts, const ThreadFacts& thread);

}  // namespace sonde
