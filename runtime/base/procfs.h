// SPDX-License-Identifier: GPL-3.0-or-later
// Reading small files of /proc, and symbolic links. Except for what returns strings or looks for threads, nothing here allocates or locks: it may be
// called while a probe fires.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace sonde {

/// Reads up to `size` - 1 bytes of a file into `to`, and adds a NUL. Returns their number; 0 or less: no such file, or
/// no permission.
ssize_t read_proc(const char* path, char* to, size_t size);

/// Field `number` (3 or higher) of /proc/PID/stat, numbered as in proc(5). Null: `text` does not have it.
const char* stat_field(const char* text, int number);

/// The parent of a process now; 0: it has none, or there is no such process.
uint32_t parent_of(uint32_t pid);

/// Whether the process is `ancestor`, or one of the `most` - 1 above it is now.
bool has_ancestor(uint32_t pid, uint64_t ancestor, uint32_t most);

/// Whether there is no such process any more. One that its parent has not waited for is still there.
bool has_ended(uint32_t pid);

/// A thread by which /proc shows the memory of `pid`: its first, or another one if that has ended. 0: all have ended.
pid_t living_thread(pid_t pid);

/// The process of a thread. 0: there is no such thread.
pid_t process_of_thread(pid_t tid);

/// "/proc/PID", or that of its living_thread().
std::string proc_folder(pid_t pid);

/// Where a symbolic link leads; empty: nowhere that we may see.
std::string read_link(const std::string& link);

}  // namespace sonde
